// What the author lets clients ask of a list: values of its records, and of records that relations lead to. And what is asked, as
// a tree below the faces. (contract 12.1)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { SpecBase } from '../field/field.ts'
import { columnTypeOf, comparesOf, isSearchable } from '../field/registry.ts'
import type { WhereTest } from '../language/filter.ts'
import type { Column } from './column.ts'
import type { ResourceModel, WhereBranch, WhereStep, WhereValue } from './model.ts'

/** What a value is compared with, as it is asked. */
export type WhereOperand =
  | { readonly from: 'value'; readonly value: unknown }
  /** So long after the moment of the request. */
  | { readonly from: 'now'; readonly shiftMs: number }
  /** Whoever asks, or a value of that account. */
  | { readonly from: 'me'; readonly column: Column | null }
/** The same where a statement finds it: values lie at an index, so that one statement serves all of them. */
export type BoundOperand = { readonly from: 'bound'; readonly index: number } | Extract<WhereOperand, { from: 'me' }>

/** What is asked. Two-valued: of nothing, and of what is hidden, only `not` holds. (contract 12.1.3) */
export type WhereTree<Operand = BoundOperand> =
  | { readonly is: 'test'; readonly value: WhereValue; readonly test: WhereTest; readonly operand: Operand }
  | { readonly is: 'present'; readonly value: WhereValue }
  /** Of the record that a relation names, or of one of those in its list. */
  | { readonly is: 'some'; readonly step: WhereStep; readonly of: WhereTree<Operand> }
  | { readonly is: 'not'; readonly of: WhereTree<Operand> }
  | { readonly is: 'any' | 'all'; readonly of: readonly WhereTree<Operand>[] }

type ListSpec = SpecBase & { readonly of: SpecBase }

const order = ['is', 'oneOf', 'before', 'after', 'atLeast', 'atMost'] as const
const equality = ['is', 'oneOf'] as const

/** What can be asked of a field of this kind; none where nothing can. */
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

/** Compiles the paths that a resource lists, once all resources know what of theirs may be hidden; null where there are none. */
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
  const below = new Map<string, (readonly string[])[]>()
  for (const [field, ...rest] of paths as readonly (readonly [string, ...string[]])[]) {
    if (rest.length > 0) getOrInsert(below, field, () => []).push(rest)
    else values.set(field, valueIn(field, resource, nullable))
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
  return { resource, values, steps: new Map(steps) }
}

function valueIn(field: string, resource: ResourceModel, nullable: boolean): WhereValue {
  const column = resource.column.get(field)!
  const { spec } = column
  return {
    resource,
    column,
    spec: spec.kind === 'list' ? (spec as ListSpec).of : { ...asSent(spec), optional: false },
    tests: new Set(testsOfKind(spec)),
    nullable: nullable || isNullable(field, resource),
  }
}
/** Ids are made, never sent; here they are named like those of other records. */
const asSent = (spec: SpecBase): SpecBase => (spec.kind === 'id' ? { kind: 'one' } : spec)

const isNullable = (field: string, { column, fields, protect }: ResourceModel): boolean =>
  column.get(field)!.nullable || fields.get(field)!.nullable || protect.get(field)?.read !== undefined

/** Each value that may be asked, with the relations that lead to it. */
export function* valuesOf(
  branch: WhereBranch,
  path: readonly WhereStep[] = [],
): Iterable<{ readonly path: readonly WhereStep[]; readonly value: WhereValue }> {
  for (const value of branch.values.values()) yield { path, value }
  for (const step of branch.steps.values()) yield* valuesOf(step.of, [...path, step])
}

/** Whether it compares with whoever asks. */
export function speaksOfMe(tree: WhereTree<WhereOperand | BoundOperand>): boolean {
  switch (tree.is) {
    case 'test':
      return tree.operand.from === 'me'
    case 'present':
      return false
    case 'any':
    case 'all':
      return tree.of.some(speaksOfMe)
    default:
      return speaksOfMe(tree.of)
  }
}
