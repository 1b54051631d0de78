// Puts the parts together: from a definition and a configuration to a service that listens.

import { createHmac } from 'node:crypto'
import type { RunnerContext } from '../action/context.ts'
import { idempotencyTable } from '../action/idempotency.ts'
import { createRunner } from '../action/run.ts'
import { createRequireKnownScopes } from '../authentication/api-key/known-scopes.ts'
import { authenticationTables, openAuthentication } from '../authentication/authentication.ts'
import { installationSecret } from '../authentication/installation-secret.ts'
import type { TrustedIssuer } from '../authentication/issuer/outside-issuer.ts'
import { openKeyRing } from '../authentication/key/key-ring.ts'
import { createKeyStorage } from '../authentication/key/key-storage.ts'
import { SharedRoom } from '../budget/answer-room.ts'
import { createUsage, type Usage } from '../deprecation/usage.ts'
import { eventTables, type OutboxEvent } from '../event/outbox.ts'
import type { ReportBug } from '../graphql/execute/run-call.ts'
import { createGraphqlFace } from '../graphql/http.ts'
import { deprecationsIn } from '../graphql/schema/deprecation.ts'
import type { Credential } from '../graphql/subscription/session.ts'
import { createSockets } from '../graphql/subscription/sockets.ts'
import { isSameOrigin, parseAllowedOrigins } from '../http/cors.ts'
import { readJson } from '../http/message/read-json.ts'
import { parseTrustProxy } from '../http/server/address.ts'
import { HttpServer } from '../http/server/server.ts'
import { createMailer } from '../mail/mailer.ts'
import type { Log } from '../observation/log.ts'
import { openTraces } from '../observation/trace.ts'
import { watchAll } from '../observation/watch.ts'
import { createRateLimiter } from '../rate-limit/rate-limiter.ts'
import { readReactions } from '../reaction/definition.ts'
import type { Reaction } from '../reaction/on.ts'
import type { Reactions } from '../reaction/reactions.ts'
import { reactionTables } from '../reaction/tables.ts'
import { createPlanCache } from '../read-plan/plan-cache.ts'
import type { Service } from '../resource/language/service.ts'
import { makeId } from '../resource/model/id.ts'
import type { Model } from '../resource/model/model.ts'
import { routeScopes } from '../rest/custom-route/access.ts'
import { routeLimits } from '../rest/custom-route/definition.ts'
import type { AuthorRoute } from '../rest/custom-route/route.ts'
import type { DocumentInfo } from '../rest/openapi/given.ts'
import type { CursorForm } from '../rest/page.ts'
import { createRestFace } from '../rest/rest-face.ts'
import { measureStore } from '../store/measured.ts'
import { migrate } from '../store/migration/migrate.ts'
import { dialectOf } from '../store/sql/dialect.ts'
import { desiredSchema } from '../store/sql/schema.ts'
import type { Store } from '../store/store.ts'
import { traceStore } from '../store/traced.ts'
import { requireSoundRoutes } from './check-routes.ts'
import { compileService } from './compile-service.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { openDemoExamples } from './demo-examples.ts'
import { deprecationsOf } from './deprecations.ts'
import { createDrain } from './drain.ts'
import { describeEndpoints } from './endpoints.ts'
import { createHealth } from './health.ts'
import { createLoadShedder } from './load-shedding.ts'
import { startMaintenance } from './maintenance.ts'
import { createServiceMetrics } from './metrics.ts'
import { openRequestCounter } from './open-counter.ts'
import { openDocumentSource } from './open-documents.ts'
import { openEventStream } from './open-events.ts'
import { openExplorer } from './open-explorer.ts'
import { openFilesMax, tooFewFiles } from './open-files.ts'
import { startReactions } from './open-reactions.ts'
import { openStore } from './open-store.ts'
import { createPipeline } from './pipeline.ts'
import { createRefusalThrottle } from './refusal-throttle.ts'
import { type Demo, seedDemo } from './seed.ts'
import { Shutdown } from './shutdown.ts'
import { tracePipeline } from './traced-pipeline.ts'

const internalTables = [...authenticationTables, idempotencyTable, eventTables, reactionTables]

