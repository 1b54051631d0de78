// That a request's credential costs no call to the database, counted; and that what ends a credential ends it. (contract 5.1.4)

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { api } from '../../reference/service.ts'
import { createDatabase, forEachEngine } from '../../test/support/server/databases.ts'
import { patientLimits } from '../../test/support/server/patient-limits.ts'
import { readJson } from '../json/read-json.ts'
import { defaultLimits } from '../limits.ts'
import { silentLog } from '../observation/log.ts'
import type { Actor } from '../resource/actor.ts'
import { makeId } from '../resource/model/id.ts'
import { openStore } from '../service/open/open-store.ts'
import { compileService } from '../service/start/compile-service.ts'
import { migrate } from '../store/migration/migrate.ts'
import { desiredSchema } from '../store/sql/schema/schema.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import { bind, command, type Engine, type Store } from '../store/store.ts'
import { authenticationTables, openAuthentication } from './authentication.ts'
import type { Identify } from './identify.ts'
import { fixedKeyRing } from './key/key-ring.ts'
import { generateSigningKey } from './key/signing-key.ts'
import { createOpaqueToken } from './opaque-token.ts'
import { createAccessTokens } from './token/access-token.ts'
import { createDenialStore } from './token/denial-store.ts'
import { createDenylist } from './token/denylist.ts'

