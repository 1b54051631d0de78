// The actions on one record, and the conditions under which an actor can run them: the field `can`. (contract 10.1.8)

import { memoize, memoizePair } from '../../../cache/memoize.ts'
import { accountOf, actorOf, type Caller, credentialRefusal } from '../../actor.ts'
import type { Column } from '../column.ts'
import type { ActionModel, ResourceModel, StateTest } from '../model.ts'
import { allOf, anyOf, type Condition, fold, never } from './condition.ts'

const isOfRecord = ({ kind, allow }: ActionModel): boolean =>
  (kind === 'move' || kind === 'update' || kind === 'delete') && allow.rule !== 'nobody'

export const recordActions = memoize(({ actions }: ResourceModel): readonly ActionModel[] =>
  [...actions.values()].filter(isOfRecord),
)

/** Whether clients may apply it to all records that match a condition. (contract 13.7) */
export const takesCondition = (action: ActionModel): boolean =>
  isOfRecord(action) && action.resource.batch && action.resource.where !== null

/** The condition the action's rule leaves on the record, existing or new. */
export const allowCondition = (action: ActionModel, caller: Caller): Condition =>
  isWithoutAccount(caller) && needsAccount(action) ? never : fold(action.allow, action.resource, caller)

/** With or without an access code. */
export const mayLetInGuests = ({ allow, resource }: ActionModel): boolean =>
  [null, { codeHash: '' }].some((guest) => fold(allow, resource, guest).is !== 'never')

export const isWithoutAccount = (caller: Caller): boolean => actorOf(caller) !== null && accountOf(caller) === null

/** Whether it writes the caller into a relation to accounts. (contract 10.2.13) */
const needsAccount = ({ kind, link, unlink, accept, resource }: ActionModel): boolean =>
  link !== null ||
  unlink !== null ||
  (kind === 'create' &&
    resource.actorColumns.some(({ field, nullable }) => !nullable && accept.every((each) => each.field !== field)))

/** The records for which these actors pass credential, scopes, rule and state; input is not considered. */
export function mayBegin(action: ActionModel, actor: Caller): Condition {
  const { name, resource } = action
  if (credentialRefusal(actor, name, resource) !== null) return never
  return begin(action, allowCondition(action, actor))
}
// Caching returns the same object, which a statement then selects once.
const begin = memoizePair(
  ({ from }: ActionModel, rule: Condition): Condition => allOf([rule, ...from.map(stateCondition)]),
)

function stateCondition({ column, values, present }: StateTest): Condition {
  if (values === null) return { is: present === true ? 'present' : 'absent', column }
  return anyOf(values.map((value) => isValue(column, value)))
}

const isValue = (column: Column, value: unknown): Condition =>
  value === null ? { is: 'absent', column } : { is: 'equal', column, value }
