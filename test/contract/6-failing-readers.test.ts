// One subscriber asks for what cannot be made: the others, and the events that follow, must not wait for it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, event, may, password, resource, service, start, state, text } from 'duet-api'
import { TestSocket } from '../support/client/websocket.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['READER'], { default: 'READER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: may('manage') } },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: { words: text({ max: 100 }) },
  computed: {
    first: {
      as: text({ max: 100 }),
      from: ['words'],
      make: ({ words }) => {
        if (words === 'bad') throw new TypeError('A bug of the definition.')
        return words.slice(0, 1)
      },
    },
  },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['words'], emit: event('noted') } },
})
const notes = service({
  resources: { User, Note },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { READER: {} },
})

test('6.2.9 what fails for one subscriber is reported to that one, once, and reaches all others', async (t) => {
  t.mock.method(process.stderr, 'write', () => true)
  const { url, stop } = await start(notes, {
    environment: { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:' },
  })
  t.after(stop)
  const [failing, other] = [await TestSocket.ready(url), await TestSocket.ready(url)]
  failing.subscribe('1', 'subscription { noted { first } }')
  other.subscribe('1', 'subscription { noted { words } }')
  await failing.settled()
  await other.settled()
  for (const words of ['bad', 'good']) {
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `mutation { createNote(input: { words: "${words}" }) { id } }` }),
    })
  }
  const nextMessage = async (socket: TestSocket) => {
    const { data, errors } = (await socket.next()).payload as { data: unknown; errors?: { extensions: unknown }[] }
    return [data, errors?.map((each) => each.extensions)]
  }
  assert.deepEqual(await nextMessage(other), [{ noted: { words: 'bad' } }, undefined])
  assert.deepEqual(await nextMessage(other), [{ noted: { words: 'good' } }, undefined])
  assert.deepEqual(await nextMessage(failing), [null, [{ code: 'INTERNAL_ERROR' }]])
  assert.deepEqual(await nextMessage(failing), [{ noted: { first: 'g' } }, undefined])
  await Promise.all([failing.close(), other.close()])
})
