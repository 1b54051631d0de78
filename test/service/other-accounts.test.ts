// Accounts that are another resource than `User`: the library's own resources lead to them, listed or not.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ApiKey,
  actor,
  anyone,
  choice,
  email,
  one,
  own,
  password,
  resource,
  Session,
  type StartedService,
  self,
  service,
  signedIn,
  start,
  state,
  text,
} from 'duet-api'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const Member = resource('Member', {
  prefix: 'mbr',
  fields: {
    email: email({ unique: true }),
    word: password({ min: 8, max: 100 }),
    rank: choice(['ONE', 'ALL'], { default: 'ONE' }),
    status: state('IN', 'OUT'),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['email', 'word'] },
    leave: { allow: self, from: 'IN', to: 'OUT' },
  },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: { by: one('Member' as 'User', { default: actor }), text: text({ max: 40 }) },
  actions: {
    read: { allow: own('by') },
    create: { allow: signedIn, accept: ['text'] },
  },
})
/** In this program accounts are declared to be users, so that types say no more here. */
const definitionWith = (more: object) =>
  service({
    resources: { Member, Note, ...more },
    accounts: { resource: 'Member', login: 'email', password: 'word', role: 'rank', activeState: 'IN' },
    roles: { ONE: {}, ALL: 'everything' },
  } as never)

for (const [which, more] of [
  ['', {}],
  [', with its keys and sessions', { ApiKey, Session }],
] as const)
  describe(`accounts of another name${which}`, () => {
    forEachEngine((engine) => {
      let database: TestDatabase
      let running: StartedService
      before(async () => {
        database = await createDatabase(engine)
        const environment = { PORT: '0', DATABASE_URL: database.url, NODE_ENV: 'test', LOG_LEVEL: 'error' }
        running = await start(definitionWith(more), { environment })
      })
      after(async () => {
        await running?.stop()
        await database.drop()
      })
      const ask = async (line: string, headers: object = {}, body?: object) => {
        const [method, path] = line.split(' ') as [string, string]
        const answer = await fetch(`${running.url}${path}`, {
          method,
          headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        // biome-ignore lint/suspicious/noExplicitAny: tests read whatever is there
        const read = (await answer.json().catch(() => null)) as any
        return { status: answer.status, body: read }
      }

      test('2.4.1 sign up, sign in, write as themselves, and leave', async () => {
        const signUp = { email: 'ann@example.com', word: 'a long enough word' }
        const { status, body: made } = await ask('POST /api/v1/members', {}, signUp)
        assert.equal(status, 201, JSON.stringify(made))
        const login = { email: signUp.email, password: signUp.word }
        const { body: tokens } = await ask('POST /auth/login', {}, login)
        const bearer = { Authorization: `Bearer ${tokens.access_token}` }
        const { body: me } = await ask('GET /api/v1/members/me', bearer)
        assert.equal(me.data.id, made.data.id)
        const { body: note } = await ask('POST /api/v1/notes', bearer, { text: 'mine' })
        assert.equal(note.data.by_id, made.data.id)
        const { body: graphql } = await ask('POST /graphql', bearer, { query: '{ me { id } noteList { by { id } } }' })
        assert.deepEqual(graphql.data, { me: { id: made.data.id }, noteList: [{ by: { id: made.data.id } }] })
        if ('ApiKey' in more) {
          const { body: key } = await ask('POST /api/v1/api-keys', bearer, { name: 'K', scopes: ['read:*'] })
          assert.equal(key.data.user_id, made.data.id)
          const { body: notes } = await ask('GET /api/v1/notes', { 'X-API-Key': key.data.key })
          assert.equal(notes.data.length, 1)
          const { body: sessions } = await ask('GET /api/v1/sessions', bearer)
          assert.equal(sessions.data[0].user_id, made.data.id)
        }
        assert.equal((await ask(`POST /api/v1/members/${made.data.id}/leave`, bearer)).status, 200)
        assert.equal((await ask('POST /auth/login', {}, login)).status, 401)
      })
    })
  })
