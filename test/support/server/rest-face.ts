// The REST face of the reference service over real HTTP and a real database. Who is asking is said in a header instead
// of a token: what authentication does is not what these tests are about.

import { createHmac } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createFaces } from '../../../src/action/code/faces.ts'
import { createRecords } from '../../../src/action/code/records.ts'
import { createReadSql } from '../../../src/action/code/sql.ts'
import type { RunnerContext } from '../../../src/action/context.ts'
import { idempotencyTable } from '../../../src/action/row/idempotency.ts'
import { createAct } from '../../../src/action/write/act.ts'
import { createRunner } from '../../../src/action/write/run.ts'
import { createOpaqueToken } from '../../../src/authentication/opaque-token.ts'
import { represent } from '../../../src/http/represent.ts'
import { defaultLimits, type Limits } from '../../../src/limits.ts'
import { createPlanCache } from '../../../src/read-plan/plan-cache.ts'
import type { Actor } from '../../../src/resource/actor.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import { makeId } from '../../../src/resource/model/id.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { createRestFace, isRoute, type RestDependencies, type RestFace } from '../../../src/rest/rest-face.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { desiredSchema } from '../../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../../src/store/sql/text/dialect.ts'
import type { Engine } from '../../../src/store/store.ts'
import { createVersionsChecker } from '../oracle/openapi.ts'
import { startServer } from './http-server.ts'
import { createWithTables } from './migrated-database.ts'
import { patientLimits } from './patient-limits.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** What was parsed; null where there was no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever is there
  readonly body: any
}
export interface Sent {
  readonly as?: Actor
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export interface RestService {
  readonly face: RestFace
  readonly model: Model
  /** Sends `GET /api/v2/posts`. */
  send(line: string, sent?: Sent): Promise<Answer>
  /** A new account of this role, by way of the interface itself. */
  signUp(role: 'VIEWER' | 'EDITOR' | 'ADMIN'): Promise<Actor>
  /** An actor of this role who has no account. */
  actor(role: string, scopes?: readonly string[]): Actor
}

type Options = Pick<RestDependencies, 'cursorForm'> & { readonly limits?: Partial<Limits>; readonly clock?: () => Date }

/** Serves `service` on a database of its own until the test ends. */
export async function startRest(
  t: TestContext,
  engine: Engine,
  service: Service<unknown>,
  { limits: changed, clock = () => new Date(), ...options }: Options = {},
): Promise<RestService> {
  const limits = { ...defaultLimits, ...patientLimits, ...changed }
  const dialect = dialectOf(engine)
  const model = compileModel(service)
  const database = await createWithTables(desiredSchema(model, dialect, [idempotencyTable]))
  t.after(() => database.drop())
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const store = await openStore(database.url, { limits, log })
  t.after(() => store.close())
  const codeFaces = createFaces({ versions: model.versions, dialect, limits, cipher: null })
  const runnerContext: RunnerContext = {
    codeFaces,
    model,
    store,
    dialect,
    plans: createPlanCache(model, dialect),
    limits,
    clock,
    cipher: null,
    newId: ({ prefix }, now) => makeId(prefix, now),
    secrets: {
      hashPassword: async (password) => createHmac('sha256', 'salt').update(password).digest('hex'),
      makeToken: () => {
        const { text, hash } = createOpaqueToken('duet_')
        return { token: text, hash }
      },
      fingerprint: (text) => createHmac('sha256', 'key').update(text).digest('base64url'),
    },
    beforeValidation() {},
    afterValidation() {},
    *emit() {},
    *changed() {},
    committed: () => {},
  }
  const runner = createRunner(runnerContext)
  const recordsFor = createRecords({
    model,
    runner,
    codeFaces,
    act: createAct(runnerContext),
    readSql: createReadSql(runnerContext),
  })
  const face = createRestFace({ model, runner, limits, dialect, recordsFor, ...options })
  const actors = new Map<string, Actor>()
  const { port, log: told } = await startServer(t, {
    limits: { ...limits, lingerMs: 1_000 },
    refuse: face.refuse,
    async answer(exchange) {
      const actor = actors.get(exchange.headers['x-test-actor'] as string) ?? null
      const found = face.route(exchange)
      return represent(isRoute(found) ? await found.handle(exchange, actor) : found, exchange, limits)
    },
  })

  async function send(line: string, { as, body, headers }: Sent = {}): Promise<Answer> {
    const [method, path] = line.split(' ') as [string, string]
    if (as !== undefined) actors.set(nameOf(as), as)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(as === undefined ? {} : { 'X-Test-Actor': nameOf(as) }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const bug = told.find(({ level }) => level === 'error')
    if (bug !== undefined) throw Object.assign(new Error(bug.message), bug.fields)
    const found = { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
    // Every answer of every test is one that the document foresees.
    const sentJson = typeof body === 'object' ? { sent: body } : {}
    check({ method, path, ...sentJson, ...found })
    return found
  }

  const check = createVersionsChecker(model, limits, options.cursorForm)
  const nameOf = ({ id, scopes }: Actor): string => `${id}/${scopes === null ? '' : [...scopes]}`

  const actorOf = (id: string, role: string, scopes?: readonly string[]): Actor => ({
    id,
    role,
    permissions: model.roles.get(role)!,
    scopes: scopes === undefined ? null : new Set(scopes),
    credential: { kind: 'bearer', sessionId: null, expiresAt: new Date(8.64e15) },
  })

  let accounts = 0
  const admin = actorOf(makeId('usr', new Date(0)), 'ADMIN')
  return {
    face,
    model,
    send,
    actor: (role, scopes) => actorOf(makeId('usr', new Date(0)), role, scopes),
    async signUp(role) {
      const number = ++accounts
      const sent = { name: `User ${number}`, email: `user${number}@example.com`, password: 'correct horse' }
      const { body } = await send('POST /api/v2/users', { as: admin, body: { ...sent, role } })
      return actorOf(body.data.id, role)
    },
  }
}
