// A service that loses what it needs, and what must hold of it meanwhile and afterwards.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { fillDemo } from '../../../reference/demo.ts'
import { api } from '../../../reference/service.ts'
import type { Limits } from '../../../src/limits.ts'
import { createLog } from '../../../src/observation/log.ts'
import { readConfiguration } from '../../../src/service/configuration/configuration.ts'
import { type RunningService, startService } from '../../../src/service/service.ts'
import type { Engine } from '../../../src/store/store.ts'
import { type Answer, type Client, createClient } from '../client/http-client.ts'
import { dataKey } from './data-key.ts'
import { createDatabase, type TestDatabase } from './databases.ts'
import { patientLimits } from './patient-limits.ts'
import { password } from './service.ts'

export interface Running {
  readonly client: Client
  readonly service: RunningService
  readonly lines: string[]
}
/** Waits are short, so that a server that is mute is given up soon. */
const hurry = {
  statementTimeoutMs: 1_000,
  connectTimeoutMs: 1_000,
  readyTimeoutMs: 1_000,
  listenRetryMs: 50,
  eventPollMs: 50,
}

export async function start(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  limits: Partial<Limits> = {},
): Promise<Running> {
  const lines: string[] = []
  const read = readConfiguration({
    DATA_KEY: dataKey,
    LIMIT_LOGIN_PER_MINUTE: '0',
    LIMIT_IP_PER_MINUTE: '10000',
    ...environment,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    NODE_ENV: 'test',
  })
  const service = await startService(api, {
    configuration: { ...read, limits: { ...read.limits, ...hurry, ...limits } },
    log: createLog({ json: true, write: (line) => void lines.push(line) }),
    clock: () => new Date(),
    ...(environment['DEMO_DATA'] === 'on' ? { demo: { fill: fillDemo, password } } : {}),
  })
  return { client: createClient(service.url), service, lines }
}

/** For servers that refuse: they answer, however slow their disk is. */
export const patient = { ...patientLimits, readyTimeoutMs: 30_000 }

/** The same on a database of its own; both end with the test. */
export async function startOnDatabase(t: TestContext, engine: Engine): Promise<Running & { database: TestDatabase }> {
  const database = await createDatabase(engine)
  const running = await start(database.url, {}, engine === 'postgres' ? patient : {})
  t.after(async () => {
    running.client.close()
    await running.service.stop()
    await database.drop()
  })
  return { ...running, database }
}

let names = 0
export const signUp = () => ({
  headers: { 'Idempotency-Key': `key-${++names}` },
  body: { name: 'N', email: `n${names}@example.com`, password },
})
export const count = async (client: Client): Promise<number> =>
  (await client.send('GET /api/v2/users?page=1&per_page=1')).body.meta.total

/** Sends each request again while it is 503: connections return one by one, and a disk can be slower than short waits. */
export const untilServed = (client: Client): Client => ({
  ...client,
  async send(...request) {
    let answer = await client.send(...request)
    for (let attempt = 1; attempt < 20 && answer.status === 503; attempt++) answer = await client.send(...request)
    return answer
  },
})

/** Asks until it is as it should be: nobody is told when a dependency is back. */
export async function until(client: Client, path: string, status: number): Promise<Answer> {
  for (;;) {
    const answer = await client.send(`GET ${path}`)
    if (answer.status === status) return answer
  }
}

export function assertUnavailable(answer: Answer, what: string): void {
  assert.equal(answer.status, 503, `${what}: ${answer.status} ${answer.text}`)
  assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE')
  assert.match(answer.headers['retry-after'] ?? '', /^[1-9]/)
}

/** A write that could not be done leaves nothing, not even its key: the same request is carried out when it can be. */
export async function assertRepeatable(
  { client }: Pick<Running, 'client'>,
  sent: ReturnType<typeof signUp>,
  before: number,
): Promise<void> {
  const answer = await untilServed(client).send('POST /api/v2/users', sent)
  assert.equal(answer.status, 201, answer.text)
  assert.equal((await client.send('POST /api/v2/users', sent)).status, 200)
  assert.equal(await count(client), before + 1)
}

export const readiness = async (client: Client) => {
  const { status, body } = await client.send('GET /health/ready')
  return [status, body.data.dependencies]
}
/** The log reports a loss `losses` times at most, however many requests meet it. */
export function assertQuiet(lines: readonly string[], losses = 1): void {
  const notices = lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== 'info')
  assert.deepEqual(
    notices.filter(({ level }) => level === 'error'),
    [],
  )
  const times = new Map<string, number>()
  for (const { msg } of notices) times.set(msg, (times.get(msg) ?? 0) + 1)
  for (const [sentence, often] of times) {
    // Of a pool, each connection may be told once.
    assert(often <= (sentence.startsWith('A connection') ? 10 : losses), `${often} × ${sentence}`)
  }
}
