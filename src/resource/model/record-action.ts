// What can be done with one record, and with which records an actor can do it now: what `can` tells. (contract 10.1.8)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Asker, accountOf, actorOf, credentialRefusal } from '../actor.ts'
import type { Column } from './column.ts'
import { allOf, anyOf, type Condition, fold, never } from './condition.ts'
import type { ActionModel, ResourceModel, StateTest } from './model.ts'

/** The actions on one record that clients have, in the order of the definition: moves, update, delete. */
export const recordActions = (resource: ResourceModel): readonly ActionModel[] =>
  getOrInsert(actionsOf, resource, ({ actions }) =>
    [...actions.values()].filter(
      ({ kind, allow }) => (kind === 'move' || kind === 'update' || kind === 'delete') && allow.rule !== 'nobody',
    ),
  )
const actionsOf = new WeakMap<ResourceModel, readonly ActionModel[]>()

/** Whether clients may do it to all records for which a condition holds. (contract 13.7) */
export const takesCondition = ({ kind, allow, resource }: ActionModel): boolean =>
  resource.batch &&
  resource.where !== null &&
  allow.rule !== 'nobody' &&
  (kind === 'move' || kind === 'update' || kind === 'delete')

/** What the rule of an action leaves to be asked of the record, or of one that is yet to be made. */
export const allowCondition = (action: ActionModel, asker: Asker): Condition =>
  isWithoutAccount(asker) && needsAccount(action) ? never : fold(action.allow, action.resource, asker)

/** A key that belongs to a tenant: somebody, and no account. */
export const isWithoutAccount = (asker: Asker): boolean => actorOf(asker) !== null && accountOf(asker) === null

/** Whether it writes whoever asks into a relation to accounts. (contract 10.2.13) */
const needsAccount = ({ kind, link, unlink, accept, resource }: ActionModel): boolean =>
  link !== null ||
  unlink !== null ||
  (kind === 'create' &&
    resource.actorColumns.some(({ field, nullable }) => !nullable && accept.every((each) => each.field !== field)))

/** The records with which actors of this class get as far as their input: past credential, scopes, rule and state. */
export function mayBegin(action: ActionModel, actor: Asker): Condition {
  const { name, resource } = action
  if (credentialRefusal(actor, name, resource) !== null) return never
  const byRule = getOrInsert(begins, action, () => new Map<Condition, Condition>())
  return getOrInsert(byRule, allowCondition(action, actor), (rule) => allOf([rule, ...action.from.map(stateCondition)]))
}
// The same condition is selected once by a statement, however often it is asked for.
const begins = new WeakMap<ActionModel, Map<Condition, Condition>>()

function stateCondition({ column, values, present }: StateTest): Condition {
  if (values === null) return { is: present === true ? 'present' : 'absent', column }
  return anyOf(values.map((value) => isValue(column, value)))
}

const isValue = (column: Column, value: unknown): Condition =>
  value === null ? { is: 'absent', column } : { is: 'equal', column, value }
