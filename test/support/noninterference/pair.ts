// Two services on two databases that one person must not be able to tell apart, asked the same at the same moments.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { publicJwk } from '../../../src/authentication/key/jwk.ts'
import { generateSigningKey } from '../../../src/authentication/key/signing-key.ts'
import { makeSchema } from '../../../src/graphql/schema/schema.ts'
import { createLog } from '../../../src/observation/log.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { graphqlVocabulary } from '../../../src/resource/model/vocabulary.ts'
import { compileService } from '../../../src/service/compile-service.ts'
import { readConfiguration } from '../../../src/service/configuration.ts'
import { type RunningService, startService } from '../../../src/service/service.ts'
import type { Engine } from '../../../src/store/store.ts'
import { forgeToken } from '../client/forged-token.ts'
import { type Answer, type Client, createClient, splitLine } from '../client/http-client.ts'
import { createRandom } from '../oracle/random.ts'
import { createDatabase } from '../server/databases.ts'
import { differ } from './differ.ts'
import { graphqlRequests } from './graphql-requests.ts'
import { makeRows, recordsBegin } from './make-rows.ts'
import { learn, type Material, type Request, restRequests } from './requests.ts'
import { insertRows, type Rows } from './rows.ts'
import type { Person } from './sight.ts'

export interface Difference {
  readonly seed: number
  readonly person: Person | null
  readonly request: Request
  readonly answers: readonly [string, string]
}
export interface PairOptions {
  readonly definition: Service<unknown>
  readonly engine: Engine
  readonly seed: number
  /** How many requests. */
  readonly requests: number
  /** How many records of each resource. */
  readonly count: number
}
export interface PairResult {
  readonly requests: number
  /** In how many places the databases differ. */
  readonly changes: number
  /** How many answers were a success, so that it is seen whether much was asked. */
  readonly successes: number
  readonly difference: Difference | null
}

const clockBegins = recordsBegin + 86_400_000
const issuer = 'https://id.example.com/'

/** Asks until something differs. */
export async function comparePair({ definition, engine, seed, requests, count }: PairOptions): Promise<PairResult> {
  const random = createRandom(seed)
  const model = compileService(definition)
  const rows = makeRows(model, random, { count, name: 'user' })
  const person = anyPerson(model, rows, random.below(6))
  const other = differ(model, rows, { person, random, attempts: 8 * count })
  const keys = await openIssuer()
  const services: Side[] = []
  try {
    for (const each of [rows, other.rows])
      services.push(await openSide({ definition, engine, rows: each, jwksUrl: keys.url }))
    const material = materialOf(rows, other.rows, seed)
    const makers = [restRequests(model), graphqlRequests(schemaOf(model))]
    let successes = 0
    for (let at = 0; at < requests; at++) {
      const request = material.random.one(makers)(material)
      const authorization = person === null ? {} : { Authorization: `Bearer ${keys.token(person, clockBegins + at)}` }
      const headers = { ...authorization, 'X-Request-Id': `request-${at}`, ...request.headers }
      const answers = await Promise.all(services.map((side) => side.ask({ ...request, headers }, clockBegins + at)))
      const [first, second] = answers.map(textOf) as [string, string]
      if (first !== second) {
        const difference = { seed, person, request, answers: [first, second] as const }
        return { requests: at + 1, changes: other.changes, successes, difference }
      }
      if (answers[0]!.status < 300) successes += 1
      learn(material, splitLine(request.line)[1], { body: answers[0]!.body, etag: answers[0]!.headers.etag })
    }
    return { requests, changes: other.changes, successes, difference: null }
  } finally {
    for (const side of services) await side.close()
    keys.close()
  }
}

const schemaOf = (model: Model) => makeSchema(model, graphqlVocabulary(), readConfiguration({}).limits)