export interface StartOptions {
  readonly configuration: Configuration
  readonly log: Log
  readonly clock: () => Date
  /** Outside issuers whose access tokens are believed beside our own. */
  readonly issuers?: readonly TrustedIssuer[]
  /** How the OpenAPI documents introduce the service. */
  readonly info?: DocumentInfo
  /** How REST tells of further pages by cursor. */
  readonly cursorForm?: CursorForm
  /** Addresses of the author's own. */
  readonly routes?: readonly AuthorRoute[]
  /** The only GraphQL documents that are run, as JSON has them. */
  readonly trustedDocuments?: object
  /** What the service itself does about events. */
  readonly reactions?: readonly Reaction[]
  /** From 0 up to 1: spreads what is tried again. */
  readonly random?: () => number
  /** Fills a new, empty database when `DEMO_DATA` is on; the password is given hashed. */
  readonly demo?: Demo
}
export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly model: Model
  readonly store: Store
  /** True where this start filled an empty database. */
  readonly isSeeded: boolean
  /** The paths of the pages for developers that a browser can open. */
  pages(): Promise<readonly string[]>
  /** Where metrics are collected; null where they are not. */
  readonly metricsUrl: string | null
  /** Null where there are none. */
  readonly reactions: Reactions | null
  /** Counts of who uses what is deprecated. */
  readonly usage: Usage
  /** Resolves once the events of earlier writes were read and handed on. */
  settled(): Promise<void>
  /** Is not ready any more; then, after `drainSeconds`, stops accepting, finishes what runs, closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a service. Fails with ServiceDefinitionError where the definition contradicts itself, and with an Error whose
 * sentence names the variable where the configuration cannot be.
 */
export async function startService(definition: Service<unknown>, options: StartOptions): Promise<RunningService> {
  const shutdown = new Shutdown(options.configuration.limits, options.log)
  try {
    return await openService(definition, options, shutdown)
  } catch (error) {
    // What was opened would keep the process, and everybody who waits for its end. Why it cannot start is told already.
    await shutdown.close().catch(() => undefined)
    throw error
  }
}

