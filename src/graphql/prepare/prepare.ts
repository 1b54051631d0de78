// Parses, validates, coerces, measures, compiles and binds a request. All its problems are found before anything runs; a wrong
// list fails with its root field.

import { GraphQLError, type OperationDefinitionNode } from 'graphql'
import { type BoundedCache, createBoundedCache } from '../../cache/bounded-cache.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { ListArguments } from '../../read-plan/run.ts'
import { isShown, type Value } from '../../read-plan/selection.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { DocumentsDependencies, Operation } from '../document/document.ts'
import { entryOf, Refusal } from '../error.ts'
import { compileRoots, type RootCall } from './compile.ts'
import {
  type QueryLimits,
  requireComplexity,
  requireNodes,
  requireWithinLimits,
  rootMutationsOf,
} from './document-limits.ts'
import { FieldCollector, type Variables } from './field-collector.ts'
import { type BoundSite, bindList, type SiteContext, standInFor } from './list-arguments.ts'
import { type Arguments, noArguments, type ReadArguments, readerOf, variablesIn } from './read-arguments.ts'
import { targetCount, upsertsIn } from './target.ts'
import { makeTree, nodesOf, type Tree } from './tree.ts'
import { compileUses, type ReadUses } from './uses.ts'
import { coerceVariables, type VariableValues } from './variables.ts'
import { WrongLists } from './wrong-lists.ts'

export interface PreparedOperation extends Pick<Tree, 'resources' | 'isPublic' | 'hasCan' | 'hasRoute'> {
  readonly operation: Operation
  readonly calls: readonly RootCall[]
  readonly args: readonly Arguments[]
  readonly lists: readonly ListArguments[]
  readonly zones: readonly (readonly Value[])[]
  /** By index of the root that fails with them and must not run. */
  readonly wrongLists: ReadonlyMap<number, WrongLists>
  readonly sent: Variables
  readonly rootMutations: number
  readonly narrows: boolean
  /** Schema coordinates of deprecated parts in use. */
  readonly uses: readonly string[]
}

export interface PrepareDependencies extends SiteContext, Omit<DocumentsDependencies, 'limits'> {
  readonly model: Model
  readonly limits: SiteContext['limits'] & QueryLimits & Pick<Limits, 'plans' | 'planBytes' | 'batch'>
}
export interface OperationRequest {
  readonly operation: Operation
  readonly variables: Variables
  readonly actor: Requester
}
interface Expansion {
  readonly tree: Tree
  readonly complexity: number
  readonly rootMutations: number
  readonly roots: readonly ReadArguments[]
  readonly lists: readonly ReadArguments[]
  readonly uses: ReadUses
}

interface BoundLists extends Pick<PreparedOperation, 'wrongLists'> {
  readonly lists: readonly BoundSite[]
}

export class Preparer {
  readonly #dependencies: PrepareDependencies
  readonly #expansions: BoundedCache<Expansion>
  readonly #calls: BoundedCache<readonly RootCall[]>
  /** Cached with their document. */
  readonly #constant = new WeakMap<Operation, PreparedOperation>()

