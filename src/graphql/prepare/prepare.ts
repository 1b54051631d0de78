// From a request's text and variables to calls that can be run: parsed, validated, coerced, measured, compiled, bound.
// Whatever is wrong with a request is found here, before anything runs.

import {
  type ASTNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import type { BoundList, ListContext } from '../../action/list-request.ts'
import { type BoundedCache, createBoundedCache, type TellCache } from '../../cache/bounded-cache.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { ListArguments } from '../../read-plan/run.ts'
import type { Actor } from '../../resource/actor.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import type { Operation } from '../document/document.ts'
import { entryOf, Refusal } from '../error.ts'
import { AskedFields, type Variables } from './asked-fields.ts'
import { compileRoots, type RootCall } from './compile.ts'
import { type QueryLimits, requireNodes, requireWithinLimits, rootMutationsOf } from './document-limits.ts'
import { bindList } from './list-arguments.ts'
import { locationsOf } from './location.ts'
import { targetsOf } from './target.ts'
import { type ListSite, makeTree, nodesOf, type Tree } from './tree.ts'
import { compileUses, type ReadUses } from './uses.ts'
import { coerceVariables, type VariableValues } from './variables.ts'

export interface Prepared {
  readonly operation: Operation
  readonly calls: readonly RootCall[]
  /** The arguments of each call. */
  readonly args: readonly Variables[]
  /** The arguments of every paged list of the operation. */
  readonly lists: readonly ListArguments[]
  /** The variables as they were sent. */
  readonly sent: Variables
  readonly rootMutations: number
  /** Whatever it may read. */
  readonly resources: ReadonlySet<ResourceModel>
  /** Whether what it lists is the same for everybody who may read it. */
  readonly isPublic: boolean
  /** The places in the schema of what it uses and what is deprecated. */
  readonly uses: readonly string[]
}

export interface PrepareGiven extends ListContext {
  readonly model: Model
  readonly schema: () => GraphQLSchema
  readonly limits: ListContext['limits'] & QueryLimits & Pick<Limits, 'plans' | 'planBytes' | 'batch'>
  readonly development: boolean
  readonly tellCache?: TellCache | undefined
}
export interface Asking {
  readonly operation: Operation
  readonly variables: Variables
  readonly actor: Actor | null
}
/** Throws a Refusal: VALIDATION_ERROR, QUERY_TOO_DEEP, QUERY_TOO_COMPLEX. */
export type Prepare = (asking: Asking) => Prepared

/** An operation for one outcome of its directives. */
interface Expansion {
  readonly tree: Tree
  readonly rootMutations: number
  readonly roots: readonly ReadArguments[]
  readonly lists: readonly ReadArguments[]
  readonly uses: ReadUses
}
type ReadArguments = (variables: VariableValues) => Variables

export function createPrepare(given: PrepareGiven): Prepare {
  const { model, limits, development } = given
  const expansions = createBoundedCache<Expansion>(limits.plans, limits.planBytes)
  const compiled = createBoundedCache<readonly RootCall[]>(limits.plans, limits.planBytes)
  given.tellCache?.('operations', expansions.counts)
  given.tellCache?.('calls', compiled.counts)

  function expand(operation: Operation, variables: VariableValues): Expansion {
    const asked = new AskedFields(given.schema(), operation, variables.coerced)
    requireWithinLimits(asked, limits)
    const tree = makeTree(asked, model.byName)
    return {
      tree,
      rootMutations: rootMutationsOf(asked),
      roots: tree.roots.map(({ field, nodes, meaning }) =>
        meaning === undefined ? noArguments : readerOf(field, nodes[0]!),
      ),
      lists: tree.lists.map(({ field, node }) => readerOf(field, node)),
      uses: compileUses(tree, asked.rootType.name, operation, given.schema()),
    }
  }

  function bindLists({ tree, lists }: Expansion, variables: VariableValues, actor: Actor | null): readonly BoundList[] {
    const refused: { site: ListSite; details: Detail[] }[] = []
    const bound = tree.lists.map((site, index) => {
      const details: Detail[] = []
      const list = bindList(site, lists[index]!(variables), actor, given, details)
      if (details.length > 0) refused.push({ site, details })
      return list
    })
    if (refused.length === 0) return bound
    throw new Refusal(
      refused.map(({ site, details }) =>
        entryOf(new Failure('VALIDATION_ERROR', { details }), locationsOf([site.node])),
      ),
    )
  }

  const keepExpansion = (key: string, expansion: Expansion): Expansion =>
    keep(expansions, key, expansion, expansion.tree.size * bytesPerTreeField)

  function compile(key: string, { tree }: Expansion, lists: readonly BoundList[], node: OperationDefinitionNode) {
    const shapes = lists.map((each) => each.shape)
    const calls = compileRoots(tree, shapes, given.schema().getRootType(node.operation)!, model.byName)
    return keep(compiled, key, calls, tree.size * bytesPerCompiledField)
  }

  /** What nothing in a request changes is prepared once, as long as its document is remembered. */
  const fixed = new WeakMap<Operation, Prepared>()

  function prepare({ operation, variables: sent, actor }: Asking): Prepared {
    const known = fixed.get(operation)
    if (known !== undefined) return known
    const { node, document, conditions } = operation
    const { variableDefinitions = [] } = node
    const variables = coerceVariables(given.schema(), variableDefinitions, sent, development)
    const outcome = conditions.map((name) => Number(variables.coerced[name] === true)).join('')
    const key = `${document.number}.${document.operations.indexOf(operation)}.${outcome}`
    const expansion = expansions.get(key) ?? keepExpansion(key, expand(operation, variables))
    const args = expansion.roots.map((read) => read(variables))
    const lists = bindLists(expansion, variables, actor)
    requireNodes(lists.length === 0 ? 0 : countNodes(expansion.tree, args, lists, limits.batch), limits)
    const shapesKey = `${key}|${lists.map((each) => each.key).join('|')}`
    const calls = compiled.get(shapesKey) ?? compile(shapesKey, expansion, lists, node)
    const isFixed = variableDefinitions.length === 0
    const prepared = {
      operation,
      calls,
      args,
      lists: lists.map((each) => each.list),
      sent: isFixed ? none : sent,
      rootMutations: expansion.rootMutations,
      resources: expansion.tree.resources,
      isPublic: expansion.tree.isPublic,
      uses: expansion.uses(sent),
    }
    if (isFixed && lists.every(isOpen)) fixed.set(operation, prepared)
    return prepared
  }

  return (asking) => {
    try {
      return prepare(asking)
    } catch (error) {
      // Limits are failures of the request as a whole, arguments that only their variables spoil are graphql-js's.
      if (error instanceof Failure) throw new Refusal([entryOf(error)])
      if (error instanceof GraphQLError) throw new Refusal([spoilt(error, asking.variables)])
      throw error
    }
  }
}

/** A variable that may be null stands where nothing may be: null was sent, or nothing and there is no default. */
function spoilt({ nodes = [], locations }: GraphQLError, sent: Variables) {
  const details = nodes.flatMap(variablesIn).flatMap((field) => {
    const value = Object.hasOwn(sent, field) ? sent[field] : undefined
    return value == null ? [{ field, message: value === null ? 'Must not be null.' : 'Is required.' }] : []
  })
  return entryOf(new Failure('VALIDATION_ERROR', { details }), locations === undefined ? {} : { locations })
}

// What one field holds on to: in the tree, and compiled, with the plans of a few classes of actors. (measured on Node 26)
const bytesPerTreeField = 500
const bytesPerCompiledField = 3_500

function keep<T>(cache: BoundedCache<T>, key: string, value: T, bytes: number): T {
  cache.set(key, value, 1_000 + bytes)
  return value
}

/** Whether everybody may sort and filter like this. */
const isOpen = ({ shape: { resource, sort, filters } }: BoundList): boolean =>
  [...sort, ...filters.map(({ filter }) => filter)].every(({ column }) => !resource.protect.has(column.field))

const none: Variables = {}
const noArguments: ReadArguments = () => none

/** Arguments without variables are coerced once. */
function readerOf(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  if (hasVariables(node)) return (variables) => getArgumentValues(field, node, variables, undefined, true)
  const constant = getArgumentValues(field, node, undefined, undefined, true)
  return () => constant
}

const hasVariables = ({ arguments: args = [] }: FieldNode): boolean => args.flatMap(variablesIn).length > 0

function variablesIn(node: ASTNode): readonly string[] {
  const names: string[] = []
  visit(node, {
    [Kind.VARIABLE]({ name }) {
      names.push(name.value)
    },
  })
  return names
}

/** Records that a write answers are parents too, though they are not a paged list. (contract 8.2.4) */
function countNodes({ roots }: Tree, args: readonly Variables[], lists: readonly BoundList[], batch: number): number {
  const sizes = lists.map((each) => each.list.size)
  return roots.reduce((sum, root, index) => {
    const { meaning } = root
    if (meaning?.is !== 'write') return sum + nodesOf([root], 1, sizes)
    // How many an action on the collection will write, only its effect knows.
    const targets = meaning.targets === 'collection' ? batch : targetsOf(meaning, args[index]!).length
    return sum + Math.max(0, ...root.below.map(({ fields }) => nodesOf(fields, targets, sizes)))
  }, 0)
}