const now = new Date('2026-11-20T09:30:00.000Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const issuer = 'https://api.example.com'
const key = await generateSigningKey('ES256')
const model = compileService(api)

/** Authentication on a database of its own, with one user; nothing in it runs by itself. */
async function open(t: TestContext, engine: Engine) {
  const database = await createDatabase(engine)
  const store = await openStore(database.url, { limits: { ...defaultLimits, ...patientLimits }, log: silentLog })
  t.after(async () => {
    await store.close()
    await database.drop()
  })
  const dialect = dialectOf(engine)
  await migrate(store, desiredSchema(model, dialect, authenticationTables(model)))
  async function openOne(through: Store = store) {
    const authentication = await openAuthentication({
      model,
      store: through,
      cipher: null,
      serviceName: 'test',
      keys: fixedKeyRing([key]),
      issuer,
      audience: issuer,
      issuers: [],
      relyingParty: { baseUrl: 'http://localhost', domain: null, allowedOrigins: [], appOrigins: [] },
      links: { verify: null, magicLink: null, pageMagicLink: null },
      findReturnUrl: () => null,
      changeAccount: new Promise<never>(() => {}),
      createAccount: new Promise(() => {}),
      refreshTokenIn: 'body',
      basePath: '',
      isSameOrigin: () => true,
      sendMail: async () => {},
      passwordResetUrl: null,
      limits: defaultLimits,
      readJson: (bytes) => readJson(bytes, defaultLimits),
      clock: () => now,
      log: silentLog,
    })
    const { identify } = authentication
    const origin = { address: '127.0.0.1', requestId: 'test' }
    return Object.assign(authentication, {
      identify: (headers: Parameters<Identify>[0], at: Date) => identify(headers, at, origin),
    })
  }
  const [userId, keyId, secret] = [makeId('usr', now), makeId('key', now), createOpaqueToken('duet_')]
  const p = (number: number) => dialect.parameter(number)
  await store.write(function* () {
    yield bind(
      command(
        `insert into users (id, name, name__words, email, password_hash, email_verified, status, role, preferences, created_at, updated_at) values (${p(1)}, 'N', '', 'n@example.com', 'x', ${engine === 'sqlite' ? 1 : true}, 'ACTIVE', 'EDITOR', '{}', ${p(2)}, ${p(2)})`,
      ),
      userId,
      now.toISOString(),
    )
    yield bind(
      command(
        `insert into api_keys (id, user_id, name, scopes, key_hash, prefix, created_at, updated_at) values (${p(1)}, ${p(2)}, 'K', '["read:*"]', ${p(3)}, 'duet_', ${p(4)}, ${p(4)})`,
      ),
      keyId,
      userId,
      secret.hash,
      now.toISOString(),
    )
  })
  const tokens = createAccessTokens({
    keys: fixedKeyRing([key]),
    issuer,
    audience: issuer,
    denylist: createDenylist(1, silentLog),
    readJson: (bytes) => readJson(bytes, defaultLimits),
    limits: defaultLimits,
  })
  const grant = { subject: userId, role: 'EDITOR', sessionId: 'ses_1', epoch: 0 }
  const bearer = { authorization: `Bearer ${tokens.issue(grant, now).text}` }
  return { store, dialect, openOne, userId, keyId, bearer, apiKey: { 'x-api-key': secret.text } }
}

forEachEngine((engine) => {
  test('a bearer token costs no statement, the first time included', async (t) => {
    const { store, openOne, bearer, userId } = await open(t, engine)
    const { identify } = await openOne()
    const { statements } = store.counts
    const actor = identify(bearer, later(1)) as Actor
    assert.equal(actor.id, userId)
    for (let at = 2; at < 100; at += 1)
      assert.deepEqual(identify(bearer, later(at)), actor, 'the same, without waiting')
    assert.throws(() => identify({ authorization: 'Bearer x.y.z' }, now), { code: 'INVALID_TOKEN' })
    assert.equal(store.counts.statements, statements)
  })

  test('an API key costs one statement, and another after a minute', async (t) => {
    const { store, openOne, apiKey, userId } = await open(t, engine)
    const { identify } = await openOne()
    const { statements } = store.counts
    const actor = (await identify(apiKey, now)) as Actor
    assert.equal(actor.id, userId)
    for (let at = 1; at < 60; at += 1) assert.equal(identify(apiKey, later(at)), actor, 'the same, without waiting')
    assert.equal(store.counts.statements, statements + 1)
    assert.notEqual(await identify(apiKey, later(60)), actor)
    assert.equal(store.counts.statements, statements + 2)
  })

  test('another instance refuses what one denied, once it has polled', async (t) => {
    const { store, dialect, openOne, userId, keyId, bearer, apiKey } = await open(t, engine)
    const other = await openOne()
    assert.equal(((await other.identify(bearer, now)) as Actor).id, userId)
    const before = await other.identify(apiKey, now)
    const denials = createDenialStore(dialect)
    await store.write(() =>
      denials.add(
        [
          { kind: 'session', sessionId: 'ses_1', until: later(900) },
          { kind: 'apiKey', keyId, until: later(900) },
        ],
        later(-3600),
      ),
    )
    await store.write(function* () {
      yield bind(command(`update api_keys set deleted_at = ${dialect.parameter(1)}`), now.toISOString())
    })
    assert.equal(await other.identify(apiKey, now), before, 'until it has asked')
    // What was denied by a clock that is an hour behind is news as any other.
    await other.refresh(now)
    assert.throws(() => other.identify(bearer, now), { code: 'INVALID_TOKEN' })
    await assert.rejects(async () => other.identify(apiKey, now), { code: 'INVALID_CREDENTIALS' })
    const third = await openOne()
    assert.throws(
      () => third.identify(bearer, now),
      { code: 'INVALID_TOKEN' },
      'a new instance knows it from the start',
    )
  })

  test('what was read of a key while a notice came is not remembered', async (t) => {
    const { store, dialect, openOne, userId, apiKey } = await open(t, engine)
    const [gate, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    const slow: Store = {
      engine,
      waiting: 0,
      counts: store.counts,
      async read(program) {
        const answer = await store.read(program)
        if (!isHeld) return answer
        arrived.resolve()
        await gate.promise
        return answer
      },
      write: (program, options) => store.write(program, options),
      runAlone: (statement) => store.runAlone(statement),
      ping: () => store.ping(),
      close: () => store.close(),
    }
    const { identify, changed, committed } = await openOne(slow)
    isHeld = true
    const early = identify(apiKey, now)
    await arrived.promise
    const users = model.accounts.resource
    const record = {
      id: userId,
      before: { status: 'ACTIVE', role: 'EDITOR' },
      after: { status: 'SUSPENDED', role: 'EDITOR' },
    }
    const change = {
      action: { resource: users, kind: 'move' },
      records: [{ ...record, secrets: [] }],
      others: [],
      events: [],
    }
    await store.write(function* () {
      yield bind(command(`update users set status = ${dialect.parameter(1)}`), 'SUSPENDED')
      yield* changed(change, now)
    })
    committed(change, now)
    gate.resolve()
    assert.equal(((await early) as Actor).id, userId, 'it was asked before')
    await assert.rejects(async () => identify(apiKey, now), { code: 'INVALID_CREDENTIALS' })
  })
})
