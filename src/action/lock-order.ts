// Locks the records that kept numbers follow from before the holder of these: whoever changes such a record has it before its
// holder, and two that begin at both ends would wait for each other until PostgreSQL ends one, a second later.

import type { ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import { recordsBefore } from './kept-number.ts'
import type { WriteScope } from './write-scope.ts'

/** Whether deleting a record of this resource changes records that its numbers follow from. */
export const hasContributors = ({ keptNumbers }: ResourceModel, { dialect }: Pick<WriteScope, 'dialect'>): boolean =>
  keptNumbers.length > 0 && dialect.engine === 'postgres'

/** Locks what goes, or is cleared, with these records, which are about to be deleted, and is counted in them. */
export function* lockContributors(resource: ResourceModel, ids: readonly string[], scope: WriteScope): Program<void> {
  for (const { holder, relation } of resource.referrers) {
    const isCounted = holder.contributions.some((number) => number.holder === resource)
    if (isCounted && relation.onDelete !== 'restrict') yield* recordsBefore(holder, relation.column, ids, scope)
  }
}
