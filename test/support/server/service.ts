// The whole service for tests: the reference definition on a fresh database, real HTTP, a clock that tests set, a log
// that they read, and somebody signed in for every role.

import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { hash } from '@node-rs/argon2'
import { api } from '../../../reference/service.ts'
import type { TrustedIssuer } from '../../../src/authentication/issuer/outside-issuer.ts'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import type { AuthorRoute } from '../../../src/custom-route/route.ts'
import { isCatalogueCode } from '../../../src/failure/failure.ts'
import type { Limits } from '../../../src/limits.ts'
import { createLog } from '../../../src/observation/log.ts'
import type { DocumentInfo } from '../../../src/openapi/document-context.ts'
import type { Outbound } from '../../../src/outbound/outbound.ts'
import { definitionOf } from '../../../src/resource/language/definition.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { codePrefixes } from '../../../src/resource/model/rule/access-code.ts'
import { readConfiguration } from '../../../src/service/configuration/configuration.ts'
import { logOptions } from '../../../src/service/configuration/log-options.ts'
import { describeEndpoints } from '../../../src/service/pipeline/endpoints.ts'
import type { RunningService } from '../../../src/service/service.ts'
import { bind, type Engine, type Program, query, type StoredRow } from '../../../src/store/store.ts'
import { assertWhole } from '../check/whole-answer.ts'
import { type Answer, type Client, createClient, type Sending, splitLine } from '../client/http-client.ts'
import { isElsewhere, startOnHost } from '../host/chosen-host.ts'
import { createVersionsChecker } from '../oracle/openapi.ts'
import { createFixtures, type Fixtures, type Recipes } from '../rows/fixtures.ts'
import { dataKey } from './data-key.ts'
import { forEachEngine, type TestDatabase } from './databases.ts'
import { createMigrated } from './migrated-database.ts'
import { type OwnParts, withParts } from './own-parts.ts'
import { patientLimits } from './patient-limits.ts'

export interface ServiceOptions extends OwnParts {
  readonly definition?: Service<unknown>
  /** Outside issuers whose tokens are believed. */
  readonly issuers?: readonly TrustedIssuer[]
  /** How its documents introduce it. */
  readonly info?: DocumentInfo
  /** The only GraphQL documents that are run. */
  readonly trustedDocuments?: object
  /** What sends requests to webhooks; as `OUTBOUND` allows unless said. */
  readonly outbound?: Outbound
  /** What it takes for random numbers. */
  readonly random?: () => number
  /** As the process would read it, such as `LIMIT_IP_PER_MINUTE`. Rate limits are off unless said. */
  readonly environment?: Readonly<Record<string, string>>
  /** What no variable sets, made small enough to be reached. */
  readonly limits?: Partial<Limits>
  /** Of the accounts that fixtures make, for `password`; usually one that is quick to check. */
  readonly passwordHash?: string
  /** Whether its log has a line for every request. */
  readonly logsRequests?: boolean
}
/** Who asks: one of the actors, nobody, or a user made by a fixture, in braces. */
export type Caller = ActorName | 'anonymous' | `{${string}}`
export type ActorName = keyof typeof actors

/** One of each role, and another of each who owns nothing of the first one's. There is one admin. */
const actors = {
  admin: { name: 'Admin', role: 'ADMIN' },
  editor: { name: 'Editor', role: 'EDITOR' },
  viewer: { name: 'Viewer', role: 'VIEWER' },
  'other editor': { name: 'Other Editor', role: 'EDITOR' },
  'other viewer': { name: 'Other Viewer', role: 'VIEWER' },
} as const
export const actorNames = Object.keys(actors) as ActorName[]

/** Of every account that tests make. */
export const password = 'correct horse battery staple'
/** When the clock of a test service begins. */
export const beginning = new Date('2026-11-20T09:30:00.000Z')

