// What a client lives through: each story is told in Node and in a browser, and answers plain facts to be compared. It may
// import nothing but the client.

import { createClient, DuetError, isReplayed, type SignedOut, type TokenStorage } from 'duet-api/client'
import { createSubscriptions } from 'duet-api/client/subscriptions'
import type { api } from '../../../reference/service.ts'
import type { Director } from '../server/replaceable-service.ts'

export interface Told {
  readonly url: string
  readonly director: Director
  /** Where this client keeps its tokens. */
  readonly storage?: () => TokenStorage
  readonly refreshTokenIn?: 'cookie'
}
export type Story = (setting: Told) => Promise<unknown>

const minutes = 60_000

function begin({ url, director, storage, refreshTokenIn }: Told) {
  const signals: SignedOut[] = []
  let elapsed = 0
  const client = createClient<typeof api>(url, {
    version: 'v2',
    json: { preferences: true, details: true },
    name: 'stories',
    ...(storage === undefined ? {} : { storage: storage() }),
    ...(refreshTokenIn === undefined ? {} : { refreshTokenIn }),
    retry: { timeoutMs: 10 * minutes, pauseMaxMs: 900 },
    surroundings: {
      now: () => Date.now() + elapsed,
      // Nobody waits for a minute: the clock is moved instead, here and there.
      async sleep(milliseconds) {
        if (milliseconds < 1_000) return new Promise((resolve) => setTimeout(resolve, Math.min(milliseconds, 20)))
        elapsed += milliseconds
        await director.advance(Math.ceil(milliseconds))
      },
    },
  })
  client.onSignedOut((event) => signals.push(event))
  const forget = (milliseconds: number) => {
    elapsed += milliseconds
  }
  return { client, signals, forget }
}
const codeOf = (thrown: unknown): string => (thrown instanceof DuetError ? thrown.code : String(thrown))
const fifty = Array.from({ length: 50 }, (_, index) => index)

