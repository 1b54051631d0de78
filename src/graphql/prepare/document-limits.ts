// Limits on depth, complexity, root mutations and nodes, checked before anything runs. (contract 8.2)

import { getNullableType, isListType, Kind, type SelectionSetNode } from 'graphql'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { graphqlFieldOf } from '../../custom-route/definition.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { meaningOf } from '../schema/meaning.ts'
import { type FieldCollector, isIntrospection, type ResponseField, typesOf } from './field-collector.ts'

export type QueryLimits = Pick<
  Limits,
  'queryDepth' | 'introspectionDepth' | 'queryComplexity' | 'queryNodes' | 'rootMutations'
>

/** In points. Linear time: each fragment is measured once. Fails with QUERY_TOO_DEEP, QUERY_TOO_COMPLEX. (contract 8.2.1) */
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

/** Includes the points of conditions. Fails with QUERY_TOO_COMPLEX. */
export function requireComplexity(complexity: number, { queryComplexity }: QueryLimits): void {
  if (complexity <= queryComplexity) return
  const message = `Query complexity ${complexity} exceeds the maximum of ${queryComplexity}.`
  throw new Failure('QUERY_TOO_COMPLEX', { message })
}

/** Each field of Mutation counts as a request. (contract 8.2.5) */
export const rootMutationsOf = (collector: FieldCollector): number =>
  collector.operation.type === 'mutation'
    ? collector.roots().filter(({ field }) => field.name !== '__typename').length
    : 0

/** Fails with QUERY_TOO_COMPLEX. */
export function requireNodes(nodes: number, { queryNodes }: QueryLimits): void {
  if (nodes <= queryNodes) return
  const message = `Query nodes ${nodes} exceed the maximum of ${queryNodes}.`
  throw new Failure('QUERY_TOO_COMPLEX', { message })
}

// Counts far beyond the limit, to report the number; stops only for attacks.
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

/** Merging adds no depth, so each selection set is visited once. */
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

/** Per response key and parent: 1 for a scalar or object, 5 for `can`, 10 for a list, the cost of a route; introspection is free. */
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
  // Too large to count fully: a lower bound.
  return counted > most ? counted : sum
}

/** The database evaluates the rules of `can` for each record; only its author knows what the code of a route costs. */
function pointsOf(field: ResponseField['field']): number {
  const meaning = meaningOf(field)
  if (meaning?.is === 'route') return graphqlFieldOf(meaning.route)!.cost
  if (isListType(getNullableType(field.type))) return 10
  return meaning?.is === 'mayBegin' ? 5 : 1
}
