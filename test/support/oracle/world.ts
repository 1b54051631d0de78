// A small world of records, once as plain objects for the oracle and once in a database.

import { api } from '../../../reference/service.ts'
import type { Runner } from '../../../src/action/call.ts'
import { insertRecord, newRecord } from '../../../src/action/row/record.ts'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { allOptimisations, type Optimisations } from '../../../src/read-plan/optimise/optimise.ts'
import { createPlanCache } from '../../../src/read-plan/plan-cache.ts'
import type { Actor } from '../../../src/resource/actor.ts'
import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { graphqlVocabulary } from '../../../src/resource/model/vocabulary.ts'
import { migrate } from '../../../src/store/migration/migrate.ts'
import { desiredSchema, type Schema } from '../../../src/store/sql/schema/schema.ts'
import { type Dialect, dialectOf } from '../../../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../../../src/store/sql/write/write-statements.ts'
import type { Store } from '../../../src/store/store.ts'
import { quietRunner } from '../server/quiet-runner.ts'
import type { Random } from './random.ts'

/** A record as the oracle sees it; relations are ids. */
export type Row = Readonly<Record<string, unknown>> & { readonly of: string; readonly id: string }
export interface World {
  readonly model: Model
  readonly runner: Runner
  readonly dialect: Dialect
  /** Living records, by type. */
  readonly rows: ReadonlyMap<string, readonly Row[]>
  /** Ids of living, deleted and never existing records, by type. */
  readonly ids: ReadonlyMap<string, readonly string[]>
  /** Who follows whom. */
  readonly follows: readonly (readonly [follower: string, followed: string])[]
  readonly actors: readonly (Actor | null)[]
  /** The moment of every write. */
  readonly now: Date
  /** The id of the next record; `countIdsFrom` says which, so that two worlds can count alike. */
  readonly nextId: (prefix: string) => string
  readonly countIdsFrom: (number: number) => void
}

/** The reference service, whose posts take comments and whose users accept a list of followed users. */
const withLists = {
  ...api,
  resources: {
    ...api.resources,
    Post: accepting(accepting(api.resources.Post, 'create', 'comments'), 'update', 'comments'),
    User: accepting(api.resources.User, 'update', 'following'),
  },
} as unknown as typeof api

function accepting<R extends object>(resource: R, action: string, list: string): R {
  const { actions } = resource as unknown as { actions: Record<string, { accept: readonly string[] }> }
  const { accept } = actions[action]!
  return { ...resource, actions: { ...actions, [action]: { ...actions[action], accept: [...accept, list] } } }
}

const beginning = Date.UTC(2026, 10, 1)
const base32 = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']
/** What it encrypts is never read. */
const cipher = { encrypt: (text: string) => text, decrypt: (text: string) => text }
const words = ['alpha', 'Beta', 'gamma', 'Ünder', 'zeta', '日本', '😀 joy', 'a"b\\c', 'alpha']

/** The tables of a world, for a prepared database. */
export const worldSchema = (dialect: Dialect): Schema => desiredSchema(compileModel(withLists), dialect, [])

