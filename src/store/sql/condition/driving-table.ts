// Lists by the starting points of a rule: posts of followed users. An index finds the newest per starting point, so no list of
// all records is walked.

import type { OneSpec } from '../../../resource/field/relation.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { allOf, always, type Condition } from '../../../resource/model/rule/condition.ts'
import type { ListShape } from './list-shape.ts'

type Some = Extract<Condition, { is: 'some' }>

export interface DrivingTable {
  /** A relation's column, or `id` if the rule is about the record itself. */
  readonly column: string
  readonly target: ResourceModel
  /** A list with the actor, or with a starting point. */
  readonly some: Some
  readonly rest: Condition
  /** The column is a tenant: records of other tenants are never read. */
  readonly isTenant: boolean
  /** Records above one, and so any number of them: statistics decide whether to begin there. */
  readonly isTree: boolean
}

/** Null if the condition has no starting point. */
export function findDrivingTable(condition: Condition): DrivingTable | null {
  if (condition.is === 'all') {
    // The actor's own records are fewer.
    if (condition.of.some((each) => each.is === 'actor')) return null
    for (const [at, each] of condition.of.entries()) {
      const drivingTable = findDrivingTable(each)
      if (drivingTable !== null) return { ...drivingTable, rest: allOf(condition.of.with(at, drivingTable.rest)) }
    }
    return null
  }
  if (condition.is === 'some') return ownDrivingTable(condition)
  if (condition.is !== 'related') return null
  const { relation, condition: inner } = condition
  const some = (inner.is === 'all' ? inner.of : [inner]).find(isOfActor)
  if (some === undefined) return null
  const { target, column } = relation
  return {
    column: column.name,
    target,
    some,
    rest: some === inner ? always : condition,
    isTenant: (column.spec as OneSpec).isTenant === true,
    isTree: isOfTree(some),
  }
}

export const drivingTenants = (condition: Condition): readonly DrivingTable[] =>
  (condition.is === 'any' ? condition.of : [condition]).flatMap((each) => {
    const drivingTable = findDrivingTable(each)
    return drivingTable?.isTenant === true ? [drivingTable] : []
  })

function ownDrivingTable(some: Some): DrivingTable | null {
  if (some.relation.kind !== 'many' || !isOfActor(some)) return null
  return { column: 'id', target: some.relation.by.target, some, rest: always, isTenant: false, isTree: false }
}

const isOfActor = (condition: Condition): condition is Some =>
  condition.is === 'some' &&
  (hasActor(condition.condition) ||
    findDrivingTable(condition.condition) !== null ||
    (isOfTree(condition) && namesRecord(condition.condition)))
const isOfTree = ({ relation }: Some): boolean => relation.kind === 'manyToMany' && relation.link.parent !== null
const namesRecord = (condition: Condition): boolean =>
  (condition.is === 'all' ? condition.of : [condition]).some(
    (each) =>
      each.is === 'compare' && each.column.field === 'id' && each.test === 'is' && each.operand.from === 'bound',
  )
export const isTreeLed = (condition: Condition): boolean => findDrivingTable(condition)?.isTree === true
export const hasActor = (condition: Condition): boolean =>
  (condition.is === 'all' ? condition.of : [condition]).some(({ is }) => is === 'actor')

/** Null if a search or filter finds fewer, except filters by tenant; a filter by the starting point uses its own index. */
export function drivingTableOf(
  shape: ListShape,
  condition: Condition,
): { readonly drivingTable: DrivingTable; readonly shape: ListShape; readonly condition: Condition } | null {
  if (shape.search != null) return null
  const byRule = findDrivingTable(condition)
  if (byRule?.isTree === true) return null
  if (byRule !== null && (byRule.isTenant ? !isFiltered(shape, byRule) : shape.filters.length === 0))
    return { drivingTable: byRule, shape, condition: byRule.rest }
  if (shape.filters.length > 0) return null
  const { scope } = shape
  const byScope = scope?.is === 'condition' ? findDrivingTable(scope.condition) : null
  if (byScope === null || byScope.isTree) return null
  const rest = byScope.rest.is === 'always' ? null : { is: 'condition' as const, condition: byScope.rest }
  return { drivingTable: byScope, shape: { ...shape, scope: rest }, condition }
}

const isFiltered = ({ filters }: ListShape, { column: name }: DrivingTable): boolean =>
  filters.some(({ filter: { test, column } }) => test === 'is' && column.name === name)