/** Nobody, or one of those who may sign in. */
function anyPerson(model: Model, rows: Rows, at: number): Person | null {
  const { resource, role, status, activeState } = model.accounts
  const active = [...rows.records.values()].filter(
    (row) => row.of === resource && !row.isDeleted && row.values[status.field] === activeState,
  )
  const account = active[at]
  return account === undefined ? null : { id: account.id, role: account.values[role.field] as string }
}

function materialOf(one: Rows, other: Rows, seed: number): Material {
  const ids = new Map<string, string[]>()
  for (const { records } of [one, other])
    for (const { of, id } of records.values()) {
      const existingIds = ids.get(of.name) ?? []
      if (!existingIds.includes(id)) existingIds.push(id)
      ids.set(of.name, existingIds)
    }
  return { random: createRandom(seed + 1), ids, pages: [], etags: [], fresh: 0 }
}

/** All of an answer that a client sees, but for the moment and how much it may still ask. (contract 10.4) */
function textOf({ status, headers, text }: Answer): string {
  const comparableHeaders = Object.entries(headers).filter(
    ([name]) => name !== 'date' && !name.startsWith('x-ratelimit'),
  )
  return `${status}\n${comparableHeaders.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${text}`
}

interface Side {
  ask(request: Request, at: number): Promise<Answer>
  close(): Promise<void>
}

interface SideOptions {
  readonly definition: Service<unknown>
  readonly engine: Engine
  readonly rows: Rows
  readonly jwksUrl: string
}

async function openSide({ definition, engine, rows, jwksUrl }: SideOptions): Promise<Side> {
  const database = await createDatabase(engine)
  let [now, recordCount] = [clockBegins, 0]
  const lines: string[] = []
  const configuration = readConfiguration({ ...environment, DATABASE_URL: database.url })
  let service: RunningService | null = null
  let client: Client | null = null
  const close = async () => {
    client?.close()
    await service?.stop()
    await database.drop()
  }
  try {
    service = await startService(definition, {
      configuration: { ...configuration, limits: { ...configuration.limits, lateMs: 1e9, veryLateMs: 1e9 } },
      log: createLog({ json: true, write: (line) => void lines.push(line) }),
      clock: () => new Date(now),
      newId: (prefix) => `${prefix}_1${String(recordCount++).padStart(25, '0')}`,
      issuers: [trustedIssuer(jwksUrl)],
    })
    await insertRows(rows, service.store)
    client = createClient(service.url)
  } catch (error) {
    await close()
    throw error
  }
  const { send } = client
  return {
    async ask({ line, headers, body }, at) {
      now = at
      const answer = await send(line, { headers, ...(body === undefined ? {} : { body }) })
      if (answer.status === 500) throw new Error(`${line} was answered 500:\n${lines.at(-1)}`)
      return answer
    },
    close,
  }
}

const environment = {
  PORT: '0',
  NODE_ENV: 'test',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  LIMIT_FORGOT_PASSWORD_PER_MINUTE: '0',
}

const trustedIssuer = (jwksUrl: string) => ({
  issuer,
  jwksUrl,
  audience: 'duet',
  algorithms: ['ES256' as const],
  lifetimeSeconds: 3_600,
  actorFrom: ({ account, role }: Readonly<Record<string, unknown>>) => ({
    id: account as string,
    role: role as string,
  }),
})

/** An issuer whose tokens both services believe, so that neither keeps sessions of its own. */
async function openIssuer() {
  const key = await generateSigningKey('ES256')
  const server = createServer((_, response) => void response.end(JSON.stringify({ keys: [publicJwk(key)] })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    token({ id, role }: Person, at: number) {
      const iat = Math.floor(at / 1000)
      const claims = { iss: issuer, aud: 'duet', sub: id, account: id, role, iat, exp: iat + 3_600 }
      return forgeToken(key, { alg: 'ES256', typ: 'at+jwt', kid: key.kid }, claims)
    },
    close: () => server.close().closeAllConnections(),
  }
}
