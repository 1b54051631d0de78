// The GraphQL face, independent of the transport.

import type { GraphQLSchema } from 'graphql'
import type { Runner } from '../action/call.ts'
import type { ObserveCache } from '../cache/bounded-cache.ts'
import { graphqlFieldOf, type RouteDefinition } from '../custom-route/definition.ts'
import { compileRun, type RouteDependencies } from '../custom-route/run.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Dialect } from '../read-plan/selection.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import type { Model } from '../resource/model/model.ts'
import { graphqlVocabulary, restVocabulary } from '../resource/model/vocabulary.ts'
import { createDocuments, type Operation, selectOperation } from './document/document.ts'
import { entryOf, Refusal } from './error.ts'
import { type Executed, execute } from './execute/execute.ts'
import type { Caller, RunDependencies } from './execute/run-call.ts'
import type { TakeRoute } from './execute/run-route.ts'
import { createPersistedQueries, createRegisteredTexts, type Texts } from './prepare/persisted-queries.ts'
import { type PreparedOperation, Preparer } from './prepare/prepare.ts'
import type { GraphqlRequest } from './prepare/request.ts'
import { makeSchema } from './schema/schema.ts'

export interface GraphqlDependencies {
  readonly model: Model
  readonly runner: Runner
  readonly limits: Limits
  readonly dialect: Dialect
  /** Development: introspection, and suggestions for misspelt names. (contract 5.4.4) */
  readonly development: boolean
  readonly reportBug: RunDependencies['reportBug']
  /** By default any text, or one registered in this process. */
  readonly texts?: Texts
  /** Called for each operation with deprecated parts. (contract 9.4.1) */
  readonly noteUse?: NoteUse
  readonly observeCache?: ObserveCache | undefined
  readonly routes?: RouteDependencies & { readonly definitions: readonly RouteDefinition[] }
}

/** Throws if the transport does not allow the operation. */
export type Permit = (operation: Operation) => void

/** Fails with RATE_LIMIT_EXCEEDED. */
export type TakeRequests = (count: number) => Promise<void>
/** What an operation counts in addition to its request. */
export interface Takes {
  readonly takeRequests: TakeRequests
  readonly takeRoute: TakeRoute
}

export interface Face {
  readonly schema: () => GraphQLSchema
  readonly takesAnyId: boolean
  /** Validates a request without running it. Throws a Refusal, or what `permit` throws. */
  prepare(request: GraphqlRequest, caller: Caller, permit?: Permit): Promise<PreparedOperation>
  /** Rejects with a Failure if `takeRequests` does, or as `execute` for an answer that is too large. */
  run(prepared: PreparedOperation, caller: Caller, takeRequests: TakeRequests): Promise<Executed>
  /** Prepares and runs; a refused request is an answer without data. */
  execute(request: GraphqlRequest, caller: Caller, takeRequests: TakeRequests): Promise<Executed>
}

export function createFace(dependencies: GraphqlDependencies): Face {
  const { model, runner, dialect, development, reportBug, routes } = dependencies
  const definitions = routes?.definitions.filter((each) => graphqlFieldOf(each) !== null) ?? []
  const limits = {
    ...dependencies.limits,
    defaultPageSize: Math.min(dependencies.limits.defaultPageSize, dependencies.limits.pageSize),
  }
  const vocabulary = graphqlVocabulary()
  let cachedSchema: GraphQLSchema | undefined
  const schema = () => {
    cachedSchema ??= makeSchema(model, vocabulary, limits, definitions)
    return cachedSchema
  }
  const { observeCache } = dependencies
  const readDocument = createDocuments({ schema, limits, development, observeCache })
  const older = model.versions.slice(0, -1).map(restVocabulary)
  const names = { vocabulary, textVocabulary: { ...restVocabulary(model.versions.at(-1)!), older } }
  const preparer = new Preparer({
    model,
    schema,
    limits,
    dialect,
    form: 'typed',
    ...names,
    development,
    observeCache,
  })
  const texts = dependencies.texts ?? createRegisteredTexts(createPersistedQueries(limits, undefined, observeCache))
  const routeRuns = new Map(definitions.map((each) => [each, compileRun(each, vocabulary, routes!)]))
  const runDependencies: RunDependencies = { runner, schema, vocabulary, limits, reportBug, routes: routeRuns }

  async function prepare(request: GraphqlRequest, caller: Caller, permit?: Permit): Promise<PreparedOperation> {
    const text = texts.textOf(request)
    const document = readDocument(typeof text === 'string' ? text : await text)
    // Registers only valid documents.
    if (request.hash !== null && request.query !== null) await texts.keep(request)
    const operation = selectOperation(document, request.operationName)
    caller.operation = operation.watched
    permit?.(operation)
    const prepared = preparer.prepare({ operation, variables: request.variables, actor: caller.actor })
    if (prepared.uses.length > 0) dependencies.noteUse?.(prepared.uses, caller.actor, caller.clientName)
    return prepared
  }

  function run(prepared: PreparedOperation, caller: Caller, takeRequests: TakeRequests): Promise<Executed> {
    const execution = () => execute(prepared, caller, runDependencies)
    // The first was counted on arrival. (contract 8.2.5)
    return prepared.rootMutations > 1 ? takeRequests(prepared.rootMutations - 1).then(execution) : execution()
  }

  return {
    schema,
    takesAnyId: texts.takesAnyId,
    prepare,
    run,
    async execute(request, caller, takeRequests) {
      try {
        return await run(await prepare(request, caller), caller, takeRequests)
      } catch (error) {
        if (error instanceof Refusal)
          return { body: JSON.stringify({ errors: error.errors }), failure: error.errors[0]!.extensions.code }
        if (error instanceof Failure) return { body: JSON.stringify({ errors: [entryOf(error)] }), failure: error.code }
        throw error
      }
    },
  }
}
