// Well-behaved clients.

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { secondsOf } from '../scale.ts'
import type { Site, Visit } from './traffic.ts'

const anyOf = <T>(all: readonly T[], round: number): T => all[round % all.length]!
const nested = '{ userList(limit: 5) { name posts(limit: 5) { title } } }'

const visits: Readonly<Record<string, Visit>> = {
  async reads({ send, posts }, round) {
    await send(`GET /api/v2/posts/${anyOf(posts, round)}`)
    await send(`GET /api/v2/posts?limit=20&sort=-created_at`)
    await send(`GET /api/v2/users?page=${1 + (round % 5)}&per_page=20`)
  },

  async writes({ send, posts, token }, round) {
    const headers = { 'Idempotency-Key': `soak-${round}` }
    const body = { title: `Soak ${round}`, content: 'Words. '.repeat(1 + (round % 200)), publish: true }
    const { status, body: made } = await send('POST /api/v2/posts', { token, headers, body })
    if (status !== 201) return
    await send('POST /api/v2/posts', { token, headers, body })
    await send(`PATCH /api/v2/posts/${made.data.id}`, { token, body: { title: 'Changed' } })
    await send('POST /api/v2/comments', { token, body: { post_id: anyOf(posts, round), content: 'Well said.' } })
    await send(`DELETE /api/v2/posts/${made.data.id}`, { token })
  },

  async asks({ send, token }, round) {
    await send('POST /graphql', { body: { query: nested } })
    await send('POST /graphql', { token, body: { query: '{ me { id name email } }' } })
    await send('POST /graphql', {
      token,
      body: {
        query: 'mutation ($title: String!) { createPost(input: { title: $title, content: "C" }) { id } }',
        variables: { title: `Soak ${round}` },
      },
    })
  },

  async signsIn({ send }, round) {
    const body = { email: `user${round % 90}@example.com`, password: 'soak-password' }
    const { status, body: tokens } = await send('POST /auth/login', { body })
    if (status !== 200) return
    const renewed = await send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
    if (renewed.status !== 200) return
    await send('GET /api/v2/users/me', { token: renewed.body.access_token })
    await send('POST /auth/logout', { body: { refresh_token: renewed.body.refresh_token } })
  },

  async subscribes({ port, tally }) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, ['graphql-transport-ws'])
    const closed = once(
      socket.on('error', () => {}),
      'close',
    ).then(() => 'closed')
    // Closed where it is told to come back.
    if ((await Promise.race([once(socket, 'open'), closed])) === 'closed') return
    socket.send('{"type":"connection_init"}')
    if ((await Promise.race([once(socket, 'message'), closed])) === 'closed') return
    socket.on('message', (data) => {
      if (String(data).includes('INTERNAL_ERROR')) tally.complain(`a message: ${String(data).slice(0, 200)}`)
    })
    for (const [id, field] of ['postCreated { id title author { name } }', 'postPublished { id }'].entries()) {
      socket.send(JSON.stringify({ type: 'subscribe', id: `${id}`, payload: { query: `subscription { ${field} }` } }))
    }
    await pause(secondsOf(2) * 1_000)
    socket.close()
    await closed
  },

  async looksAfterIt({ send, tally }) {
    const { status } = await send('GET /health')
    if (status !== 200) tally.complain(`health is ${status}`)
    await pause(200)
  },
}

export const good: Readonly<Record<string, Visit>> = Object.fromEntries(
  Object.entries(visits).map(([name, visit]) => [name, (site, round) => visit(checked(site), round)]),
)

/** What is refused to these, unless the service is busy, is wrong. */
function checked(site: Site): Site {
  return {
    ...site,
    async send(line, sending) {
      const answer = await site.send(line, sending)
      const errors: readonly { readonly extensions: { readonly code: string } }[] = answer.body?.errors ?? []
      const isRefused = errors.some(({ extensions }) => extensions.code !== 'SERVICE_UNAVAILABLE')
      if (isRefused || (answer.status >= 400 && answer.status < 500)) {
        site.tally.complain(`${answer.status} to ${line}: ${JSON.stringify(answer.body).slice(0, 200)}`)
      }
      return answer
    },
  }
}