export const stories = {
  /** The service finds the token expired; the client's clock did not move. */
  async 'a token expires during fifty calls'(setting) {
    const { client, signals } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account())
    const before = await director.count('POST /auth/refresh')
    await director.advance(16 * minutes)
    const answers = await Promise.all(fifty.map(() => client.users.get('me', { fields: ['id', 'email'] })))
    const refreshes = (await director.count('POST /auth/refresh')) - before
    return { ids: new Set(answers.map(({ id }) => id)).size, refreshes, signals }
  },

  /** The client knows: nothing is refused first. */
  async 'a token is about to expire before fifty calls'(setting) {
    const { client, forget } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account())
    await director.advance(14.8 * minutes)
    forget(14.8 * minutes)
    const before = [await director.count('POST /auth/refresh'), await director.count('GET /api/v2/users/me')] as const
    await Promise.all(fifty.map(() => client.users.get('me')))
    return {
      refreshes: (await director.count('POST /auth/refresh')) - before[0],
      reads: (await director.count('GET /api/v2/users/me')) - before[1],
    }
  },

  async 'too many requests'(setting) {
    const { client } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account('EDITOR'))
    await director.restart({ LIMIT_IP_PER_MINUTE: '3' })
    const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const createdIds = []
    for (const title of titles) createdIds.push(await client.posts.create({ title, content: 'C' }))
    await director.restart()
    return { titles: createdIds.map(({ title }) => title).join(''), ids: new Set(createdIds.map(({ id }) => id)).size }
  },

  async 'the answer to a create is lost'(setting) {
    const { client } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account('EDITOR'))
    await director.loseAnswer('POST /api/v2/posts')
    const post = await client.posts.create({ title: 'Once', content: 'C' })
    const me = await client.users.get('me', { fields: ['id'] })
    const mine = await Array.fromAsync(client.posts.list({ filter: { authorId: me.id } }))
    return { isReplayed: isReplayed(post), mine: mine.map(({ id }) => id === post.id) }
  },

  async 'the answer to a delete is lost'(setting) {
    const { client } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account('EDITOR'))
    const post = await client.posts.create({ title: 'Gone', content: 'C' })
    await director.loseAnswer(`DELETE /api/v2/posts/${post.id}`)
    await client.posts.delete(post.id)
    return client.posts.get(post.id).catch(codeOf)
  },

  async 'the answer to a change is lost'(setting) {
    const { client } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account('EDITOR'))
    const post = await client.posts.create({ title: 'Before', content: 'C' })
    await director.loseAnswer(`PATCH /api/v2/posts/${post.id}`)
    const told1 = await client.posts.update(post.id, { title: 'After' }, { ifMatch: post }).catch(codeOf)
    // It was not sent again, and what became of it can be read.
    const { title } = await client.posts.get(post.id)
    const stale = await client.posts.update(post.id, { title: 'Late' }, { ifMatch: post }).catch(codeOf)
    return { told: told1, title, stale }
  },

  async 'a session is revoked'(setting) {
    const { client, signals } = begin(setting)
    const { director } = setting
    const login = await director.account()
    await client.signIn(login)
    await director.revoke(login.email)
    const codes = await Promise.all(fifty.map(() => client.users.get('me').then(() => 'read', codeOf)))
    const publicRead = await client.products.page({ limit: 1 })
    return { signals, codes: [...new Set(codes)], isSignedIn: await client.restore(), records: publicRead.data.length }
  },

  /** Some streams have seen an event before, some have not. */
  async '6.3.3 the service restarts under ten subscriptions'(setting) {
    const { client, signals } = begin(setting)
    const { director } = setting
    await client.signIn(await director.account())
    const events = createSubscriptions(client, { pauseMaxMs: 900 })
    const count = 12
    const streams = Array.from({ length: 10 }, () => events.on('postPublished', { fields: ['id', 'title'] }))
    const seen: string[][] = streams.map(() => [])
    const readings = streams.map(async (stream, index) => {
      for await (const { id } of stream) if (seen[index]!.push(id) === count) break
    })
    await Promise.all(streams.map(({ ready }) => ready))
    const published: string[] = []
    const publish = async () => void published.push(...(await director.publish(2)))
    await director.goAway()
    await publish()
    await director.restart()
    await publish()
    await director.cut()
    await publish()
    // The token expires, and another one resumes.
    await director.advance(16 * minutes)
    await publish()
    await director.restart()
    await publish()
    await publish()
    await Promise.all(readings)
    return { isSame: seen.every((ids) => ids.join() === published.join()), count: published.length, signals }
  },

  async '6.3.3 no WebSocket can be opened'(setting) {
    const { client, signals } = begin(setting)
    const { director } = setting
    await director.refuseSockets(true)
    await client.signIn(await director.account())
    const events = createSubscriptions(client, { pauseMaxMs: 900 })
    // A browser has six connections to a host.
    const streams = Array.from({ length: 3 }, () => events.on('postPublished', { fields: ['id'] }))
    const seen: string[][] = streams.map(() => [])
    const readings = streams.map(async (stream, index) => {
      for await (const { id } of stream) if (seen[index]!.push(id) === 8) break
    })
    await Promise.all(streams.map(({ ready }) => ready))
    const published: string[] = []
    const publish = async () => void published.push(...(await director.publish(2)))
    await publish()
    await director.cut()
    await publish()
    await director.restart()
    await publish()
    await director.advance(16 * minutes)
    await publish()
    await Promise.all(readings)
    const hidden = await events.subscribe('subscription { commentAdded(postId: "post_0") { id } }').next().catch(codeOf)
    const gone = await events
      .on('postCreated', { fields: ['id'], resumeAfter: 'x' })
      .next()
      .catch(codeOf)
    await director.refuseSockets(false)
    return { isSame: seen.every((ids) => ids.join() === published.join()), hidden, gone, signals }
  },

  async 'a stream is slower than the events'(setting) {
    const { client } = begin(setting)
    const { director } = setting
    const events = createSubscriptions(client, { pauseMaxMs: 900 })
    const stream = events.on('postPublished', { fields: ['id'], bufferMax: 4 })
    await stream.ready
    const published = await director.publish(15)
    const seen: string[] = []
    for await (const { id } of stream) if (seen.push(id) === published.length) break

    return seen.join() === published.join()
  },

  async 'a session is revoked under a subscription'(setting) {
    const { client, signals } = begin(setting)
    const { director } = setting
    const login = await director.account()
    await client.signIn(login)
    const events = createSubscriptions(client, { pauseMaxMs: 900 })
    const streams = [1, 2].map(() => events.on('postCreated', { fields: ['id'] }))
    await Promise.all(streams.map(({ ready }) => ready))
    const codes = streams.map((stream) => stream.next().then(() => 'told', codeOf))
    await director.revoke(login.email)
    return { codes: await Promise.all(codes), signals }
  },

  async 'a subscription is refused, aborted and left'(setting) {
    const { client } = begin(setting)
    const { director } = setting
    const events = createSubscriptions(client, { pauseMaxMs: 900 })
    const document = 'subscription($id: ID!) { commentAdded(postId: $id) { content } }'
    const hidden = await events.subscribe(document, { id: 'post_0' }).next().catch(codeOf)
    const gone = await events
      .on('postCreated', { fields: ['id'], resumeAfter: 'x' })
      .next()
      .catch(codeOf)
    const controller = new AbortController()
    const stream = events.on('postCreated', { fields: ['id'], signal: controller.signal })
    await stream.ready
    const next = stream.next().catch(codeOf)
    controller.abort('enough')
    const left = events.on('postCreated', { fields: ['id'] })
    await left.ready
    await left.return?.()
    return {
      hidden,
      gone,
      aborted: await next,
      left: await left.next(),
      upgrades: (await director.count('UPGRADE /graphql')) > 0,
    }
  },

  async 'somebody signs in, up and out'(setting) {
    const { client, signals } = begin(setting)
    const email = `${Date.now()}.${setting.refreshTokenIn ?? 'body'}@example.com`
    const login = { email, password: 'a password of her own' }
    const ada = await client.users.create({ name: 'Ada', ...login, preferences: { dark_mode: true, fontSize: 9 } })
    const refused = await client.signIn({ email, password: 'another' }).catch(codeOf)
    await client.signIn(login)
    const me = await client.users.get('me')
    const problem = await client.users.update('me', { avatarUrl: 'nowhere' }).catch((error: DuetError) => error)
    const changed = await client.users.update('me', { avatarUrl: 'https://a.bc/d.png' }, { ifMatch: me })
    await client.signOut()
    const after = await client.users.get('me').catch(codeOf)
    return {
      isMe: me.id === ada.id,
      refused,
      preferences: me.preferences,
      problem:
        problem instanceof Error ? [problem.code, problem.details[0]?.field, problem.requestId !== undefined] : null,
      avatarUrl: changed.avatarUrl,
      after,
      signals,
    }
  },
} satisfies Record<string, Story>

