// Which records a condition says are written: all that its asker may read and for which it holds, by their ids. (contract 13.7)

import type { Detail } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { ListShape } from '../read-plan/selection.ts'
import type { Requester } from '../resource/actor.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import { asDefined } from '../resource/model/vocabulary.ts'
import type { WriteSelection } from './call.ts'
import { type BoundList, type ListContext, ListRequest } from './list-request.ts'
import { makeSelection } from './record-selection.ts'
import type { WhereQuestion } from './where/question.ts'

export interface WriteSelectionContext extends ListContext {
  readonly limits: ListContext['limits'] & Pick<Limits, 'recordsPerWrite'>
}

/** How many records a condition may say are written at once by these actions, each the next of the same record. (contract 13.7.5) */
export const conditionMax = (
  actions: readonly ActionModel[],
  { batch, recordsPerWrite }: Pick<Limits, 'batch' | 'recordsPerWrite'>,
): number => (actions.some(({ effect }) => effect !== null) ? batch : recordsPerWrite)

/** The list of them. It has one page, which no cursor leads to. */
export function bindWriteSelection(
  resource: ResourceModel,
  where: WhereQuestion | null,
  actor: Requester,
  context: WriteSelectionContext,
  problems: Detail[],
): BoundList {
  const page = { by: 'offset', size: context.limits.recordsPerWrite, offset: 0, hasOffset: false } as const
  const question = { resource, filters: [], where, sort: null, page, args: null, isSound: true }
  return new ListRequest(question, context).bind(actor, nameless, problems)
}
const nameless = { list: [], args: [] }

/** How a list of this shape is read. The face keeps it, so that its plan is found again. */
export function writeSelectionRoot(list: ListShape): WriteSelection['root'] {
  const { resource } = list
  const id = resource.fields.get('id')!
  const of = makeSelection(resource, asDefined, { fields: [id], links: [], can: false })
  return { kind: 'list', list, within: null, parts: { as: 'array', of }, total: false }
}
