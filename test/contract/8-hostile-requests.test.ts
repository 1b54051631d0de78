// Requests that would keep a process from answering anybody else: those of others are answered meanwhile. (contract 8.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, boolean, many, one, resource, route, service, signedIn, text, through, when } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { assertOthersAnswered } from '../support/check/others.ts'
import { mainThreadMs } from '../support/check/processor-time.ts'
import { copyRecord } from '../support/rows/long-question.ts'
import { type TestService, withService } from '../support/server/service.ts'

const Note = resource('Note', {
  prefix: 'not',
  fields: { title: text({ max: 650 }), code: text({ max: 1_000_000 }), body: text({ max: 1_000_000 }) },
  unique: [{ fields: ['title'], caseless: true }],
  search: ['body'],
  anywhere: ['code'],
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['title', 'code', 'body'] } },
})
/** Its rule lets in few, and no index leads to these. */
const Room = resource('Room', {
  prefix: 'roo',
  fields: { isOpen: boolean({ default: false }), messages: many('Message', 'room') },
  actions: { read: { allow: signedIn } },
})
const Message = resource('Message', {
  prefix: 'msg',
  fields: { room: one('Room'), body: text({ max: 100 }) },
  where: ['body'],
  search: ['body'],
  actions: {
    read: { allow: through('room', when({ isOpen: true })) },
    update: { allow: signedIn, accept: ['body'] },
  },
})
const notes = service({
  resources: { User, Post, Comment, Note, Room, Message },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})

/** So many messages that whoever looks at all of them takes some hundred milliseconds. */
async function fillRoom(service: TestService): Promise<string> {
  const fixtures = service.fixtures({ room: { Room: {} }, one: { Message: { room: '{room}', body: 'Words of one' } } })
  const [room, one] = [await fixtures.idOf('room'), await fixtures.idOf('one')]
  await copyRecord(service, 'Message', one, 100_000)
  return room
}

/** Makes pieces without ever waiting, for so much CPU time. */
const busyMs = 500
const endless = (path: `/api/v2/${string}`, piece: string) =>
  route('GET', path, {
    summary: 'Stream without a pause',
    access: anyone,
    answer: 'text/plain',
    async *handle() {
      const endsAt = mainThreadMs() + busyMs
      while (mainThreadMs() < endsAt) yield piece
    },
  })

withService(
  '8.5 Others are answered',
  (running) => {
    const health = () => running().client.send('GET /health')

    test('8.5.6 while a text of combining marks, and one of characters that become many, is stored', async () => {
      const headers = { Authorization: `Bearer ${await running().token(await running().fixtures().idOf('viewer'))}` }
      for (const part of ['\u0301\u0323', '\u0301\uff9e', '\ufdfa']) {
        const hostile = part.repeat(150_000 / Buffer.byteLength(part))
        const body = { title: hostile.slice(0, 650), code: hostile, body: hostile }
        const sent = running().client.send('POST /api/v2/notes', { headers, body })
        const { answer } = await assertOthersAnswered(sent, health)
        assert.equal(answer.status, 201, answer.text.slice(0, 200))
      }
    })

    test('8.5.6 while streams make pieces, or nothing, without a pause', async () => {
      const streams = ['pieces', 'nothing', 'nothing'].map((path) => running().client.send(`GET /api/v2/${path}`))
      const { answer, count } = await assertOthersAnswered(Promise.all(streams), health)
      assert(answer.every(({ status }) => status === 200))
      assert(count > 5, `${count} answers`)
    })

    // On PostgreSQL these wait for nothing in this process. (12.1.14)
    test('8.5.6 while plain lists, totals, searches and writes by a condition look at many rows', async () => {
      const service = running()
      if (service.engine === 'postgres') return
      const room = await fillRoom(service)
      const headers = { Authorization: `Bearer ${await service.token(await service.fixtures().idOf('viewer'))}` }
      const aliases = (list: (at: number) => string) => ({
        query: `{ ${Array.from({ length: 40 }, (_, at) => `a${at}: ${list(at)}`).join(' ')} }`,
      })
      const lists = [
        aliases((at) => `messageList(limit: ${at + 1}) { id }`),
        aliases((at) => `messages(first: ${at + 1}) { totalCount }`),
        aliases((at) => `room(id: "${room}") { messages(first: ${at + 1}) { totalCount } }`),
        aliases((at) => `messageList(limit: ${at + 1}, search: "words") { id }`),
      ]
      const requests = [
        ...lists.map((body) => () => service.client.send('POST /graphql', { headers, body })),
        ...[1, 2, 3, 4, 5].map((at) => () => {
          const where = encodeURIComponent(`body != "${at}"`)
          const body = { body: 'Other words' }
          return service.client.send(`PATCH /api/v2/messages?where=${where}&dry_run=true`, { headers, body })
        }),
      ]
      const others = () => service.client.send('GET /api/v2/posts?limit=1')
      const hostile = Promise.all(requests.map((each) => each()))
      const { answer, count } = await assertOthersAnswered(hostile, others)
      for (const { status, text: body } of answer) assert([200, 503, 504].includes(status), body)
      assert(count > 5, `${count} answers`)
    })
  },
  {
    definition: notes,
    routes: [endless('/api/v2/pieces', 'x'.repeat(1_000)), endless('/api/v2/nothing', '')],
    limits: { streamIdleMs: 900_000 },
  },
)