  constructor(dependencies: PrepareDependencies) {
    const { limits, observeCache } = dependencies
    this.#dependencies = dependencies
    this.#expansions = createBoundedCache(limits.plans, limits.planBytes)
    this.#calls = createBoundedCache(limits.plans, limits.planBytes)
    observeCache?.('operations', this.#expansions.counts)
    observeCache?.('calls', this.#calls.counts)
  }

  prepare(request: OperationRequest): PreparedOperation {
    try {
      return this.#constant.get(request.operation) ?? this.#prepare(request)
    } catch (error) {
      // Limits fail the request as a whole; graphql-js reports arguments that only variables make invalid.
      if (error instanceof Failure) throw new Refusal([entryOf(error)])
      if (error instanceof GraphQLError) throw new Refusal([nullEntry(error, request.variables)])
      throw error
    }
  }

  #prepare({ operation, variables: sent, actor }: OperationRequest): PreparedOperation {
    const { schema, limits, development, vocabulary } = this.#dependencies
    const { variableDefinitions = [] } = operation.node
    const variables = coerceVariables(schema(), variableDefinitions, sent, development)
    const key = keyOf(operation, variables)
    const expansion = this.#expansions.get(key) ?? this.#expand(key, operation, variables)
    const args = expansion.roots.map((read) => read(variables))
    const { lists, wrongLists } = this.#bindLists(expansion, variables, actor)
    requireComplexity(expansion.complexity + sumOf(lists), limits)
    requireNodes(lists.length === 0 ? 0 : countNodes(expansion.tree, args, lists, limits.batch), limits)
    const shapesKey = `${key}|${lists.map((each) => each.key).join('|')}`
    const calls = this.#calls.get(shapesKey) ?? this.#compile(shapesKey, expansion, lists, operation.node)
    const isConstant = variableDefinitions.length === 0
    const prepared = {
      operation,
      calls,
      args,
      lists: lists.map((each) => each.list),
      zones: lists.map(({ summary }) => summary?.zone ?? noZone),
      wrongLists,
      sent: isConstant ? none : sent,
      rootMutations: expansion.rootMutations,
      resources: expansion.tree.resources,
      isPublic: expansion.tree.isPublic && lists.every(isSameForAll),
      hasCan: expansion.tree.hasCan,
      hasRoute: expansion.tree.hasRoute,
      narrows: lists.some(({ isPrivate }) => isPrivate) || expansion.tree.roots.some(leavesOutTenant(args, vocabulary)),
      uses: expansion.uses(sent),
    }
    if (isConstant && wrongLists.size === 0 && lists.every(isOpen)) this.#constant.set(operation, prepared)
    return prepared
  }

  #expand(key: string, operation: Operation, variables: VariableValues): Expansion {
    const { model, schema, limits } = this.#dependencies
    const fields = new FieldCollector(schema(), operation, variables.coerced)
    const complexity = requireWithinLimits(fields, limits)
    const tree = makeTree(fields, model.byGraphqlName)
    const expansion = {
      tree,
      complexity,
      rootMutations: rootMutationsOf(fields),
      roots: tree.roots.map(({ field, nodes, meaning }) =>
        meaning === undefined ? readNone : readerOf(field, nodes[0]!),
      ),
      lists: tree.lists.map(({ field, node }) => readerOf(field, node)),
      uses: compileUses(tree, fields.rootType.name, operation, schema(), this.#dependencies),
    }
    return store(this.#expansions, key, expansion, tree.size * bytesPerTreeField)
  }

  /** Wrong lists are replaced, so that no plan or cache entry is made of them. */
  #bindLists({ tree, lists: readers }: Expansion, variables: VariableValues, actor: Requester): BoundLists {
    if (tree.lists.length === 0) return noLists
    const { vocabulary } = this.#dependencies
    const wrongLists = new Map<number, WrongLists>()
    const lists = tree.lists.map((site, index) => {
      const { values, problems, sentPath } = readers[index]!(variables)
      const details: Detail[] = []
      const list = bindList(site, values, actor, this.#dependencies, details)
      if (details.length + problems.length === 0) return list
      const wrong = getOrInsert(wrongLists, site.root, () => new WrongLists(actor, vocabulary))
      const sent = details.map((each) => ({ ...each, field: sentPath(each.field) }))
      wrong.add({ site, list, details: [...problems, ...sent] })
      return standInFor(site, list, this.#dependencies)
    })
    return { lists, wrongLists: wrongLists.size === 0 ? noneWrong : wrongLists }
  }

  #compile(
    key: string,
    { tree }: Expansion,
    lists: readonly BoundSite[],
    { operation }: OperationDefinitionNode,
  ): readonly RootCall[] {
    const { model, schema } = this.#dependencies
    const calls = compileRoots(tree, lists, schema().getRootType(operation)!, model.byGraphqlName)
    return store(this.#calls, key, calls, tree.size * bytesPerCompiledField)
  }
}

function keyOf(operation: Operation, { coerced }: VariableValues): string {
  const { document, conditions } = operation
  const outcome = conditions.map((name) => Number(coerced[name] === true)).join('')
  return `${document.number}.${document.operations.indexOf(operation)}.${outcome}`
}

/** Sent as null, or missing without a default. */
function nullEntry({ nodes = [], locations }: GraphQLError, sent: Variables) {
  const details = nodes.flatMap(variablesIn).flatMap((field) => {
    const value = Object.hasOwn(sent, field) ? sent[field] : undefined
    return value == null ? [{ field, message: value === null ? 'Must not be null.' : 'Is required.' }] : []
  })
  return entryOf(new Failure('VALIDATION_ERROR', { details }), locations === undefined ? {} : { locations })
}

// Approximate memory per field: in the tree, and compiled with plans for a few classes of actors. (measured on Node 26)
const bytesPerTreeField = 500
const bytesPerCompiledField = 3_500

function store<T>(cache: BoundedCache<T>, key: string, value: T, bytes: number): T {
  cache.set(key, value, 1_000 + bytes)
  return value
}

const isOpen = ({ shape: { resource, filters } }: BoundSite): boolean =>
  filters.every(({ filter: { column } }) => !resource.protect.has(column.field))

/** Whose record that is depends on the caller. (contract 11.2.32) */
const leavesOutTenant =
  (args: readonly Arguments[], { name }: Vocabulary) =>
  ({ meaning }: Tree['roots'][number], at: number): boolean =>
    meaning?.is === 'record' &&
    meaning.key?.tenant != null &&
    args[at]!.values[name(meaning.resource, meaning.key.tenant.field)] == null

const sumOf = (lists: readonly BoundSite[]): number => lists.reduce((sum, { points }) => sum + points, 0)

const isSameForAll = ({ shape, summary }: BoundSite): boolean =>
  summary === undefined ? shape.sort.every(isShown) : summary.isShared

const noZone: readonly Value[] = []
const none: Variables = {}
const noneWrong: ReadonlyMap<number, WrongLists> = new Map()
const noLists: BoundLists = { lists: [], wrongLists: noneWrong }
const readNone: ReadArguments = () => noArguments

/** Records returned by a write are parents too. (contract 8.2.4) */
function countNodes({ roots }: Tree, args: readonly Arguments[], lists: readonly BoundSite[], batch: number): number {
  const sizes = lists.map((each) => each.list.size)
  return roots.reduce((sum, root, index) => {
    const { meaning } = root
    if (meaning?.is !== 'write' && meaning?.is !== 'upsertMany') return sum + nodesOf([root], 1, sizes)
    const { values } = args[index]!
    // Only the effect determines how many records a collection action writes.
    const targets =
      meaning.is !== 'write'
        ? upsertsIn(meaning, values).length
        : meaning.targets === 'collection'
          ? batch
          : targetCount(meaning, values)
    return sum + Math.max(0, ...root.below.map(({ fields }) => nodesOf(fields, targets, sizes)))
  }, 0)
}