/** Notes how to close whatever it opens. */
async function openService(
  definition: Service<unknown>,
  options: StartOptions,
  shutdown: Shutdown,
): Promise<RunningService> {
  const { resources: opened } = shutdown
  const { configuration, log, clock, demo, info, cursorForm, issuers = [], routes = [] } = options
  const { limits } = configuration
  const model = compileService(definition)
  requireSoundRoutes(routes, model, limits)
  const definitions = readReactions(options.reactions ?? [], model, limits)
  const baseUrl = configuration.baseUrl ?? `http://${configuration.host}:${configuration.port}`
  const allowedOrigins = configured(() => parseAllowedOrigins(configuration.allowedOrigins ?? undefined, baseUrl))
  const trustProxy = configured(() => parseTrustProxy(configuration.trustProxy ?? undefined))
  const drain = createDrain(configuration.drainSeconds, limits)
  const files = tooFewFiles(openFilesMax(), limits)
  if (files !== null) log.warn(files)
  for (const warning of configuration.warnings) log.warn(warning)

  const storeOptions = {
    limits,
    log: { warn: (sentence: string) => log.warn(sentence), error: (sentence: string) => log.error(sentence) },
  }
  const database = await openStore(configuration.databaseUrl, storeOptions).catch((error: Error) => {
    throw new ConfigurationError(error.message)
  })
  opened.defer(() => database.close())
  const metrics = configuration.metricsPort === null ? null : createServiceMetrics(clock)
  const traces = await openTraces((sentence) => log.warn(sentence))
  const measured = metrics === null ? database : measureStore(database, metrics.store)
  const store = traces === null ? measured : traceStore(measured, traces)
  const dialect = dialectOf(store.engine)
  await migrate(store, desiredSchema(model, dialect, internalTables))

  const keys = await openKeyRing(
    {
      algorithm: configuration.jwtAlgorithm,
      secret: configuration.jwtSecret ?? undefined,
      storage: createKeyStorage(store),
      limits,
    },
    clock(),
  )
  const mailer = createMailer({ ...configuration, baseUrl, log, limits })
  opened.defer(() => mailer.close())
  const authentication = await openAuthentication({
    model,
    store,
    keys,
    issuers,
    limits,
    clock,
    log,
    issuer: baseUrl,
    audience: configuration.audience ?? baseUrl,
    refreshTokenIn: configuration.refreshTokenIn,
    isSameOrigin: ({ origin, host }) => origin !== undefined && isSameOrigin(origin, host, allowedOrigins),
    sendMail: mailer.send,
    passwordResetUrl: configuration.passwordResetUrl,
    readJson: (bytes) => readJson(bytes, limits),
  })
  opened.defer(() => authentication.close())
  const secret = await installationSecret('idempotency', store)

  const plans = createPlanCache(model, dialect)
  let reactions: Reactions | null = null
  const hear = (event: OutboxEvent) => reactions?.hear(event)
  const answers = new SharedRoom(limits.answersBytes)
  const stream = { configuration, model, store, dialect, plans, log, answers, metrics, hear }
  const { outbox, hub, feed, announce, settled } = await openEventStream(stream, opened)
  const context: RunnerContext = {
    model,
    store,
    dialect,
    limits,
    clock,
    plans,
    newId: (resource, now) => makeId(resource.prefix, now),
    secrets: {
      hashPassword: authentication.hashPassword,
      makeToken: authentication.makeToken,
      fingerprint: (text) => createHmac('sha256', secret).update(text).digest('base64url'),
    },
    beforeValidation: authentication.guard,
    afterValidation: createRequireKnownScopes(model, routeScopes(routes)),
    emit: outbox.emit,
    changed: authentication.changed,
    committed: (change) => {
      authentication.committed(change, clock())
      if (change.events.length > 0) announce()
    },
  }
  const runner = createRunner(context)
  const isSeeded =
    demo !== undefined && configuration.demoData && (await seedDemo(demo, model, store, authentication.hashPassword))
  const examples = await openDemoExamples(configuration, { demo, model, store })
  const endpoints = describeEndpoints(model, configuration, examples?.account)
  const { counter, redis, checks } = await openRequestCounter(configuration, log)
  opened.defer(() => counter.close())
  const reportBug: ReportBug = (bug, requestId, secrets = []) =>
    log.error('A GraphQL field failed unexpectedly.', { err: bug, requestId }, secrets)
  const queryTexts = await openDocumentSource(configuration, options.trustedDocuments, metrics?.tellCache)
  opened.defer(() => queryTexts.close())
  const usage = createUsage({
    resource: model.byName.get('DeprecatedUse')!,
    store,
    deprecations: () => deprecationsOf(model, deprecationsIn(graphql.schema())),
    limits,
    clock,
    log,
  })
  opened.defer(() => usage.flush())
  const graphql = createGraphqlFace({
    noteUse: usage.note,
    model,
    texts: queryTexts.texts,
    runner,
    limits,
    dialect,
    development: !configuration.production,
    reportBug,
    tellCache: metrics?.tellCache,
  })
  const identify = async (credential: Credential, now: Date) => authentication.identify(credential, now)
  const watch = watchAll([log.watch, metrics?.watch])
  const sockets = createSockets({
    face: graphql,
    answers,
    runner,
    hub,
    outbox,
    feed,
    limits,
    reportBug,
    identify,
    clock,
    watch,
    ...(traces === null ? {} : { traces }),
  })
  shutdown.beforeClose(() => sockets.close())
  const shedder = createLoadShedder({ limits, now: () => performance.now(), afterTurn: setImmediate, log })
  const throttle = createRefusalThrottle({ limits, now: () => performance.now() })
  const limiter = createRateLimiter({ limits, counter, routeLimits: routeLimits(routes) })
  const explorer = openExplorer(configuration, { model, store, demo })
  const pipeline = createPipeline({
    authentication,
    shedder,
    throttle,
    limiter,
    rest: createRestFace({
      noteUse: usage.note,
      model,
      runner,
      limits,
      dialect,
      authorRoutes: routes,
      endpoints,
      ...(examples === null ? {} : { findExample: examples.find }),
      ...(info === undefined ? {} : { info }),
      ...(cursorForm === undefined ? {} : { cursorForm }),
    }),
    graphql,
    sockets,
    health: createHealth({
      needed: { database: () => store.ping() },
      useful: checks,
      isDraining: () => drain.isBegun,
      limits,
    }),
    explorer,
    paths: new Set(['/graphql', '/docs', ...endpoints.map(({ path }) => path)]),
    allowedOrigins,
    limits,
    clock,
  })
  const { random = Math.random } = options
  reactions = await startReactions(definitions, { context, runner, outbox, log, random })
  shutdown.beforeClose(async () => reactions?.stop())
  const server = new HttpServer({
    ...(traces === null ? pipeline : tracePipeline(pipeline, traces)),
    limits,
    answers,
    now: clock,
    watch,
    trustProxy,
    log: {
      warn: (fields, message) => log.warn(message, { ...fields }),
      error: (fields, message, secrets) => log.error(message, { ...fields }, secrets),
    },
  })
  const parts = { server, sockets, hub, limiter, shedder, store, plans, feed, authentication, reactions, redis }
  const metricsServer = await metrics?.serve(parts, configuration)
  opened.defer(() => metricsServer?.close())
  shutdown.beforeClose(() => server.close(drain.idleMs))
  const { port } = await server.listen(configuration.port, configuration.host).catch((error: Error) => {
    const named = `HOST and PORT name ${configuration.host}:${configuration.port}`
    throw new ConfigurationError(`${named}, where the service cannot listen: ${error.message}.`)
  })
  opened.defer(startMaintenance({ shedder, authentication, store, outbox, reactions, usage, limits, clock, log }))

  return {
    url: `http://${configuration.host.includes(':') ? `[${configuration.host}]` : configuration.host}:${port}`,
    model,
    store,
    isSeeded,
    reactions,
    usage,
    settled,
    metricsUrl: metricsServer?.url ?? null,
    pages: async () => (await explorer?.available()) ?? [],
    async stop() {
      if (!drain.isBegun) server.drain()
      await drain.begin()
      await shutdown.close()
    },
  }
}

/** What reads a variable says in one sentence what is wrong with it; whoever starts the service wants no more. */
function configured<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigurationError((error as Error).message)
  }
}
