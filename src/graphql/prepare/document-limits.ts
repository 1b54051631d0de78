// How much a document may ask for: depth, complexity, root mutations, nodes. Checked before anything runs. (contract 8.2)

import { getNullableType, isListType, Kind, type SelectionSetNode } from 'graphql'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { meaningOf } from '../schema/meaning.ts'
import { type FieldCollector, isIntrospection, type ResponseField, typesOf } from './field-collector.ts'

export type QueryLimits = Pick<
  Limits,
  'queryDepth' | 'introspectionDepth' | 'queryComplexity' | 'queryNodes' | 'rootMutations'
>

/**
 * Measures what is known before the arguments are. Costs no more than the document is long: what fragments repeat is
 * measured once. Answers the complexity, in points. Fails with QUERY_TOO_DEEP, QUERY_TOO_COMPLEX. (contract 8.2.1)
 */
export function requireWithinLimits(collector: FieldCollector, limits: QueryLimits): number {
  requireDepth(collector, limits)
  const complexity = complexityOf(collector, Math.max(pointsCounted, limits.queryComplexity))
  requireComplexity(complexity, limits)
  const mutations = rootMutationsOf(collector)
  if (mutations > limits.rootMutations) {
    const message = `Query root mutations ${mutations} exceed the maximum of ${limits.rootMutations}.`
    throw new Failure('QUERY_TOO_COMPLEX', { message })
  }
  return complexity
}

/** Points of fields, and of what conditions ask. Fails with QUERY_TOO_COMPLEX. */
export function requireComplexity(complexity: number, { queryComplexity }: QueryLimits): void {
  if (complexity <= queryComplexity) return
  const message = `Query complexity ${complexity} exceeds the maximum of ${queryComplexity}.`
  throw new Failure('QUERY_TOO_COMPLEX', { message })
}

/** How many fields of Mutation this operation asks for: each counts as a request. (contract 8.2.5) */
export const rootMutationsOf = (collector: FieldCollector): number =>
  collector.operation.type === 'mutation'
    ? collector.roots().filter(({ field }) => field.name !== '__typename').length
    : 0

/** `nodes`: parents times page size, summed over the paged lists. Fails with QUERY_TOO_COMPLEX. */
export function requireNodes(nodes: number, { queryNodes }: QueryLimits): void {
  if (nodes <= queryNodes) return
  const message = `Query nodes ${nodes} exceed the maximum of ${queryNodes}.`
  throw new Failure('QUERY_TOO_COMPLEX', { message })
}

// Counting goes on far beyond the limit, so that a client is told the number; it ends where only an attack still goes on.
const pointsCounted = 20_000

function requireDepth(collector: FieldCollector, { queryDepth, introspectionDepth }: QueryLimits): void {
  const results = new Map<SelectionSetNode, number>()
  const depthOf = (sets: readonly SelectionSetNode[]): number =>
    Math.max(0, ...sets.map((set) => depthBelow(set, collector, results)))
  const roots = collector
    .roots()
    .map((root) => ({ root, depth: root.below.length === 0 ? 0 : 1 + depthOf(root.below) }))
  for (const [exempt, max] of [
    [false, queryDepth],
    [true, introspectionDepth],
  ] as const) {
    const depths = roots.filter(({ root }) => isIntrospection(root.field) === exempt).map(({ depth }) => depth)
    const depth = Math.max(0, ...depths)
    if (depth > max)
      throw new Failure('QUERY_TOO_DEEP', { message: `Query depth ${depth} exceeds the maximum of ${max}.` })
  }
}

/** Selections nested below this one. Merging adds no depth, so each selection is looked at once. */
function depthBelow(set: SelectionSetNode, collector: FieldCollector, results: Map<SelectionSetNode, number>): number {
  const before = results.get(set)
  if (before !== undefined) return before
  let depth = 0
  for (const selection of set.selections) {
    if (!collector.includes(selection)) continue
    if (selection.kind === Kind.FIELD) {
      if (selection.selectionSet !== undefined)
        depth = Math.max(depth, 1 + depthBelow(selection.selectionSet, collector, results))
    } else {
      const { selectionSet } =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : collector.operation.fragments.get(selection.name.value)!
      depth = Math.max(depth, depthBelow(selectionSet, collector, results))
    }
  }
  results.set(set, depth)
  return depth
}

/** 1 for a scalar or an object, 5 for what may be done with a record, 10 for a list, for every response key of every parent; introspection is free. */
function complexityOf(collector: FieldCollector, most: number): number {
  const results = new Map<readonly ResponseField[], number>()
  let counted = 0
  const all = (fields: readonly ResponseField[]): number =>
    getOrInsert(results, fields, () => {
      let sum = 0
      for (const { field, below } of fields) {
        if (isIntrospection(field)) continue
        const own = pointsOf(field)
        counted += own
        if (counted > most) return sum
        const types = typesOf(field, collector.schema)
        sum += own + Math.max(0, ...types.map((type) => all(collector.of(type, below))))
      }
      return sum
    })
  const sum = all(collector.roots())
  // Too complex even to be counted: what was counted until then is certainly there.
  return counted > most ? counted : sum
}

/** What may be done with a record is a rule, which the database tests for each. */
function pointsOf(field: ResponseField['field']): number {
  if (isListType(getNullableType(field.type))) return 10
  return meaningOf(field)?.is === 'mayBegin' ? 5 : 1
}
