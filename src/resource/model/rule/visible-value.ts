// A value as one reader sees it: null if it is hidden, or if a record on the path is missing or hidden. Sorting and grouping use
// these values, so they reveal no more than reading. (contract 12.2.3)

import { type Caller, credentialRefusal } from '../../actor.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel, ValuePath } from '../model.ts'
import { allOf, always, type Condition, fold } from './condition.ts'
import { idCondition } from './readability.ts'

export interface VisibleValue {
  readonly path: ValuePath
  /** Before and after each relation. */
  readonly steps: readonly Step[]
  readonly condition: Condition
  readonly isNever: boolean
}
interface Step {
  readonly relation: OneRelation
  readonly from: Condition
  readonly to: Condition
}

export interface VisibleList {
  readonly relation: ManyRelation | LinkRelation
  /** Of the list's record and of each member. */
  readonly from: Condition
  readonly to: Condition
  readonly isWhole: boolean
  readonly isNever: boolean
}

/** Null if the path contains no list. */
export function visibleListOf({ list }: ValuePath, holder: ResourceModel, caller: Caller): VisibleList | null {
  if (list === null) return null
  const { target, field } = list
  const to = readingOf(target, caller)
  const from = fieldCondition(field, holder, caller)
  const isWhole = from.is === 'always' && to.is === 'always'
  return { relation: list, from, to, isWhole, isNever: from.is === 'never' || to.is === 'never' }
}

/** Null if every reader of this class sees the value. */
export function visibleValueOf(path: ValuePath, holder: ResourceModel, caller: Caller): VisibleValue | null {
  const steps: Step[] = []
  let from = path.list?.target ?? holder
  for (const relation of path.relations) {
    const { target } = relation
    steps.push({ relation, from: fieldCondition(relation.field, from, caller), to: readingOf(target, caller) })
    from = target
  }
  const condition = valueCondition(path, caller)
  if (steps.length === 0 && condition.is === 'always') return null
  const all = [condition, ...steps.flatMap((step) => [step.from, step.to])]
  return { path, steps, condition, isNever: all.some(({ is }) => is === 'never') }
}

function readingOf(target: ResourceModel, caller: Caller): Condition {
  const isOpen = credentialRefusal(caller, 'read', target) === null
  return isOpen ? fold(target.read.allow, target, caller) : { is: 'never' }
}

export function valueCondition(
  { resource, column }: Pick<ValuePath, 'resource' | 'column'>,
  caller: Caller,
): Condition {
  const relation = resource.relations.get(column.field)
  const visible = relation?.kind === 'one' ? idCondition(resource, relation, caller) : always
  return allOf([fieldCondition(column.field, resource, caller), visible])
}

export function fieldCondition(field: string, resource: ResourceModel, caller: Caller): Condition {
  const rule = resource.protect.get(field)?.read
  return rule === undefined ? always : fold(rule, resource, caller)
}