/** What each must answer. */
export const endings: { readonly [Name in keyof typeof stories]: unknown } = {
  'a token expires during fifty calls': { ids: 1, refreshes: 1, signals: [] },
  'a token is about to expire before fifty calls': { refreshes: 1, reads: 50 },
  'too many requests': { titles: 'abcdefg', ids: 7 },
  'the answer to a create is lost': { isReplayed: true, mine: [true] },
  'the answer to a delete is lost': 'NOT_FOUND',
  'the answer to a change is lost': { told: 'NETWORK_ERROR', title: 'After', stale: 'CONFLICT' },
  'a session is revoked': {
    signals: [{ reason: 'INVALID_TOKEN' }],
    codes: ['SIGNED_OUT'],
    isSignedIn: false,
    records: 0,
  },
  '6.3.3 the service restarts under ten subscriptions': { isSame: true, count: 12, signals: [] },
  '6.3.3 no WebSocket can be opened': { isSame: true, hidden: 'NOT_FOUND', gone: 'EVENTS_GONE', signals: [] },
  'a stream is slower than the events': true,
  'a session is revoked under a subscription': {
    codes: ['SIGNED_OUT', 'SIGNED_OUT'],
    signals: [{ reason: 'INVALID_TOKEN' }],
  },
  'a subscription is refused, aborted and left': {
    hidden: 'NOT_FOUND',
    gone: 'EVENTS_GONE',
    aborted: 'enough',
    left: { done: true, value: undefined },
    upgrades: true,
  },
  'somebody signs in, up and out': {
    isMe: true,
    refused: 'INVALID_CREDENTIALS',
    preferences: { dark_mode: true, fontSize: 9 },
    problem: ['VALIDATION_ERROR', 'avatarUrl', true],
    avatarUrl: 'https://a.bc/d.png',
    after: 'UNAUTHENTICATED',
    signals: [{ reason: 'SIGNED_OUT' }],
  },
}
