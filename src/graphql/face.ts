// The GraphQL face: one request, from its text to its answer, whatever it came by.

import type { GraphQLSchema } from 'graphql'
import type { Runner } from '../action/call.ts'
import type { TellCache } from '../cache/bounded-cache.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import { CursorBindings } from '../read-plan/cursor.ts'
import type { Dialect } from '../read-plan/selection.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import type { Model } from '../resource/model/model.ts'
import { graphqlVocabulary, restVocabulary } from '../resource/model/vocabulary.ts'
import { createDocuments, type Operation, selectOperation } from './document/document.ts'
import { entryOf, Refusal } from './error.ts'
import { type Executed, execute } from './execute/execute.ts'
import type { Asker, RunDependencies } from './execute/run-call.ts'
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
  /** Told of what should never happen. */
  readonly reportBug: RunDependencies['reportBug']
  /** Which text a request means: any, or one that was registered in this process, unless said. */
  readonly texts?: Texts
  /** Told of every operation that uses what is deprecated. (contract 9.4.1) */
  readonly noteUse?: NoteUse
  readonly tellCache?: TellCache | undefined
}

/** Throws where an operation cannot be run the way it came. */
export type Permit = (operation: Operation) => void

/** Counts requests beyond the first against the rate limits. Fails with RATE_LIMIT_EXCEEDED. */
export type TakeRequests = (count: number) => Promise<void>

export interface Face {
  readonly schema: () => GraphQLSchema
  /** True where requests name documents by any id. */
  readonly takesAnyId: boolean
  /** Reads and checks a request; nothing runs. Throws a Refusal, or what `permit` throws. */
  prepare(request: GraphqlRequest, asker: Asker, permit?: Permit): Promise<PreparedOperation>
  /**
   * Runs what was prepared. Rejects with a Failure where `takeRequests` does, and with what `execute` does where the answer
   * is too large.
   */
  run(prepared: PreparedOperation, asker: Asker, takeRequests: TakeRequests): Promise<Executed>
  /** Both, for whoever needs no more of it: what is refused is an answer without data. */
  execute(request: GraphqlRequest, asker: Asker, takeRequests: TakeRequests): Promise<Executed>
}

export function createFace(dependencies: GraphqlDependencies): Face {
  const { model, runner, dialect, development, reportBug } = dependencies
  const limits = {
    ...dependencies.limits,
    defaultPageSize: Math.min(dependencies.limits.defaultPageSize, dependencies.limits.pageSize),
  }
  const vocabulary = graphqlVocabulary()
  let cachedSchema: GraphQLSchema | undefined
  const schema = () => {
    cachedSchema ??= makeSchema(model, vocabulary, limits)
    return cachedSchema
  }
  const { tellCache } = dependencies
  const documents = createDocuments({ schema, limits, development, tellCache })
  const bindings = new CursorBindings()
  const names = { vocabulary, textVocabulary: restVocabulary(model.versions.at(-1)!) }
  const preparer = new Preparer({ model, schema, limits, dialect, ...names, bindings, development, tellCache })
  const texts = dependencies.texts ?? createRegisteredTexts(createPersistedQueries(limits, undefined, tellCache))
  const runDependencies: RunDependencies = { runner, schema, vocabulary, limits, reportBug }

  async function prepare(request: GraphqlRequest, asker: Asker, permit?: Permit): Promise<PreparedOperation> {
    const text = texts.textOf(request)
    const document = documents.read(typeof text === 'string' ? text : await text)
    // Only what is a document of this schema is worth remembering.
    if (request.persisted !== null && request.query !== null) await texts.keep(request)
    const operation = selectOperation(document, request.operationName)
    asker.operation = operation.watched
    permit?.(operation)
    const prepared = preparer.prepare({ operation, variables: request.variables, actor: asker.actor })
    if (prepared.uses.length > 0) dependencies.noteUse?.(prepared.uses, asker.actor, asker.clientName)
    return prepared
  }

  function run(prepared: PreparedOperation, asker: Asker, takeRequests: TakeRequests): Promise<Executed> {
    const execution = () => execute(prepared, asker, runDependencies)
    // The request itself was the first of them. (contract 8.2.5)
    return prepared.rootMutations > 1 ? takeRequests(prepared.rootMutations - 1).then(execution) : execution()
  }

  return {
    schema,
    takesAnyId: texts.takesAnyId,
    prepare,
    run,
    async execute(request, asker, takeRequests) {
      try {
        return await run(await prepare(request, asker), asker, takeRequests)
      } catch (error) {
        // What is refused as a whole is told in the same form as what fails in part.
        if (error instanceof Refusal)
          return { body: JSON.stringify({ errors: error.errors }), failure: error.errors[0]!.extensions.code }
        if (error instanceof Failure) return { body: JSON.stringify({ errors: [entryOf(error)] }), failure: error.code }
        throw error
      }
    },
  }
}