/** Fills an empty store. Some of what is made is deleted again, with all that goes with it. */
export async function makeWorld(
  store: Store,
  random: Random,
  options: { readonly optimisations?: Optimisations; readonly dialect?: Dialect } = {},
): Promise<World> {
  const { optimisations = allOptimisations, dialect = dialectOf(store.engine) } = options
  const model = compileModel(withLists)
  await migrate(store, worldSchema(dialect))
  const now = new Date(beginning + 90 * 86_400_000)
  const counted = countIds()
  const runner = quietRunner({
    model,
    store,
    dialect,
    plans: createPlanCache(model, dialect, optimisations),
    clock: () => now,
    newId: ({ prefix }) => counted.nextId(prefix),
  })
  const statements = createWriteStatements(dialect)
  const rows = new Map<string, Row[]>()
  // Few moments, so that many records share one and only the id decides their order.
  const moment = () => new Date(beginning + random.below(6) * 3_600_000)

  async function add(type: string, values: Readonly<Record<string, unknown>>): Promise<string> {
    const resource = model.byName.get(type)!
    const at = moment()
    const id = `${resource.prefix}_${Array.from({ length: 26 }, () => random.one(base32)).join('')}`
    const record = { ...newRecord(resource, id, values, at), ...values }
    const hashes = new Map([
      ['password', 'hash'],
      ['key', id],
      ['secret', id],
    ])
    await store.write(() => insertRecord(resource, { record, hashes }, { statements, dialect, cipher }))
    getOrInsert(rows, type, () => []).push({ ...record, of: type, id })
    return id
  }
  const many = async (count: number, type: string, values: (at: number) => Readonly<Record<string, unknown>>) => {
    const ids: string[] = []
    for (let at = 0; at < count; at++) ids.push(await add(type, values(at)))
    return ids
  }
  const text = () => random.one(words)

  const roles = ['ADMIN', 'EDITOR', 'EDITOR', 'VIEWER', 'VIEWER']
  const users = await many(14, 'User', (at) => ({
    name: text(),
    email: `user${at}@example.com`,
    emailVerified: random.chance(0.5),
    role: roles[at] ?? random.one(roles),
    status: at === 0 ? 'ACTIVE' : random.one(['ACTIVE', 'SUSPENDED']),
    bio: random.chance(0.5) ? text() : null,
    preferences: { theme: random.one(['dark', 'light']), nested: { list: [1, 'two', null] } },
  }))
  const posts = await many(40, 'Post', () => ({
    title: text(),
    content: text(),
    tags: random.chance(0.8) ? random.some(['one', 'two', 'three'], 3) : [],
    author: random.one(users),
    publishedAt: random.chance(0.6) ? moment() : null,
  }))
  await many(80, 'Comment', () => ({ post: random.one(posts), author: random.one(users), content: text() }))
  await many(20, 'Article', () => ({
    title: text(),
    body: text(),
    author: random.one(users),
    status: random.one(['draft', 'in_review', 'published', 'archived']),
  }))
  const products = await many(12, 'Product', () => ({
    name: text(),
    category: random.one(['garden', 'kitchen']),
    price: random.below(5) * 100,
    currency: 'EUR',
    stock: random.below(10),
  }))
  await many(24, 'Order', () => ({
    user: random.one(users),
    status: random.one(['pending', 'paid', 'cancelled']),
    items: Array.from({ length: 1 + random.below(3) }, () => ({
      product: random.one(products),
      quantity: 1 + random.below(9),
      unitPrice: random.below(5) * 100,
    })),
    total: random.below(5) * 100,
    currency: 'EUR',
  }))

  await many(12, 'ApiKey', () => ({
    user: random.one(users),
    name: text(),
    scopes: random.some(['read:posts', 'read:*', '*'], 2),
    prefix: 'duet_0123456',
    expiresAt: random.chance(0.5) ? moment() : null,
    lastUsedAt: random.chance(0.5) ? moment() : null,
  }))
  await many(12, 'Session', () => ({ user: random.one(users), lastUsedAt: moment(), userAgent: text(), ip: '::1' }))
  await many(12, 'SignInMethod', () => ({ user: random.one(users), kind: 'passkey', name: text() }))
  // Who is deleted has none, since those with deliveries stay.
  const webhooks = await many(12, 'Webhook', () => ({
    user: random.one(users.slice(0, -2)),
    url: 'https://example.com/hooks',
    events: random.some(['postCreated', 'postDeleted'], 2),
    apiVersion: random.one(['v1', 'v2']),
    signingKey: 'key',
    status: random.one(['active', 'paused']),
    pausedReason: random.chance(0.5) ? random.one(['gone', 'failing']) : null,
    rotatedAt: random.chance(0.5) ? moment() : null,
  }))
  await many(30, 'WebhookDelivery', () => ({
    webhook: random.one(webhooks),
    event: random.one(['one', 'two']),
    status: random.one(['waiting', 'delivered', 'failed', 'skipped']),
    attempts: random.below(5),
    nextAttemptAt: random.chance(0.5) ? moment() : null,
    deliveredAt: random.chance(0.5) ? moment() : null,
    responseStatus: random.chance(0.5) ? 500 : null,
    responseText: random.chance(0.5) ? text() : null,
  }))
  await many(16, 'SecurityEvent', () => ({
    type: random.one(['one', 'two']),
    user: random.chance(0.7) ? random.one(users) : null,
    ip: '::1',
    requestId: 'r',
    details: { said: text() },
  }))
  await many(16, 'DeprecatedUse', () => ({
    what: random.one(['v1', 'Comment.text']),
    principal: random.one(['anonymous', ...users]),
    client: random.one(['one', 'two']),
    day: moment(),
    count: random.below(5),
    removableFrom: moment(),
  }))

  const person = (id: string, role: string, scopes: readonly string[] | null = null): Actor => ({
    id,
    role,
    permissions: model.roles.get(role)!,
    scopes: scopes === null ? null : new Set(scopes),
    credential: { kind: 'bearer', sessionId: null, expiresAt: new Date(8.64e15) },
  })
  const admin = person(users[0]!, 'ADMIN')
  const write = (actor: Actor, type: string, action: string, id: string) =>
    runner.write({
      action: model.byName.get(type)!.actions.get(action)!,
      actor,
      input: () => ({ targets: [{ id, input: {} }] }),
      vocabulary: graphqlVocabulary(),
      root: null,
      lists: [],
      request: null,
    })

  const follows: [string, string][] = []
  for (const follower of users) {
    for (const followed of random.some(users, 5)) {
      if (follower === followed) continue
      await write(person(follower, 'ADMIN'), 'User', 'follow', followed)
      follows.push([follower, followed])
    }
  }

  const ids = new Map([...rows].map(([type, all]) => [type, [...all.map((each) => each.id), 'nonsense', `${type}_1`]]))
  const gone = new Set<string>()
  const remove = async (type: string, id: string) => {
    await write(admin, type, 'delete', id)
    gone.add(id)
  }
  for (const id of users.slice(-2)) await remove('User', id)
  const keeps = ['Order', 'SecurityEvent']
  const isGone = (row: Row): boolean =>
    gone.has(row.id) ||
    gone.has(row['author'] as string) ||
    (!keeps.includes(row.of) && gone.has(row['user'] as string)) ||
    (row.of === 'Comment' && isGone(rows.get('Post')!.find((post) => post.id === row['post'])!))
  for (const id of posts.slice(-3))
    if (!isGone(rows.get('Post')!.find((post) => post.id === id)!)) await remove('Post', id)

  const living = new Map(
    [...rows].map(([type, all]) => [
      type,
      all
        .filter((row) => !isGone(row))
        .map((row) => (gone.has(row['user'] as string) ? { ...row, user: null, updatedAt: now } : row)),
    ]),
  )
  return {
    ...counted,
    now,
    model,
    runner,
    dialect,
    rows: living,
    ids,
    follows: follows.filter((ends) => !ends.some((id) => gone.has(id))),
    actors: [
      null,
      admin,
      person(users[1]!, 'EDITOR'),
      person(users[2]!, 'EDITOR'),
      person(users[3]!, 'VIEWER'),
      person(users[4]!, 'VIEWER'),
      person(users[1]!, 'EDITOR', ['read:posts', 'read:comments']),
      person(users[0]!, 'ADMIN', ['read:users', 'read:orders']),
    ],
  }
}

/** Ids that are the same in every world that counts from the same number. */
export function countIds(): Pick<World, 'nextId' | 'countIdsFrom'> {
  let number = 0
  return {
    nextId: (prefix) => `${prefix}_${String(number++).padStart(26, '0')}`,
    countIdsFrom(from) {
      number = from
    },
  }
}
