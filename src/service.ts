// Puts the parts together: from a definition and a configuration to a service that listens.

import { createHmac } from 'node:crypto'
import { forgetKeys, idempotencyTable } from './action/idempotency.ts'
import { createRunner } from './action/run.ts'
import { authenticationTables, openAuthentication } from './authentication/authentication.ts'
import { installationSecret } from './authentication/installation-secret.ts'
import { openKeyRing } from './authentication/key-ring.ts'
import { createKeyStorage } from './authentication/key-storage.ts'
import type { TrustedIssuer } from './authentication/outside-issuer.ts'
import { requireSoundRoutes } from './author-routes.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { describeEndpoints } from './endpoint-descriptions.ts'
import { openFeed } from './event/feed.ts'
import { createHub } from './event/hub.ts'
import { eventChannel, eventTables, type Outbox, openOutbox } from './event/outbox.ts'
import { createExplorer } from './explorer/explorer.ts'
import { Failure } from './failure/failure.ts'
import { demoLogins, exampleQuery, firstLogins } from './first-steps.ts'
import { createGraphqlFace } from './graphql/http.ts'
import type { Credential } from './graphql/subscription/session.ts'
import { createSockets } from './graphql/subscription/sockets.ts'
import { createHealth } from './health.ts'
import { parseTrustProxy } from './http/address.ts'
import { isSameOrigin, parseAllowedOrigins } from './http/cors.ts'
import { readJson } from './http/read-json.ts'
import { HttpServer } from './http/server.ts'
import type { Limits } from './limits.ts'
import { createMailer } from './mail/mailer.ts'
import { modelOf } from './model-of.ts'
import type { Log } from './observation/log.ts'
import { createPipeline } from './pipeline.ts'
import { createMemoryCounter } from './rate-limit/memory-counter.ts'
import { createRateLimiter } from './rate-limit/rate-limiter.ts'
import { createPlanCache } from './read-plan/plan-cache.ts'
import { makeId } from './resource/id.ts'
import type { Model } from './resource/model.ts'
import type { Service } from './resource/service.ts'
import { routeLimits } from './rest/author-route/definition.ts'
import type { AuthorRoute } from './rest/author-route/route.ts'
import type { DocumentInfo } from './rest/openapi/given.ts'
import type { CursorForm } from './rest/page.ts'
import { createRestFace } from './rest/rest-face.ts'
import { hasNoAccount, type Seed, seedWhenEmpty } from './seed.ts'
import { migrate } from './store/migrate.ts'
import { openStore } from './store/open.ts'
import { listen } from './store/postgres-listen.ts'
import { dialectOf } from './store/sql/dialect.ts'
import { desiredSchema } from './store/sql/schema.ts'
import type { Store } from './store/store.ts'

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
  /** Fills a new, empty database when `DEMO_DATA` is on; the password is given hashed. */
  readonly demo?: { readonly password: string; readonly fill: (seed: Seed, passwordHash: string) => void }
}
export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly model: Model
  readonly store: Store
  /** True where this start filled an empty database. */
  readonly isSeeded: boolean
  /** Stops accepting, finishes what runs, closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a service. Fails with ServiceDefinitionError where the definition contradicts itself, and with an Error whose
 * sentence names the variable where the configuration cannot be.
 */