export interface Question extends Sending {
  readonly as?: Caller
  /** The fixtures that `{names}` in the question stand for. */
  readonly fixtures?: Fixtures
}
export interface TestService extends RunningService {
  readonly engine: Engine
  readonly databaseUrl: string
  readonly client: Client
  /** Moves the clock; it moves by a millisecond with every request and every fixture, too. */
  advance(milliseconds: number): void
  now(): Date
  /** Sends `GET /api/v2/posts/{draft}` and checks what every answer carries. */
  send(line: string, question?: Question): Promise<Answer>
  graphql(query: string, question?: Question & { readonly variables?: unknown }): Promise<Answer>
  /** New fixtures; the actors are among them. */
  fixtures(own?: Recipes): Fixtures
  /** Signs in and remembers it; gives the access token. */
  token(userId: string): Promise<string>
  /** Whoever asks next signs in anew, as people do after their tokens have expired. */
  forgetTokens(): void
  /** The lines of the log, or those of one event. */
  logged(event?: string): readonly Readonly<Record<string, unknown>>[]
  /** Every row of these tables. */
  tables(...names: readonly string[]): Promise<readonly StoredRow[]>
  /** Fails where the log tells of a bug, or holds a secret. */
  assertLog(): void
  forgetLog(): void
  /** What it says, as JSON lines. */
  log(): readonly string[]
}

export async function startTestService(engine: Engine, options: ServiceOptions = {}): Promise<TestService> {
  const definition = withParts(options.definition ?? api, options)
  const database = await createMigrated(engine, definition)
  try {
    return await startOn(database, definition, options)
  } catch (error) {
    // Nobody else will remove it.
    await database.drop()
    throw error
  }
}

