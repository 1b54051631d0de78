// What an action sets to the moment of its own write.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  absent,
  actor,
  choice,
  email,
  now,
  one,
  optional,
  own,
  password,
  resource,
  self,
  service,
  signedIn,
  state,
  text,
  timestamp,
} from 'duet-api'
import { withService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: self } },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: {
    to: one('User', { cascade: 'regardless', default: actor }),
    body: text({ max: 60 }),
    readAt: optional(timestamp()),
    expiresAt: timestamp(),
  },
  actions: {
    read: { allow: own('to') },
    create: { allow: signedIn, accept: ['body'], set: { expiresAt: now.plus({ days: 7, hours: 1 }) } },
    see: { allow: own('to'), from: { readAt: absent }, set: { readAt: now } },
  },
})
const notes = service({
  resources: { User, Note },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})

withService(
  '4.5 the moment of a write',
  (running) => {
    test('4.5.12 what is set to now is the moment of the write, on both faces', async () => {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const question = { as: '{ann}', fixtures } as const
      const { data } = (await running().send('POST /api/v1/notes', { ...question, body: { body: 'x' } })).body
      assert.equal(data.read_at, null)
      const weekAndHour = (7 * 24 + 1) * 3_600_000
      assert.equal(Date.parse(data.expires_at) - Date.parse(data.created_at), weekAndHour)
      running().advance(5_123)
      const seen = (await running().send(`POST /api/v1/notes/${data.id}/see`, question)).body.data
      assert.equal(seen.read_at, seen.updated_at)
      assert.ok(Date.parse(seen.read_at) >= Date.parse(data.created_at) + 5_123)
      assert.equal(seen.expires_at, data.expires_at)
      assert.equal((await running().send(`POST /api/v1/notes/${data.id}/see`, question)).status, 409)
      const made = await running().graphql(
        'mutation { createNote(input: { body: "y" }) { id createdAt expiresAt } }',
        question,
      )
      const { id, createdAt, expiresAt } = made.body.data.createNote
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), weekAndHour)
      const { seeNote } = (await running().graphql(`mutation { seeNote(id: "${id}") { readAt updatedAt } }`, question))
        .body.data
      assert.equal(seeNote.readAt, seeNote.updatedAt)
    })
  },
  { definition: notes },
)
