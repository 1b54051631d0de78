// Selects the records of a write by a condition: all matching ones that the caller may read, as ids. (contract 13.7)

import type { Detail } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { ListShape } from '../../read-plan/selection.ts'
import type { Requester } from '../../resource/actor.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { isOneByOne } from '../../resource/model/rule/guard.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import type { WriteSelection } from '../call.ts'
import { makeSelection } from '../record-selection.ts'
import { type BoundList, type ListContext, ListRequest } from './list-request.ts'
import type { Narrowing } from './parameter/parameter.ts'

export interface WriteSelectionContext extends ListContext {
  readonly limits: ListContext['limits'] & Pick<Limits, 'recordsPerWrite'>
}

/** The most records per request, for these actions, each of which follows on the same record. (contract 13.7.5) */
export const conditionMax = (
  actions: readonly ActionModel[],
  { batch, recordsPerWrite }: Pick<Limits, 'batch' | 'recordsPerWrite'>,
): number => (actions.some((each) => each.effect !== null || isOneByOne(each)) ? batch : recordsPerWrite)

/** One page without a cursor. */
export function bindWriteSelection(
  resource: ResourceModel,
  where: Narrowing | null,
  actor: Requester,
  context: WriteSelectionContext,
  problems: Detail[],
): BoundList {
  const page = { by: 'offset', size: context.limits.recordsPerWrite, offset: 0, hasOffset: false } as const
  const question = {
    resource,
    filters: [],
    narrowings: where === null ? [] : [where],
    sort: null,
    page,
    args: null,
    isSound: true,
  }
  return new ListRequest(question, context).bind(actor, nameless, problems)
}
const nameless = { list: [], args: [] }

/** One per shape, kept by the face, so that its plan is reused. */
export function writeSelectionRoot(list: ListShape): WriteSelection['root'] {
  const { resource } = list
  const id = resource.fields.get('id')!
  const of = makeSelection(resource, asDefined, { fields: [id], links: [], can: false })
  return { kind: 'list', list, within: null, parts: { as: 'array', of }, total: false }
}
