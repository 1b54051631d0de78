// A client that writes all it can until the service dies, and remembers what it was told and what it was not.

import { demoPassword } from '../../../src/service/configuration/demo-password.ts'
import { type Answer, type Client, createClient } from '../client/http-client.ts'

/** A write that was sent. `id` is null where no answer came. */
export interface SentWrite {
  readonly line: string
  readonly key: string
  readonly body: unknown
  id: string | null
}
export interface Written {
  readonly creates: SentWrite[]
  /** The name that a record was given last, and whether that was answered. */
  readonly renames: { sent: number; answered: number }
  /** The last refresh token that was told, and whether another was asked for. */
  readonly session: { token: string; isAsking: boolean }
  readonly cancelled: string[]
}
export interface Subjects {
  readonly adminToken: string
  readonly productId: string
  readonly postId: string
  /** The name of that post has this number. */
  readonly renamed: number
}

const typed = (token: string, key?: string) => ({
  Authorization: `Bearer ${token}`,
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
})

export async function signIn(
  client: Client,
  name: string,
): Promise<{ readonly access: string; readonly refresh: string }> {
  const body = { email: `${name}@example.com`, password: demoPassword }
  const { access_token, refresh_token } = wanted(await client.send('POST /auth/login', { body }), 200)
  return { access: access_token, refresh: refresh_token }
}

/** Writes in several ways at once; resolves when the service is gone. `onAnswer` is called for every write that it answers. */
export async function writeUntilGone(
  url: string,
  { adminToken, productId, postId, renamed }: Subjects,
  round: string,
  onAnswer: () => void,
): Promise<Written> {
  const client = createClient(url)
  const { refresh } = await signIn(client, 'editor')
  const creates: SentWrite[] = []
  const renames = { sent: renamed, answered: renamed }
  const session = { token: refresh, isAsking: false }
  const cancelled: string[] = []
  let count = 0

  async function create(line: string, bodyOf: (name: string) => unknown): Promise<string> {
    const name = `${round} ${count++}`
    const key = name.replaceAll(' ', '-')
    const write: SentWrite = { line, key, body: bodyOf(name), id: null }
    creates.push(write)
    const { data } = wanted(await client.send(line, { headers: typed(adminToken, key), body: write.body }), 201)
    write.id = Array.isArray(data) ? data[0].id : data.id
    onAnswer()
    return write.id!
  }
  const post = (title: string) => ({ title, content: 'Words.', publish: true })
  const ways: (() => Promise<unknown>)[] = [
    ...Array.from({ length: 3 }, () => () => create('POST /api/v2/posts', post)),
    () => create('POST /api/v2/posts/batch', (name) => ({ posts: [1, 2, 3].map((at) => post(`${name}/${at}`)) })),
    () => create('POST /api/v2/orders', () => ({ items: [{ product_id: productId, quantity: 1 }] })),
    async () => {
      const id = await create('POST /api/v2/orders', () => ({ items: [{ product_id: productId, quantity: 1 }] }))
      wanted(await client.send(`POST /api/v2/orders/${id}/cancel`, { headers: typed(adminToken) }), 200)
      cancelled.push(id)
    },
    async () => {
      renames.sent++
      const body = { title: `name ${renames.sent}` }
      wanted(await client.send(`PATCH /api/v2/posts/${postId}`, { headers: typed(adminToken), body }), 200)
      renames.answered = renames.sent
    },
    async () => {
      session.isAsking = true
      const answer = await client.send('POST /auth/refresh', { body: { refresh_token: session.token } })
      session.token = wanted(answer, 200).refresh_token
      session.isAsking = false
    },
  ]
  await Promise.all(ways.map(forever))
  client.close()
  return { creates, renames, session, cancelled }
}

/** Until it fails because nobody is there. What is told to come back has not been done. */
async function forever(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      if (['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes((error as { code?: string }).code ?? '')) return
      if (!(error as Error).message.startsWith('answered 503')) throw error
    }
  }
}

export function wanted({ status, body, text }: Answer, expected: number): Answer['body'] {
  if (status !== expected) throw new Error(`answered ${status}: ${text}`)
  return body
}
