// Locks the records that kept numbers follow from before the holder of these: whoever changes such a record has it before its
// holder, and two that begin at both ends would wait for each other until PostgreSQL ends one, a second later.

import type { ResourceModel } from '../resource/model/model.ts'
import type { AcceptedChildren } from '../resource/model/nested.ts'
import type { Program } from '../store/store.ts'
import { recordsBefore } from './kept-number.ts'
import type { WriteScope } from './write-scope.ts'

/** Whether records that its numbers follow from can change by a write of a record of this resource. */
export const hasContributors = ({ keptNumbers }: ResourceModel, { dialect }: Pick<WriteScope, 'dialect'>): boolean =>
  keptNumbers.length > 0 && dialect.engine === 'postgres'

/** Locks what goes, or is cleared, with these records, which are about to be deleted, and is counted in them. */
export function* lockContributors(resource: ResourceModel, ids: readonly string[], scope: WriteScope): Program<void> {
  for (const { holder, relation } of resource.referrers)
    if (isCounted(holder, resource) && relation.onDelete !== 'restrict')
      yield* recordsBefore(holder, relation.column, ids, scope)
}

/** Locks what is in these lists of the records with these ids, which are about to be replaced, and is counted in them. */
export function* lockListed(
  lists: Iterable<AcceptedChildren>,
  resource: ResourceModel,
  ids: readonly string[],
  scope: WriteScope,
): Program<void> {
  for (const { relation } of lists)
    if (isCounted(relation.target, resource)) yield* recordsBefore(relation.target, relation.by.column, ids, scope)
}

const isCounted = ({ contributions }: ResourceModel, holder: ResourceModel): boolean =>
  contributions.some((number) => number.holder === holder)
