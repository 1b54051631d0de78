// A value as its reader sees it: null where it is hidden, or a record on the way to it is missing or hidden. Lists are sorted
// by such values, and records are grouped by them, so that no order and no sum tells what reading would not. (contract 12.2.3)

import { type Asker, credentialRefusal } from '../actor.ts'
import { allOf, always, type Condition, fold } from './condition.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel, ValuePath } from './model.ts'
import { disclosureCondition } from './readability.ts'

export interface Sight {
  readonly path: ValuePath
  /** What must hold of the record from which each relation leads, and of the one that it leads to. */
  readonly steps: readonly Step[]
  /** What must hold of the record whose value it is. */
  readonly condition: Condition
  /** Whether this reader sees it of no record. */
  readonly isNever: boolean
}
interface Step {
  readonly relation: OneRelation
  readonly from: Condition
  readonly to: Condition
}

/** Which members of a list its reader sees. */
export interface ListSight {
  readonly relation: ManyRelation | LinkRelation
  /** What must hold of the record whose list it is, and of each member. */
  readonly from: Condition
  readonly to: Condition
  /** Whether this reader sees all of them, or none. */
  readonly isWhole: boolean
  readonly isNever: boolean
}

/** Null where the path goes through no list. */
export function listSightOf({ list }: ValuePath, holder: ResourceModel, asker: Asker): ListSight | null {
  if (list === null) return null
  const { target, field } = list
  const to = readingOf(target, asker)
  const from = fieldCondition(field, holder, asker)
  const isWhole = from.is === 'always' && to.is === 'always'
  return { relation: list, from, to, isWhole, isNever: from.is === 'never' || to.is === 'never' }
}

/** Null where it is the own value of the record, or of the member of a list, which every reader of this class sees. */
export function sightOf(path: ValuePath, holder: ResourceModel, asker: Asker): Sight | null {
  const steps: Step[] = []
  let from = path.list?.target ?? holder
  for (const relation of path.relations) {
    const { target } = relation
    steps.push({ relation, from: fieldCondition(relation.field, from, asker), to: readingOf(target, asker) })
    from = target
  }
  const condition = valueCondition(path, asker)
  if (steps.length === 0 && condition.is === 'always') return null
  const all = [condition, ...steps.flatMap((step) => [step.from, step.to])]
  return { path, steps, condition, isNever: all.some(({ is }) => is === 'never') }
}

function readingOf(target: ResourceModel, asker: Asker): Condition {
  const isOpen = credentialRefusal(asker, 'read', target) === null
  return isOpen ? fold(target.read.allow, target, asker) : { is: 'never' }
}

/** Who refers to a record that is hidden refers to nothing, for this reader. */
export function valueCondition({ resource, column }: Pick<ValuePath, 'resource' | 'column'>, asker: Asker): Condition {
  const relation = resource.relations.get(column.field)
  const visible = relation?.kind === 'one' ? disclosureCondition(resource, relation, asker) : always
  return allOf([fieldCondition(column.field, resource, asker), visible])
}

/** That the reader of a record may see what this field holds. */
export function fieldCondition(field: string, resource: ResourceModel, asker: Asker): Condition {
  const rule = resource.protect.get(field)?.read
  return rule === undefined ? always : fold(rule, resource, asker)
}
