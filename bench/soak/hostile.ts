// Those who want it to fall over, run full or say too much.

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { secondsOf, sized } from '../scale.ts'
import type { Visit } from './traffic.ts'

const head = (line: string, more = ''): string => `${line} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
const post = (length: number, more = ''): string =>
  head('POST /api/v2/posts', `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}`)
const bytes = (count: number): string => 'a'.repeat(count)

/** One after the other. */
const rawBytes: readonly (string | Uint8Array)[] = [
  '',
  'GET /api/v2/posts HT',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  Uint8Array.from({ length: 1_000 }, (_, at) => (at * 7_919) % 256),
  head('GET /', 'Content-Length: 5\r\nContent-Length: 6\r\n'),
  head('POST /api/v2/posts', 'Transfer-Encoding: chunked\r\nContent-Length: 6\r\n'),
  head('GET /', 'Authorization: a\r\nAuthorization: b\r\n'),
  head(`GET /${bytes(60_000)}`),
  head('GET /', `A: ${bytes(60_000)}\r\n`),
  head('GET /', 'a: b\r\n'.repeat(3_000)),
  head('FOO /'),
  head('GET /', 'Expect: the-impossible\r\n'),
  head('GET /%ZZ'),
  head('GET /api/v2/posts?limit=100').repeat(300),
  post(1_000_000) + bytes(500_000),
  `${post(100)}[1,`,
  post(2_000_000),
  post(100_000, 'Content-Encoding: gzip\r\n') + bytes(100_000),
]
const bodies: readonly string[] = [
  '{',
  '{"title":"a","title":"b"}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '{"__proto__":{"role":"ADMIN"},"title":"a","content":"b"}',
  '{"title":1e999}',
  '{"title":"\\ud800","content":"\\u0000"}',
  JSON.stringify({ title: bytes(500_000), content: bytes(500_000) }),
  JSON.stringify({ posts: Array.from({ length: 1_000 }, () => ({})) }),
]

export const hostile: Readonly<Record<string, Visit>> = {
  raw: ({ raw }, round) => raw(rawBytes[round % rawBytes.length]!),
  neverReads: ({ raw }) => raw(head('GET /api/v2/posts?limit=100').repeat(50), { reads: false, waitMs: 1_000 }),

  async bodies({ send, token }, round) {
    await send(`POST /api/v2/posts${round % 2 === 0 ? '' : '/batch'}`, { token, body: bodies[round % bodies.length] })
  },

  /** Everything that a cache could keep is different each time. */
  async fillsCaches({ send }, round) {
    await send(`GET /api/v2/posts/post_${String(round).padStart(26, '0')}`)
    await send(`GET /api/v2/nothing-${round}?a${round}=b`)
    await send('GET /api/v2/posts?limit=1', { token: `a.${round}.b` })
    await send('GET /api/v2/posts?limit=1', { headers: { 'X-API-Key': `duet_${round}` } })
    await send('GET /api/v2/posts?limit=1', { headers: { 'X-Forwarded-For': `10.0.${round % 256}.1` } })
    await send(`GET /api/v2/posts?limit=1&cursor=${Buffer.from(`${round}`).toString('base64url')}`)
    await send('POST /graphql', {
      body: { query: `query a${round} { b${round}: userList(limit: 1) { c${round}: id } }` },
    })
    await send('POST /graphql', { body: { query: `{ a${round}: nothing }` } })
    const extensions = { persistedQuery: { version: 1, sha256Hash: round.toString(16).padStart(64, '0') } }
    await send('POST /graphql', { body: { extensions } })
  },

  async asksTooMuch({ send }, round) {
    const deep = `${'{ posts { author '.repeat(20)}{ id }${'} }'.repeat(20)}`
    const wide = `{ ${Array.from({ length: 200 }, (_, at) => `a${at}: userList(limit: 100) { posts(limit: 100) { title } }`).join(' ')} }`
    const heavy = '{ userList(limit: 20) { name posts(limit: 20) { title comments(limit: 20) { content } } } }'
    const query = [deep, wide, heavy, bytes(200_000), `{ __schema { types { name } } }`][round % 5]
    await send('POST /graphql', { body: { query } })
  },

  /** One large field under hundreds of names, six times at once: without a limit on answers these would be gigabytes. */
  async repeatsFields({ send }, round) {
    const names = Array.from({ length: 450 }, (_, at) => `a${at}: content`).join(' ')
    const query = `query r${round % 10} { postList(limit: 100) { ${names} } }`
    await Promise.all(Array.from({ length: 6 }, () => send('POST /graphql', { body: { query } })))
  },

  /** Texts that take long to compare, unless that takes a time that grows as they do. */
  async sendsMarks({ send, token }, round) {
    const part = ['\u0301\u0323', '\u0301\uff9e', '\ufdfa'][round % 3]!
    const hostileText = part.repeat(300_000 / Buffer.byteLength(part))
    await send('POST /api/v2/posts', { token, body: { title: 'Marks', content: hostileText } })
    await send('POST /auth/login', { body: { email: 'user1@example.com', password: hostileText.slice(0, 4_000) } })
  },

  /** Lists, totals and conditions that look at all there is, under forty names. */
  async looksAtAll({ send, token }, round) {
    const names = (list: (at: number) => string) => Array.from({ length: 40 }, (_, at) => `a${at}: ${list(at + round)}`)
    const lists = names((at) => `postList(limit: ${1 + (at % 100)}, page: ${1 + (at % 90)}) { id }`)
    await send('POST /graphql', { token, body: { query: `{ ${lists.join(' ')} }` } })
    await send(`GET /api/v2/posts?page=${1 + (round % 90)}&per_page=100`, { token })
    await send(`GET /api/v2/comments?limit=100&sort=-created_at`, { token })
  },

  /** A generator that never waits. */
  async streams({ send }) {
    await send('GET /api/v2/soak/pieces')
  },

  async guesses({ send }, round) {
    await send('POST /auth/login', { body: { email: `user${round % 90}@example.com`, password: `guess ${round}` } })
    await send('POST /auth/refresh', { body: { refresh_token: `rt_${String(round).padEnd(43, 'a')}` } })
    await send('POST /auth/forgot-password', { body: { email: `nobody${round}@example.com` } })
  },

  async abusesSockets({ port }, round) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, ['graphql-transport-ws']).on('error', () => {})
    const closed = once(socket, 'close').then(() => 'closed')
    if ((await Promise.race([once(socket, 'open'), closed])) === 'closed') return
    const init = '{"type":"connection_init"}'
    const subscribe = (id: number) =>
      `{"type":"subscribe","id":"${id}","payload":{"query":"subscription { postCreated { id content } }"}}`
    const frames = [
      ['nonsense'],
      [init, init],
      [subscribe(1)],
      [init, bytes(100_000)],
      [init, ...Array.from({ length: 150 }, (_, at) => subscribe(at))],
      [],
    ][round % 6]!
    for (const frame of frames) {
      socket.send(frame)
      // Acknowledged, if it was good for that.
      if (frame === init) await Promise.race([once(socket, 'message'), closed])
    }
    // A client that hears nothing any more, and then is gone without a word.
    socket.pause()
    await pause(500)
    socket.terminate()
  },

  /** All at once, for a moment. */
  async bursts({ send, posts }) {
    const answers = Array.from({ length: sized(500, 20) }, (_, at) =>
      send(`GET /api/v2/posts/${posts[at % posts.length]}`),
    )
    await Promise.allSettled(answers)
    await pause(secondsOf(10) * 1_000)
  },
}
