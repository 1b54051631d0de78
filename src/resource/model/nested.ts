// Lists that the input of an action holds: links to records that are there, and children that are made with their parent, each by
// the `create` of its own resource. (contract 13.1)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Column } from './column.ts'
import type { AcceptedList, ActionModel, ManyRelation, ResourceModel } from './model.ts'

/** A list of children in an input. */
export interface AcceptedChildren extends AcceptedList {
  readonly relation: ManyRelation
}
export const isChildren = (list: AcceptedList): list is AcceptedChildren => list.relation.kind === 'many'

/** Children of children are the last. */
const levelsMax = 2

/** The create of a child as its parent's input takes it: what the parent itself says is not sent. */
export function childCreate(parent: ActionModel, list: AcceptedChildren): ActionModel {
  const byList = getOrInsert(creates, parent, () => new Map<string, ActionModel>())
  return getOrInsert(byList, list.field, () => {
    const { target, by } = list.relation
    const create = target.actions.get('create')!
    const filled = new Set([by.field, ...commonTenants(parent.resource, target).map(({ field }) => field)])
    const level = levelOf(parent) + 1
    const action: ActionModel = {
      ...create,
      accept: create.accept.filter(({ field }) => !filled.has(field)),
      lists: create.lists.filter((each) => level < levelsMax || !isChildren(each)),
    }
    levels.set(action, level)
    return action
  })
}
const creates = new WeakMap<ActionModel, Map<string, ActionModel>>()
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
