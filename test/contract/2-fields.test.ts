// The fields of every resource: what fits, just under, exactly and just over each limit.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { camel, createTwin } from '../support/rows/graphql-question.ts'
import type { Caller } from '../support/server/service.ts'
import type { Clause } from './contract.ts'

interface Subject {
  readonly clause: Clause
  readonly type: string
  readonly path: string
  readonly as: Caller
  /** What create needs, and no more. */
  readonly least: Readonly<Record<string, unknown>>
}
const users: Subject = {
  clause: '2.2.1',
  type: 'User',
  path: 'users',
  as: 'anonymous',
  least: { name: 'New', email: '{unique}@example.com', password: 'long enough' },
}
const posts: Subject = {
  clause: '2.2.2',
  type: 'Post',
  path: 'posts',
  as: 'editor',
  least: { title: 'Title', content: 'Content' },
}
const comments: Subject = {
  clause: '2.2.3',
  type: 'Comment',
  path: 'comments',
  as: 'viewer',
  least: { post_id: '{post}', content: 'Content' },
}
const articles: Subject = {
  clause: '2.2.4',
  type: 'Article',
  path: 'articles',
  as: 'editor',
  least: { title: 'Title', body: 'Body' },
}
const products: Subject = {
  clause: '2.2.5',
  type: 'Product',
  path: 'products',
  as: 'admin',
  least: { name: 'Pan', category: 'kitchen', price: 100, currency: 'EUR', stock: 1 },
}
const orders: Subject = {
  clause: '2.2.6',
  type: 'Order',
  path: 'orders',
  as: 'viewer',
  least: { items: [{ product_id: '{product}', quantity: 1 }] },
}

/** A create with this change is accepted, and answers it; `answers` where it answers something else. */
const takes = (subject: Subject, it: string, change: object, answers: object = change): Row => {
  const body = { ...subject.least, ...change }
  const data = Object.fromEntries(Object.entries(answers).filter(([name]) => name !== 'password'))
  const selected = [
    'id',
    ...Object.keys(data)
      .filter((name) => name !== 'items')
      .map(camel),
  ].join(' ')
  const { items: _, ...inBoth } = data as Record<string, unknown>
  return {
    clause: subject.clause,
    it: `${subject.path}: takes ${it}`,
    as: subject.as,
    send: `POST /api/v2/${subject.path}`,
    body,
    also: createTwin(subject.type, body, selected),
    answer: { status: 201, data: inBoth },
  }
}

/** A create with this change is refused for this field. A field that is `undefined` is not sent. */
const refuses = (subject: Subject, it: string, change: object, field: string | readonly string[]): Row => {
  const body = { ...subject.least, ...change }
  return {
    clause: subject.clause,
    it: `${subject.path}: refuses ${it}`,
    as: subject.as,
    send: `POST /api/v2/${subject.path}`,
    body,
    also: createTwin(subject.type, body),
    answer: { status: 400, code: 'VALIDATION_ERROR', ...(typeof field === 'string' ? { field } : { fields: field }) },
  }
}

/** Astral characters, so that a length is one of code points and not of bytes or UTF-16. */
const long = (length: number) => '𝒳'.repeat(length)

/** The rows of a text's limits. */
function text(subject: Subject, field: string, max: number): Row[] {
  return [
    refuses(subject, `no ${field}`, { [field]: undefined }, field),
    refuses(subject, `an empty ${field}`, { [field]: '' }, field),
    takes(subject, `a ${field} of 1 character`, { [field]: 'x' }),
    takes(subject, `a ${field} of ${max - 1} characters`, { [field]: long(max - 1) }),
    takes(subject, `a ${field} of ${max} characters`, { [field]: long(max) }),
    refuses(subject, `a ${field} of ${max + 1} characters`, { [field]: long(max + 1) }, field),
    refuses(subject, `a ${field} that is null`, { [field]: null }, field),
    refuses(subject, `a ${field} that is a number`, { [field]: 5 }, field),
    refuses(subject, `a ${field} that is a list`, { [field]: ['x'] }, field),
  ]
}

/** The rows of a whole number's limits. */
function integer(subject: Subject, field: string, min: number, max: number): Row[] {
  return [
    refuses(subject, `no ${field}`, { [field]: undefined }, field),
    refuses(subject, `a ${field} of ${min - 1}`, { [field]: min - 1 }, field),
    takes(subject, `a ${field} of ${min}`, { [field]: min }),
    takes(subject, `a ${field} of ${min + 1}`, { [field]: min + 1 }),
    takes(subject, `a ${field} of ${max - 1}`, { [field]: max - 1 }),
    takes(subject, `a ${field} of ${max}`, { [field]: max }),
    refuses(subject, `a ${field} of ${max + 1}`, { [field]: max + 1 }, field),
    refuses(subject, `a ${field} of 1.5`, { [field]: 1.5 }, field),
    refuses(subject, `a ${field} that is text`, { [field]: '1' }, field),
    refuses(subject, `a ${field} that is null`, { [field]: null }, field),
  ]
}