export async function startService(definition: Service<unknown>, options: StartOptions): Promise<RunningService> {
  const { configuration, log, clock, demo, info, cursorForm, issuers = [], routes = [] } = options
  const { limits } = configuration
  const model = modelOf(definition)
  requireSoundRoutes(routes, model, limits)
  const baseUrl = configuration.baseUrl ?? `http://${configuration.host}:${configuration.port}`
  const allowedOrigins = configured(() => parseAllowedOrigins(configuration.allowedOrigins ?? undefined, baseUrl))
  const trustProxy = configured(() => parseTrustProxy(configuration.trustProxy ?? undefined))

  const storeOptions = { limits, log: { warn: (sentence: string) => log.warn(sentence) } }
  const store = await openStore(configuration.databaseUrl, storeOptions).catch((error: Error) => {
    throw new ConfigurationError(error.message)
  })
  const dialect = dialectOf(store.engine)
  await migrate(store, desiredSchema(model, dialect, [...authenticationTables, idempotencyTable, eventTables]))

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
  const secret = await installationSecret('idempotency', store)

  const plans = createPlanCache(model, dialect)
  const outbox = await openOutbox(store, dialect)
  const hub = createHub({ model, store, dialect, plans, log })
  const feed = await openFeed({
    outbox,
    deliver: hub.deliver,
    log,
    pollMs: limits.eventPollMs,
    batch: limits.eventBatch,
  })
  const stopListening = listen(configuration.databaseUrl, { channel: eventChannel, wake: feed.wake, log, limits })
  const runner = createRunner({
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
    guard: authentication.guard,
    emit: outbox.emit,
    changed: authentication.changed,
    committed: (change) => {
      authentication.committed(change, clock())
      if (change.events.length > 0) feed.wake()
    },
  })
  const counter =
    configuration.redisUrl === null ? createMemoryCounter() : await connectRedis(configuration.redisUrl, log)
  const reportBug = (bug: unknown, requestId: string) =>
    log.error('A GraphQL field failed unexpectedly.', { err: bug, requestId })
  const graphql = createGraphqlFace({
    model,
    runner,
    limits,
    dialect,
    development: !configuration.production,
    reportBug,
  })
  const identify = async (credential: Credential, now: Date) => authentication.identify(credential, now)
  const sockets = createSockets({ face: graphql, runner, hub, outbox, feed, limits, reportBug, identify, clock })
  const pipeline = createPipeline({
    authentication,
    limiter: createRateLimiter({ limits, counter, routeLimits: routeLimits(routes) }),
    rest: createRestFace({
      model,
      runner,
      limits,
      dialect,
      authorRoutes: routes,
      endpoints: describeEndpoints(model, configuration),
      ...(info === undefined ? {} : { info }),
      ...(cursorForm === undefined ? {} : { cursorForm }),
    }),
    graphql,
    sockets,
    health: createHealth({
      database: () => store.ping(),
      ...(configuration.redisUrl === null
        ? {}
        : {
            redis: async () => {
              if (counter.state === 'lost') throw new Failure('SERVICE_UNAVAILABLE')
            },
          }),
    }),
    explorer: configuration.production
      ? null
      : createExplorer({
          versions: model.versions.map(({ name }) => name),
          exampleQuery: exampleQuery(model) ?? '',
          demo: async () =>
            demo === undefined || !configuration.demoData
              ? null
              : { logins: demoLogins(await store.read(firstLogins(model))), password: demo.password },
        }),
    allowedOrigins,
    limits,
    clock,
  })
  const isSeeded =
    demo !== undefined && configuration.demoData && (await seedDemo(demo, model, store, authentication.hashPassword))

  const server = new HttpServer({
    ...pipeline,
    limits,
    now: clock,
    trustProxy,
    log: {
      warn: (fields, message) => log.warn(message, { ...fields }),
      error: (fields, message) => log.error(message, { ...fields }),
    },
  })
  const { port } = await server.listen(configuration.port, configuration.host).catch((error: Error) => {
    const named = `HOST and PORT name ${configuration.host}:${configuration.port}`
    throw new ConfigurationError(`${named}, where the service cannot listen: ${error.message}.`)
  })
  const tick = setInterval(() => void authentication.refresh(clock()), limits.noticesMs).unref()
  const sweep = setInterval(() => {
    forgetOld(clock(), outbox, store, limits).catch((error: unknown) =>
      log.warn('Old rows could not be removed.', { err: error }),
    )
  }, 60_000).unref()

  return {
    url: `http://${configuration.host.includes(':') ? `[${configuration.host}]` : configuration.host}:${port}`,
    model,
    store,
    isSeeded,
    async stop() {
      clearInterval(tick)
      clearInterval(sweep)
      await Promise.all([sockets.close(), server.close()])
      await stopListening()
      await feed.close()
      await authentication.close()
      mailer.close()
      await counter.close()
      await store.close()
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

/** Removes what has served its time, a little at a time. */
async function forgetOld(now: Date, outbox: Outbox, store: Store, limits: Limits): Promise<void> {
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await outbox.forget(before(limits.eventSeconds))
  const program = () => forgetKeys(before(limits.idempotencySeconds), limits.sweepRows, dialectOf(store.engine))
  while (await store.write(program));
}

async function seedDemo(
  { password, fill }: NonNullable<StartOptions['demo']>,
  model: Model,
  store: Store,
  hash: (password: string) => Promise<string>,
): Promise<boolean> {
  // Hashing takes longer than looking, so the hash is made only for a database that needs it.
  if (!(await store.read(hasNoAccount(model)))) return false
  const passwordHash = await hash(password)
  return seedWhenEmpty(model, store, (seed) => fill(seed, passwordHash))
}

/** Most services start without Redis, and sooner without its client. */
async function connectRedis(url: string, log: Log) {
  const { connectRedisCounter } = await import('./rate-limit/redis-counter.ts')
  return connectRedisCounter({
    url,
    log: { warn: (sentence) => log.warn(sentence), info: (sentence) => log.info(sentence) },
  })
}