async function startOn(
  database: TestDatabase,
  definition: Service<unknown>,
  options: ServiceOptions,
): Promise<TestService> {
  const { engine } = database
  let now = beginning.getTime()
  const lines: string[] = []
  const environment = {
    PORT: '0',
    DATA_KEY: dataKey,
    ...unlimited,
    ...options.environment,
    DATABASE_URL: database.url,
    NODE_ENV: 'test',
  }
  const read = readConfiguration(environment)
  const configuration = { ...read, limits: { ...read.limits, ...patientLimits, ...options.limits } }
  const running = await startOnHost(definition, {
    configuration,
    log: createLog({
      json: true,
      write: (line) => void lines.push(line),
      secrets: logOptions(configuration, false).secrets ?? [],
      ...(options.logsRequests ? { requests: { of: 'all', slowMs: 60_000 } } : {}),
    }),
    clock: () => new Date(now),
    ...(options.info === undefined ? {} : { info: options.info }),
    ...(options.trustedDocuments === undefined ? {} : { trustedDocuments: options.trustedDocuments }),
    ...(options.random === undefined ? {} : { random: options.random }),
    ...(options.outbound === undefined ? {} : { outbound: options.outbound }),
    issuers: options.issuers ?? [],
  })
  const client = createClient(running.url, isElsewhere ? { headers: () => ({ 'X-Test-Now': String(now) }) } : {})
  // Each record is a moment younger than the one before, so that ids and times have one order.
  const tick = () => {
    now += 1
    return new Date(now)
  }
  const makeFixtures = createFixtures(running.model, running.store, options.passwordHash ?? (await quickHash), tick)
  const userIds = new Map<string, string>()
  const tokens = new Map<string, string>()
  const secrets = new Set([password])
  const limited = Object.entries(environment).some(([name, value]) => /_PER_/.test(name) && value !== '0')

  const endpoints = describeEndpoints(running.model, configuration)
  const { limits } = configuration
  const routes = definitionOf(definition).routes as readonly AuthorRoute[] | undefined
  const makeChecker = () => createVersionsChecker(running.model, limits, 'envelope', routes, endpoints)
  const checkDocument = getOrInsert(checkersOf(definition), JSON.stringify([limits, endpoints]), makeChecker)
  const deprecated = running.model.versions.flatMap((each) => (each.deprecated === null ? [] : [`/api/${each.name}/`]))

  const actions = running.model.resources.flatMap((each) => [...each.actions.values()])
  const ownCodes = running.model.resources.map(({ notFound }) => notFound).filter((code) => !isCatalogueCode(code))
  const takesCodes = codePrefixes(running.model).size > 0
  const leaves = actions.some((each) => each.deprecated !== null)

  const everybody = makeFixtures(userIds, Object.fromEntries(actorNames.map((name) => [name, { User: account(name) }])))
  for (const name of actorNames) userIds.set(name, await everybody.idOf(name))

  async function token(userId: string): Promise<string> {
    const signedIn = tokens.get(userId)
    if (signedIn !== undefined) return signedIn
    const [[email]] = (await running.store.read(emailOf(userId))) as unknown as [[string]]
    const { status, text, body } = await client.send('POST /auth/login', { body: { email, password } })
    assert.equal(status, 200, `${email} signs in: ${text}`)
    secrets.add(body.access_token).add(body.refresh_token)
    tokens.set(userId, body.access_token)
    return body.access_token
  }
  function* emailOf(userId: string): Program<readonly StoredRow[]> {
    return yield bind(query(`select email from users where id = ${engine === 'sqlite' ? '?1' : '$1'}`), userId)
  }

  async function send(
    line: string,
    { as = 'anonymous', fixtures = makeFixtures(userIds, {}), headers, body }: Question = {},
  ) {
    const filled = await fixtures.fill({ line, headers: headers ?? {}, body })
    const userId = as === 'anonymous' ? null : as.startsWith('{') ? await fixtures.fill(as) : userIds.get(as)!
    const authorization = userId === null ? {} : { Authorization: `Bearer ${await token(userId)}` }
    tick()
    const answer = await client.send(filled.line, {
      body: filled.body,
      headers: { ...authorization, ...filled.headers },
    })
    const [method, path] = splitLine(filled.line)
    const isUnder = deprecated.some((each) => path.startsWith(each))
    const showsCode = filled.headers['X-Access-Code'] !== undefined && takesCodes
    assertWhole(answer, { method, path, limited, deprecated: isUnder, leaves, ownCodes, showsCode })
    const sent = filled.body === undefined || typeof filled.body !== 'object' ? {} : { sent: filled.body }
    checkDocument({ method, path, ...sent, ...answer, headers: Object.entries(answer.headers) })
    return answer
  }

  return {
    ...running,
    engine,
    databaseUrl: database.url,
    client,
    send,
    graphql: (document, { variables, ...question } = {}) =>
      send('POST /graphql', {
        ...question,
        body: variables === undefined ? { query: document } : { query: document, variables },
      }),
    advance(milliseconds) {
      now += milliseconds
    },
    now: () => new Date(now),
    fixtures: (own = {}) => makeFixtures(userIds, own),
    token,
    forgetTokens: () => tokens.clear(),
    logged: (event) =>
      lines.map((line) => JSON.parse(line)).filter((line) => event === undefined || line.event === event),
    async tables(...names) {
      const rows = []
      for (const name of names) rows.push(...(await running.store.read(rowsOf(name))))
      return rows
    },
    assertLog() {
      const logged = lines.join('')
      assert.doesNotMatch(logged, /"level":"error"/, 'the log tells of no bug')
      for (const secret of secrets) assert(!logged.includes(secret), 'the log holds no secret')
    },
    log: () => lines,
    forgetLog() {
      lines.length = 0
    },
    async stop() {
      client.close()
      try {
        await running.stop()
      } finally {
        await database.drop()
      }
    },
  }
}

/** Making the documents of a definition and compiling their schemas takes longer than most tests. */
const checkers = new WeakMap<Service<unknown>, Map<string, ReturnType<typeof createVersionsChecker>>>()
const checkersOf = (definition: Service<unknown>) => getOrInsert(checkers, definition, () => new Map())

function* rowsOf(table: string): Program<readonly StoredRow[]> {
  return yield bind(query(`select * from ${table}`))
}

/** Declares `suite` once per engine, with a service that runs as long as its tests do. */
export function withService(
  title: string,
  suite: (service: () => TestService) => void,
  options?: ServiceOptions,
): void {
  describe(title, () => {
    forEachEngine((engine) => {
      let service: TestService | undefined
      before(async () => {
        service = await startTestService(engine, options)
      })
      after(() => service?.stop())
      suite(() => service!)
    })
  })
}

const account = (name: ActorName) => ({ ...actors[name], email: `${name.replace(' ', '.')}@example.com` })

const unlimited = {
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  LIMIT_FLOW_PER_MINUTE: '0',
  LIMIT_FORGOT_PASSWORD_PER_MINUTE: '0',
}

/** A hash says what checking it costs: this one is as cheap as there can be. */
const quickHash = hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })
