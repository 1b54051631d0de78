// Records that tests are about, by name. Each row makes those that it names, anew, so that no row depends on another.

import { count as giveNumbers, uncountedBy } from '../../../src/action/row/count.ts'
import { writeNumbers } from '../../../src/action/row/kept-number.ts'
import { insertRecord, newRecord } from '../../../src/action/row/record.ts'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { makeId } from '../../../src/resource/model/id.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { dialectOf } from '../../../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../../../src/store/sql/write/write-statements.ts'
import type { Store } from '../../../src/store/store.ts'
import { dataCipher } from '../server/data-key.ts'

/** A record's fields, under the name of its resource. Texts may name actors and other fixtures, such as `{editor}`. */
export type Recipe = Readonly<Record<string, Readonly<Record<string, unknown>>>>
export type Recipes = Readonly<Record<string, Recipe>>

const past = new Date('2026-11-01T12:00:00.000Z')
const published = { title: 'Published', content: 'For everyone.', tags: ['one', 'two'], publishedAt: past }
const draft = { title: 'Draft', content: 'Not yet.', tags: [] }
const article = { title: 'Article', body: 'Words.', author: '{editor}' }
const order = {
  user: '{viewer}',
  items: [{ product: '{product}', quantity: 2, unitPrice: 500 }],
  total: 1000,
  currency: 'EUR',
}

/**
 * What every table of clauses may name. Posts and articles are the editor's unless they say otherwise. Besides these:
 * `{unique}` is a word that nobody had before, `{word}` one that stays the same for the row.
 */
export const recipes: Recipes = {
  member: { User: { name: 'Member', role: 'VIEWER' } },
  writer: { User: { name: 'Writer', role: 'EDITOR' } },
  suspended: { User: { name: 'Suspended', status: 'SUSPENDED' } },
  deactivated: { User: { name: 'Deactivated', status: 'DEACTIVATED' } },

  post: { Post: { ...published, author: '{editor}' } },
  'other post': { Post: { ...published, author: '{other editor}' } },
  draft: { Post: { ...draft, author: '{editor}' } },
  'other draft': { Post: { ...draft, author: '{other editor}' } },

  comment: { Comment: { post: '{post}', author: '{viewer}', content: 'Well said.' } },
  'other comment': { Comment: { post: '{post}', author: '{other viewer}', content: 'Indeed.' } },
  'hidden comment': { Comment: { post: '{draft}', author: '{editor}', content: 'To do.' } },

  'draft article': { Article: { ...article, status: 'draft' } },
  'in_review article': { Article: { ...article, status: 'in_review' } },
  'published article': { Article: { ...article, status: 'published' } },
  'archived article': { Article: { ...article, status: 'archived' } },
  'other draft article': { Article: { ...article, author: '{other editor}', status: 'draft' } },
  'other published article': { Article: { ...article, author: '{other editor}', status: 'published' } },

  product: { Product: { name: 'Pan', category: 'kitchen', price: 500, currency: 'EUR', stock: 10 } },
  'dollar product': { Product: { name: 'Pot', category: 'kitchen', price: 700, currency: 'USD', stock: 10 } },
  'last product': { Product: { name: 'Lid', category: 'kitchen', price: 200, currency: 'EUR', stock: 1 } },

  'pending order': { Order: { ...order, status: 'pending' } },
  'paid order': { Order: { ...order, status: 'paid' } },
  'cancelled order': { Order: { ...order, status: 'cancelled' } },
  'other order': { Order: { ...order, user: '{other viewer}', status: 'pending' } },
}

/** At a closed port. */
export const webhookOf = (user: string, status = 'active'): Recipe => ({
  Webhook: { user, url: 'http://127.0.0.1:9/', events: ['postCreated'], status, signingKey: 'whsec_AAAA' },
})

/** What the service keeps of itself, which no client makes as it is here; all but the events are this user's. */
export const kept = (user: string) =>
  ({
    key: { ApiKey: { user, name: 'K', scopes: ['read:*'], prefix: 'duet_AAAAAAA' } },
    session: { Session: { user, lastUsedAt: new Date(0), userAgent: 'A browser', ip: '192.0.2.1' } },
    hook: webhookOf(user),
    delivery: { WebhookDelivery: { webhook: '{hook}', event: 'postCreated', status: 'failed', attempts: 1 } },
    'sign-in method': { SignInMethod: { user, kind: 'passkey', name: 'Laptop' } },
    event: { SecurityEvent: { type: 'x', user: '{member}', ip: '192.0.2.1', requestId: 'r', details: {} } },
    use: {
      DeprecatedUse: {
        what: 'v1',
        principal: '{member}',
        client: 'web',
        day: new Date(0),
        count: 1,
        removableFrom: new Date(0),
      },
    },
  }) satisfies Recipes

/** `{draft}` in a text, wherever it stands. Braces of GraphQL and JSON have a space or a quote behind them. */
export const placeholder = /\{([a-z][\w-]*(?: [\w-]+)*)\}/g

export interface Fixtures {
  /** The id behind a name; makes the record, and those that it names, where this is the first time. */
  idOf(name: string): Promise<string>
  /** Puts ids in the place of names, at any depth. */
  fill<T>(value: T): Promise<T>
  /** Gives a name to something that an answer said. */
  keep(name: string, value: string): void
}

/** Makes the fixtures of one row. `known` are ids of what is there already: the actors. */
export type MakeFixtures = (knownIds: ReadonlyMap<string, string>, own: Recipes) => Fixtures

export function createFixtures(model: Model, store: Store, passwordHash: string, clock: () => Date): MakeFixtures {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  let count = 0

  return (knownIds, own) => {
    const ids = new Map<string, string | Promise<string>>(knownIds)
    async function idOf(name: string): Promise<string> {
      if (name === 'unique') return `n${++count}`
      // Whoever asks while it is being made waits for the same record.
      return getOrInsert(ids, name, () => (name === 'word' ? `word-${++count}` : make(name)))
    }
    async function make(name: string): Promise<string> {
      const recipe = own[name] ?? recipes[name]
      if (recipe === undefined) throw new Error(`Nobody knows what {${name}} is.`)
      const [[resource, values]] = Object.entries(recipe) as [[string, Readonly<Record<string, unknown>>]]
      const usual = resource === 'User' ? { email: `fixture.${++count}@example.com`, emailVerified: true } : {}
      return insert(resource, await fill({ ...usual, ...values }))
    }

    async function fill<T>(value: T): Promise<T> {
      return (await filled(value, idOf)) as T
    }
    return { idOf, fill, keep: (name, value) => void ids.set(name, value) }
  }

  async function insert(name: string, values: Readonly<Record<string, unknown>>): Promise<string> {
    const resource = model.byName.get(name)!
    const now = clock()
    const id = makeId(resource.prefix, now)
    const record = { ...newRecord(resource, id, values, now), ...values }
    const secrets = resource.columns.filter((each) => each.spec.kind === 'password')
    const hashes = new Map(secrets.map((each) => [each.field, passwordHash]))
    await store.write(function* () {
      const scope = { statements, dialect, cipher: dataCipher, numbers: new Map(), exclusions: new Map() }
      yield* insertRecord(resource, { record, hashes }, scope)
      yield* giveNumbers(uncountedBy(resource, [], { id, before: null, after: record }), scope)
      yield* writeNumbers(scope)
    })
    return id
  }
}

async function filled(value: unknown, idOf: (name: string) => Promise<string>): Promise<unknown> {
  if (typeof value === 'string') {
    let text = value
    for (const [braced, name] of value.matchAll(placeholder)) text = text.replaceAll(braced, await idOf(name!))
    return text
  }
  if (Array.isArray(value)) {
    const all = []
    for (const each of value) all.push(await filled(each, idOf))
    return all
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const members: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(value)) members[name] = await filled(each, idOf)
  return members
}
