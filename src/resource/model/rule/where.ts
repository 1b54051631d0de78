// What `where` may test, and a client's condition as a tree. (contract 12.1)

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { SpecBase } from '../../field/field.ts'
import { columnTypeOf, comparesOf, isSearchable } from '../../field/registry.ts'
import type { RequestMoment } from '../../language/placeholder.ts'
import type { TextTest, WhereTest } from '../../language/rule/filter.ts'
import { aboveList } from '../../naming/casing.ts'
import { type Column, wholePartsCharsMax } from '../column.ts'
import { branchesOf, eitherValues } from '../either.ts'
import type { Relation, ResourceModel, WhereBranch, WhereStep, WhereTreePath, WhereValue } from '../model.ts'

export type WhereOperand =
  | { readonly from: 'value'; readonly value: unknown }
  | ({ readonly from: 'now' } & RequestMoment)
  | { readonly from: 'me'; readonly column: Column | null }
  | { readonly from: 'field'; readonly value: WhereValue }
/** Values are replaced by their index, so that statements are shared. */
export type BoundOperand =
  /** `isNarrowed`: the next value is what an index of parts is asked for. */
  | { readonly from: 'bound'; readonly index: number; readonly isNarrowed?: true }
  | Extract<WhereOperand, { from: 'me' | 'field' }>

/** A condition. Two-valued: a test on a missing or hidden value fails, and its negation holds. (contract 12.1.3) */
export type WhereTree<Operand = BoundOperand> =
  | { readonly is: 'test'; readonly value: WhereValue; readonly test: WhereTest; readonly operand: Operand }
  | { readonly is: 'present'; readonly value: WhereValue }
  | { readonly is: 'some'; readonly step: WhereStep; readonly of: WhereTree<Operand> }
  | { readonly is: 'not'; readonly of: WhereTree<Operand> }
  | { readonly is: 'any' | 'all'; readonly of: readonly WhereTree<Operand>[] }

type ListSpec = SpecBase & { readonly of: SpecBase }

const order = ['is', 'oneOf', 'before', 'after', 'atLeast', 'atMost'] as const
const equality = ['is', 'oneOf'] as const
const inside: readonly WhereTest[] = ['endsWith', 'includes']

const textTests: readonly WhereTest[] = ['startsWith', ...inside]
export const isTextTest = (test: WhereTest): test is TextTest => textTests.includes(test)

export function testsOfKind(spec: SpecBase): readonly WhereTest[] {
  switch (spec.kind) {
    case 'id':
    case 'one':
      return equality
    case 'boolean':
      return ['is']
    case 'text':
      return [...order, 'startsWith']
    case 'list':
      return isSearchable((spec as ListSpec).of) ? ['contains'] : []
  }
  if (columnTypeOf(spec) === null) return []
  switch (comparesOf(spec)) {
    case 'in order':
    case 'in time':
      return order
    case 'not at all':
      return []
    default:
      return equality
  }
}

/** Compiles the paths a resource lists; null if there are none. Needs to know which fields of all resources may be hidden. */
export function compileWhere(paths: readonly string[], resource: ResourceModel): WhereBranch | null {
  if (paths.length === 0) return null
  return branchOf(
    paths.map((each) => each.split('.')),
    resource,
    false,
  )
}

function branchOf(paths: readonly (readonly string[])[], resource: ResourceModel, nullable: boolean): WhereBranch {
  const values = new Map<string, WhereValue>()
  const named = new Map<string, WhereValue>()
  const below = new Map<string, (readonly string[])[]>()
  for (const [field, ...rest] of paths as readonly (readonly [string, ...string[]])[]) {
    const whole = [field, ...rest].join('.')
    if (rest.length > 0 && !resource.column.has(whole)) getOrInsert(below, field, () => []).push(rest)
    else {
      const of = resource.fields.get(whole)
      const branches = of === undefined ? [] : branchesOf(of, resource)
      const compared = (name: string) => getOrInsert(values, name, () => valueIn(name, resource, nullable))
      if (branches.length === 0) named.set(whole, compared(whole))
      else
        for (const [name, part] of eitherValues(
          of!,
          branches.map((each) => compared(each.field)),
        ))
          named.set(name, part)
    }
  }
  const steps = [...below].map(([field, rest]): [string, WhereStep] => {
    const relation = resource.relations.get(field)!
    const isOne = relation.kind === 'one'
    return [
      field,
      {
        holder: resource,
        relation,
        of: branchOf(rest, relation.target, isOne && (nullable || isNullable(field, resource))),
      },
    ]
  })
  return { resource, values, named, steps: new Map(steps) }
}

function valueIn(field: string, resource: ResourceModel, nullable: boolean): WhereValue {
  const column = resource.column.get(field)!
  const { spec } = column
  const document = documentOf(column, resource)
  return {
    resource,
    column,
    spec: spec.kind === 'list' ? (spec as ListSpec).of : { ...asSent(spec), optional: false },
    tests: new Set([...testsOfKind(spec), ...(document === undefined ? [] : inside)]),
    nullable: nullable || isNullable(field, resource),
    ...(document !== undefined && isWhole(spec) ? { parts: document } : {}),
    ...treePath(field, resource),
  }
}

/** The record's own, of which the parts of this column are searched. */
const documentOf = (column: Column, { search }: ResourceModel) =>
  search?.documents.find(({ relation, parts }) => relation === null && parts.some((each) => each.column.of === column))

/** So short that no value has more parts than are stored. */
const isWhole = (spec: SpecBase): boolean => ((spec as { readonly max?: number }).max ?? 0) <= wholePartsCharsMax

function treePath(parent: string, holder: ResourceModel): { readonly tree?: WhereTreePath } {
  const above = holder.relations.get(aboveList(parent))
  if (above === undefined) return {}
  const of: WhereBranch = { resource: holder, values: new Map(), named: new Map(), steps: new Map() }
  const stepTo = (relation: Relation): WhereStep => ({ holder, relation, of })
  return {
    tree: {
      parent: stepTo(holder.relations.get(parent)!),
      above: stepTo(above),
      id: valueIn('id', holder, false),
    },
  }
}

/** The record is below this one, and the caller may read those between. (contract 10.3.6) */
export const isBelow = ({ parent, above, id }: WhereTreePath, value: unknown): WhereTree<WhereOperand> => ({
  is: 'some',
  step: parent,
  of: {
    is: 'some',
    step: above,
    of: { is: 'test', value: id, test: 'is', operand: { from: 'value', value } },
  },
})

/** Ids in conditions are sent like references. */
const asSent = (spec: SpecBase): SpecBase => (spec.kind === 'id' ? { kind: 'one' } : spec)

const isNullable = (field: string, { column, fields, protect }: ResourceModel): boolean =>
  column.get(field)!.nullable || fields.get(field)?.nullable === true || protect.get(field)?.read !== undefined

export function* valuesOf(
  branch: WhereBranch,
  path: readonly WhereStep[] = [],
): Iterable<{ readonly path: readonly WhereStep[]; readonly value: WhereValue }> {
  for (const value of branch.values.values()) yield { path, value }
  for (const step of branch.steps.values()) yield* valuesOf(step.of, [...path, step])
}

export function comparesWithMe(tree: WhereTree<WhereOperand | BoundOperand>): boolean {
  switch (tree.is) {
    case 'test':
      return tree.operand.from === 'me'
    case 'present':
      return false
    case 'any':
    case 'all':
      return tree.of.some(comparesWithMe)
    default:
      return comparesWithMe(tree.of)
  }
}