const twoLetters = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)
const item = (quantity: unknown) => ({ items: [{ product_id: '{plenty}', quantity }] })
const plenty = { Product: { name: 'Nail', category: 'tools', price: 1, currency: 'EUR', stock: 1_000_000 } }
const withPlenty = (rows: readonly Row[]) => rows.map((row) => ({ ...row, given: { plenty } }))
/** Neither by name nor by length. */
const unsorted = { zebra: 1, ant: { zz: [{ second: 2, first: 1 }], a: 2 }, b: 3 }
const preferences = (bytes: number) => ({ preferences: { a: 'x'.repeat(bytes - '{"a":""}'.length) } })
const address = (length: number) => `https://example.com/${'x'.repeat(length - 'https://example.com/'.length)}`

clauses('2.2 Fields: users', [
  ...text(users, 'name', 100),
  refuses(users, 'no email', { email: undefined }, 'email'),
  refuses(users, 'an email without @', { email: 'example.com' }, 'email'),
  refuses(users, 'an email with a space', { email: 'a b@example.com' }, 'email'),
  refuses(users, 'an email that is null', { email: null }, 'email'),
  takes(
    users,
    'an email in capitals, lower-cased',
    { email: 'Ada.{unique}@Example.COM' },
    { email: /^ada\.n\d+@example\.com$/ },
  ),
  refuses(users, 'no password', { password: undefined }, 'password'),
  refuses(users, 'a password of 7 characters', { password: long(7) }, 'password'),
  takes(users, 'a password of 8 characters', { password: long(8) }),
  takes(users, 'a password of 9 characters', { password: long(9) }),
  takes(users, 'a password of 199 characters', { password: long(199) }),
  takes(users, 'a password of 200 characters', { password: long(200) }),
  refuses(users, 'a password of 201 characters', { password: long(201) }, 'password'),
  takes(users, 'no bio, which is null then', {}, { bio: null }),
  takes(users, 'a bio that is null', { bio: null }),
  takes(users, 'an empty bio', { bio: '' }),
  takes(users, 'a bio of 499 characters', { bio: long(499) }),
  takes(users, 'a bio of 500 characters', { bio: long(500) }),
  refuses(users, 'a bio of 501 characters', { bio: long(501) }, 'bio'),
  takes(users, 'no avatar_url, which is null then', {}, { avatar_url: null }),
  takes(users, 'an avatar_url', { avatar_url: 'https://example.com/a.png?b=c#d' }),
  takes(users, 'an avatar_url of 2,048 characters', { avatar_url: address(2_048) }),
  refuses(users, 'an avatar_url of 2,049 characters', { avatar_url: address(2_049) }, 'avatar_url'),
  refuses(users, 'an avatar_url that is no address', { avatar_url: 'a.png' }, 'avatar_url'),
  refuses(users, 'an avatar_url that runs code', { avatar_url: 'javascript:alert(1)' }, 'avatar_url'),
  takes(
    users,
    'no preferences, which are {} then',
    {},
    { preferences: (value: unknown) => JSON.stringify(value) === '{}' },
  ),
  takes(users, 'preferences of any depth', { preferences: { theme: { colour: ['red', 1, null, true] } } }),
  takes(
    users,
    'preferences, and keeps the order of their members',
    { preferences: unsorted },
    { preferences: (value: unknown) => JSON.stringify(value) === JSON.stringify(unsorted) },
  ),
  takes(users, 'preferences of 4,095 bytes', preferences(4_095)),
  takes(users, 'preferences of 4,096 bytes', preferences(4_096)),
  refuses(users, 'preferences of 4,097 bytes', preferences(4_097), 'preferences'),
  refuses(users, 'preferences that are a list', { preferences: [] }, 'preferences'),
  refuses(users, 'preferences that are text', { preferences: '{}' }, 'preferences'),
  refuses(users, 'preferences that are null', { preferences: null }, 'preferences'),
  takes(users, 'what a new user is', {}, { status: 'ACTIVE', role: 'VIEWER', email_verified: false }),
])

