// Lists that the input of an action holds: links to records that are there, and children, which are made with their parent by the
// `create` of their own resource, or replace those of a stored one by its `create`, `update` and `delete`. (contract 13.1)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Column } from './column.ts'
import type { AcceptedList, ActionModel, ManyRelation, ResourceModel } from './model.ts'

/** A list of children in an input. */
export interface AcceptedChildren extends AcceptedList {
  readonly relation: ManyRelation
}
export const isChildren = (list: AcceptedList): list is AcceptedChildren => list.relation.kind === 'many'

/** Whether the children in this input replace those that the record has. */
export const replacesChildren = ({ kind }: Pick<ActionModel, 'kind'>): boolean => kind === 'update'

/** Children of children are the last. */
const levelsMax = 2

/** The create of a child as its parent's input takes it: what the parent itself says is not sent. */
export const childCreate = (parent: ActionModel, list: AcceptedChildren): ActionModel =>
  childAction(parent, list, 'create')!

/** The same of the update of a child; null where it has none. */
export const childUpdate = (parent: ActionModel, list: AcceptedChildren): ActionModel | null =>
  childAction(parent, list, 'update')

function childAction(parent: ActionModel, list: AcceptedChildren, name: 'create' | 'update'): ActionModel | null {
  const byList = getOrInsert(actions, parent, () => new Map<string, ActionModel | null>())
  return getOrInsert(byList, `${name} ${list.field}`, () => {
    const { target, by } = list.relation
    const own = target.actions.get(name)
    if (own === undefined) return null
    const filled = new Set([by.field, ...commonTenants(parent.resource, target).map(({ field }) => field)])
    const level = levelOf(parent) + 1
    const action: ActionModel = {
      ...own,
      accept: own.accept.filter(({ field }) => !filled.has(field)),
      lists: own.lists.filter((each) => level < levelsMax || !isChildren(each)),
    }
    levels.set(action, level)
    return action
  })
}
const actions = new WeakMap<ActionModel, Map<string, ActionModel | null>>()
const levels = new WeakMap<ActionModel, number>()
const levelOf = (action: ActionModel): number => levels.get(action) ?? 0

/** What a new child has from its parent: the relation to it, and the tenants that both are in. */
export function fromParent(
  { relation: { by, target } }: AcceptedChildren,
  parent: ResourceModel,
  record: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const tenants = commonTenants(parent, target).map(({ field }) => [field, record[field]])
  return { ...Object.fromEntries(tenants), [by.field]: record['id'] }
}

const commonTenants = (parent: ResourceModel, child: ResourceModel): readonly Column[] =>
  child.tenants.filter(({ field }) => parent.tenants.some((each) => each.field === field))
