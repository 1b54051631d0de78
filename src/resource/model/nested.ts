// Lists inside the input of an action: links to existing records, and children, which are created or replaced by the `create`,
// `update` and `delete` of their own resource. (contract 13.1)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { memoize } from '../../cache/memoize.ts'
import type { Column } from './column.ts'
import type { AcceptedList, ActionModel, ManyRelation, ResourceModel } from './model.ts'

export interface AcceptedChildren extends AcceptedList {
  readonly relation: ManyRelation
}
export const isChildren = (list: AcceptedList): list is AcceptedChildren => list.relation.kind === 'many'

export const replacesChildren = ({ kind }: Pick<ActionModel, 'kind'>): boolean => kind === 'update'

const levelsMax = 2

/** The create of a child inside its parent's input: without the fields that follow from the parent. */
export const childCreate = (parent: ActionModel, list: AcceptedChildren): ActionModel =>
  childAction(parent, list, 'create')!

/** Null if the child has no update. */
export const childUpdate = (parent: ActionModel, list: AcceptedChildren): ActionModel | null =>
  childAction(parent, list, 'update')

function childAction(parent: ActionModel, list: AcceptedChildren, name: 'create' | 'update'): ActionModel | null {
  return getOrInsert(actionsOf(parent), `${name} ${list.field}`, () => {
    const { target, by } = list.relation
    const own = target.actions.get(name)
    if (own === undefined) return null
    const filled = new Set([by.field, ...commonTenants(parent.resource, target).map(({ field }) => field)])
    // The parent decides for all relations of an `either`.
    const others = own.sent.flatMap(({ branches = [] }) => (branches.some((each) => filled.has(each)) ? branches : []))
    const isFilled = (field: string) => filled.has(field) || others.includes(field)
    const level = levelOf(parent) + 1
    const action: ActionModel = {
      ...own,
      accept: own.accept.filter(({ field }) => !isFilled(field)),
      sent: own.sent.filter(({ field, branches = [] }) => !isFilled(field) && !branches.some(isFilled)),
      lists: own.lists.filter((each) => level < levelsMax || !isChildren(each)),
    }
    levels.set(action, level)
    return action
  })
}
const actionsOf = memoize((_: ActionModel) => new Map<string, ActionModel | null>())
const levels = new WeakMap<ActionModel, number>()
const levelOf = (action: ActionModel): number => levels.get(action) ?? 0

/** The relation to the parent, and common tenants. */
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