clauses('2.2 Fields: posts and comments', [
  ...text(posts, 'title', 200),
  ...text(posts, 'content', 50_000),
  takes(posts, 'no tags, which are [] then', {}, { tags: [], published_at: null }),
  takes(posts, '9 tags', { tags: twoLetters(9) }),
  takes(posts, '10 tags', { tags: twoLetters(10) }),
  refuses(posts, '11 tags', { tags: twoLetters(11) }, 'tags'),
  refuses(posts, 'an empty tag', { tags: ['a', ''] }, 'tags[1]'),
  takes(posts, 'a tag of 1 character', { tags: ['x'] }),
  takes(posts, 'a tag of 29 characters', { tags: [long(29)] }),
  takes(posts, 'a tag of 30 characters', { tags: [long(30)] }),
  refuses(posts, 'a tag of 31 characters', { tags: ['a', 'b', long(31)] }, 'tags[2]'),
  refuses(posts, 'tags that are null', { tags: null }, 'tags'),
  refuses(posts, 'a tag that is a number', { tags: [1] }, 'tags[0]'),
  restOnly(refuses(posts, 'tags that are no list', { tags: 'solo' }, 'tags')),
  ...text(comments, 'content', 5_000),
  refuses(comments, 'no post_id', { post_id: undefined }, 'post_id'),
  refuses(comments, 'a post_id that is null', { post_id: null }, 'post_id'),
])

clauses('2.2 Fields: articles, products and orders', [
  ...text(articles, 'title', 200),
  ...text(articles, 'body', 50_000),
  takes(articles, 'what a new article is', {}, { status: 'draft' }),
  ...text(products, 'name', 200),
  ...text(products, 'category', 50),
  ...integer(products, 'price', 0, 2_147_483_647),
  ...integer(products, 'stock', 0, 2_147_483_647),
  takes(products, 'a currency of ISO 4217', { currency: 'JPY' }),
  takes(products, 'gold, in ISO 4217 as well', { currency: 'XAU' }),
  takes(products, 'the code for tests', { currency: 'XTS' }),
  takes(products, 'the code for no currency', { currency: 'XXX' }),
  refuses(products, 'no currency', { currency: undefined }, 'currency'),
  refuses(products, 'a currency in small letters', { currency: 'eur' }, 'currency'),
  refuses(products, 'a currency that there is not', { currency: 'XYZ' }, 'currency'),
  refuses(products, 'a currency of four letters', { currency: 'EURO' }, 'currency'),
  refuses(orders, 'no items', { items: undefined }, 'items'),
  refuses(orders, 'an empty list of items', { items: [] }, 'items'),
  refuses(orders, 'an item without product_id', { items: [{ quantity: 1 }] }, 'items[0].product_id'),
  refuses(orders, 'an item without quantity', { items: [{ product_id: '{product}' }] }, 'items[0].quantity'),
  refuses(
    orders,
    'an item that says its price',
    { items: [{ product_id: '{product}', quantity: 1, unit_price: 1 }] },
    'items[0].unit_price',
  ),
  ...withPlenty([
    refuses(orders, 'a quantity of 0', item(0), 'items[0].quantity'),
    takes(orders, 'a quantity of 1', item(1), { total: 1, currency: 'EUR', status: 'pending' }),
    takes(orders, 'a quantity of 98', item(98), { total: 98 }),
    takes(orders, 'a quantity of 99', item(99), { total: 99 }),
    refuses(orders, 'a quantity of 100', item(100), 'items[0].quantity'),
    refuses(orders, 'a quantity of 1.5', item(1.5), 'items[0].quantity'),
    refuses(orders, 'a quantity that is text', item('1'), 'items[0].quantity'),
    takes(orders, '49 items', { items: Array(49).fill(item(1).items[0]) }, { total: 49 }),
    takes(orders, '50 items', { items: Array(50).fill(item(1).items[0]) }, { total: 50 }),
    refuses(orders, '51 items', { items: Array(51).fill(item(1).items[0]) }, 'items'),
  ]),
  {
    clause: '2.2.6',
    it: 'orders: items are answered with the price of the moment',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: [{ product_id: '{product}', quantity: 2 }] },
    also: createTwin(
      'Order',
      { items: [{ product_id: '{product}', quantity: 2 }] },
      'user { id } total currency items { productId quantity unitPrice }',
    ),
    answer: {
      status: 201,
      data: {
        user_id: '{viewer}',
        total: 1000,
        currency: 'EUR',
        items: [{ product_id: '{product}', quantity: 2, unit_price: 500 }],
      },
    },
  },
])

/** GraphQL takes one value for a list of one. */
function restOnly({ also: _, ...row }: Row): Row {
  return row
}
