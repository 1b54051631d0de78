// From a request's text and variables to calls that can be run: parsed, validated, coerced, measured, compiled, bound.
// Whatever is wrong with a request is found here, before anything runs; wrong lists fail with their root field.

import { GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql'
import { type BoundedCache, createBoundedCache, type TellCache } from '../../cache/bounded-cache.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { ListArguments } from '../../read-plan/run.ts'
import { isShown, type Value } from '../../read-plan/selection.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import type { Operation } from '../document/document.ts'
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
import { type ReadArguments, readerOf, variablesIn } from './read-arguments.ts'
import { targetsOf } from './target.ts'
import { makeTree, nodesOf, type Tree } from './tree.ts'
import { compileUses, type ReadUses } from './uses.ts'
import { coerceVariables, type VariableValues } from './variables.ts'
import { WrongLists } from './wrong-lists.ts'

export interface PreparedOperation {
  readonly operation: Operation
  readonly calls: readonly RootCall[]
  /** The arguments of each call. */
  readonly args: readonly Variables[]
  /** The arguments of every paged list of the operation. */
  readonly lists: readonly ListArguments[]
  /** The clocks of each of them that is a summary. */
  readonly zones: readonly (readonly Value[])[]
  /** By the index of the root that fails with them. Others stand in for them among the lists, with which nothing may run. */
  readonly wrongLists: ReadonlyMap<number, WrongLists>
  /** The variables as they were sent. */
  readonly sent: Variables
  readonly rootMutations: number
  /** Whatever it may read. */
  readonly resources: ReadonlySet<ResourceModel>
  /** Whether what it lists is the same for everybody who may read it. */
  readonly isPublic: boolean
  /** Whether it tells what the reader may do. */
  readonly tellsCan: boolean
  /** Whether a condition says which records are in a list. */
  readonly narrows: boolean
  /** The places in the schema of what it uses and what is deprecated. */
  readonly uses: readonly string[]
}

export interface PrepareDependencies extends SiteContext {
  readonly model: Model
  readonly schema: () => GraphQLSchema
  readonly limits: SiteContext['limits'] & QueryLimits & Pick<Limits, 'plans' | 'planBytes' | 'batch'>
  readonly development: boolean
  readonly tellCache?: TellCache | undefined
}
export interface OperationRequest {
  readonly operation: Operation
  readonly variables: Variables
  readonly actor: Requester
}
/** An operation for one outcome of its directives. */
interface Expansion {
  readonly tree: Tree
  /** In points, without what its conditions ask. */
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
  /** What nothing in a request changes is prepared once, as long as its document is remembered. */
  readonly #constant = new WeakMap<Operation, PreparedOperation>()

  constructor(dependencies: PrepareDependencies) {
    const { limits, tellCache } = dependencies
    this.#dependencies = dependencies
    this.#expansions = createBoundedCache(limits.plans, limits.planBytes)
    this.#calls = createBoundedCache(limits.plans, limits.planBytes)
    tellCache?.('operations', this.#expansions.counts)
    tellCache?.('calls', this.#calls.counts)
  }

  /** Throws a Refusal: VALIDATION_ERROR, QUERY_TOO_DEEP, QUERY_TOO_COMPLEX. */
  prepare(request: OperationRequest): PreparedOperation {
    try {
      return this.#constant.get(request.operation) ?? this.#prepare(request)
    } catch (error) {
      // Limits are failures of the request as a whole, arguments that only their variables spoil are graphql-js's.
      if (error instanceof Failure) throw new Refusal([entryOf(error)])
      if (error instanceof GraphQLError) throw new Refusal([nullEntry(error, request.variables)])
      throw error
    }
  }

  #prepare({ operation, variables: sent, actor }: OperationRequest): PreparedOperation {
    const { schema, limits, development } = this.#dependencies
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
      tellsCan: expansion.tree.tellsCan,
      narrows: lists.some(({ shape }) => shape.where != null || shape.search != null),
      uses: expansion.uses(sent),
    }
    if (isConstant && wrongLists.size === 0 && lists.every(isOpen)) this.#constant.set(operation, prepared)
    return prepared
  }

  #expand(key: string, operation: Operation, variables: VariableValues): Expansion {
    const { model, schema, limits } = this.#dependencies
    const fields = new FieldCollector(schema(), operation, variables.coerced)
    const complexity = requireWithinLimits(fields, limits)
    const tree = makeTree(fields, model.byName)
    const expansion = {
      tree,
      complexity,
      rootMutations: rootMutationsOf(fields),
      roots: tree.roots.map(({ field, nodes, meaning }) =>
        meaning === undefined ? noArguments : readerOf(field, nodes[0]!),
      ),
      lists: tree.lists.map(({ field, node }) => readerOf(field, node)),
      uses: compileUses(tree, fields.rootType.name, operation, schema()),
    }
    return store(this.#expansions, key, expansion, tree.size * bytesPerTreeField)
  }

  /** A wrong list is replaced, so that neither plans nor what is remembered are made of it. */
  #bindLists({ tree, lists: readers }: Expansion, variables: VariableValues, actor: Requester): BoundLists {
    if (tree.lists.length === 0) return noLists
    const { vocabulary } = this.#dependencies
    const wrongLists = new Map<number, WrongLists>()
    const lists = tree.lists.map((site, index) => {
      const details: Detail[] = []
      const list = bindList(site, readers[index]!(variables), actor, this.#dependencies, details)
      if (details.length === 0) return list
      const wrong = getOrInsert(wrongLists, site.root, () => new WrongLists(actor, vocabulary))
      wrong.add({ site, list, details })
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
    const calls = compileRoots(tree, lists, schema().getRootType(operation)!, model.byName)
    return store(this.#calls, key, calls, tree.size * bytesPerCompiledField)
  }
}

/** An operation, and which of its directives leave something in. */
function keyOf(operation: Operation, { coerced }: VariableValues): string {
  const { document, conditions } = operation
  const outcome = conditions.map((name) => Number(coerced[name] === true)).join('')
  return `${document.number}.${document.operations.indexOf(operation)}.${outcome}`
}

/** A variable that may be null stands where nothing may be: null was sent, or nothing and there is no default. */
function nullEntry({ nodes = [], locations }: GraphQLError, sent: Variables) {
  const details = nodes.flatMap(variablesIn).flatMap((field) => {
    const value = Object.hasOwn(sent, field) ? sent[field] : undefined
    return value == null ? [{ field, message: value === null ? 'Must not be null.' : 'Is required.' }] : []
  })
  return entryOf(new Failure('VALIDATION_ERROR', { details }), locations === undefined ? {} : { locations })
}

// What one field holds on to: in the tree, and compiled, with the plans of a few classes of actors. (measured on Node 26)
const bytesPerTreeField = 500
const bytesPerCompiledField = 3_500

function store<T>(cache: BoundedCache<T>, key: string, value: T, bytes: number): T {
  cache.set(key, value, 1_000 + bytes)
  return value
}

/** Whether everybody may filter like this. */
const isOpen = ({ shape: { resource, filters } }: BoundSite): boolean =>
  filters.every(({ filter: { column } }) => !resource.protect.has(column.field))

/** What conditions ask, in points. */
const sumOf = (lists: readonly BoundSite[]): number => lists.reduce((sum, { points }) => sum + points, 0)

const isSameForAll = ({ shape, summary }: BoundSite): boolean =>
  summary === undefined ? shape.sort.every(isShown) : summary.isShared

const noZone: readonly Value[] = []
const none: Variables = {}
const noneWrong: ReadonlyMap<number, WrongLists> = new Map()
const noLists: BoundLists = { lists: [], wrongLists: noneWrong }
const noArguments: ReadArguments = () => none

/** Records that a write answers are parents too, though they are not a paged list. (contract 8.2.4) */
function countNodes({ roots }: Tree, args: readonly Variables[], lists: readonly BoundSite[], batch: number): number {
  const sizes = lists.map((each) => each.list.size)
  return roots.reduce((sum, root, index) => {
    const { meaning } = root
    if (meaning?.is !== 'write') return sum + nodesOf([root], 1, sizes)
    // How many an action on the collection will write, only its effect knows.
    const targets = meaning.targets === 'collection' ? batch : targetsOf(meaning, args[index]!).length
    return sum + Math.max(0, ...root.below.map(({ fields }) => nodesOf(fields, targets, sizes)))
  }, 0)
}
