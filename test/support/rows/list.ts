// Records that lists are about, and rows that ask for a list through both faces.

import type { Caller } from '../server/service.ts'
import type { Row } from './clauses.ts'
import type { Recipes } from './fixtures.ts'

export const day = (number: number) => new Date(Date.UTC(2026, 0, number))
export const ids = (...names: readonly string[]) => names.map((name) => ({ id: `{${name}}` }))
export const post = (title: string, more: object = {}) => ({
  Post: { title, content: 'C', author: '{writer}', publishedAt: day(1), ...more },
})
export const product = (name: string, more: object = {}) => ({
  Product: { name, category: '{word}', price: 100, currency: 'EUR', stock: 1, ...more },
})
const order = (status: string, more: object = {}) => ({
  Order: {
    user: '{buyer}',
    status,
    items: [{ product: '{thing}', quantity: 1, unitPrice: 100 }],
    total: 100,
    currency: 'EUR',
    ...more,
  },
})

/** A list through both faces: these records, in this order. */
export const list = (
  clause: Row['clause'],
  it: string,
  given: Recipes,
  [path, query]: readonly [path: string, query: string],
  also: string,
  names: readonly string[],
  as: Caller = 'admin',
): Row => ({
  clause,
  it,
  as,
  given,
  send: `GET /api/v2/${path}?${query}`,
  also: `{ ${also.includes('(') ? also : `${path}(${also})`} { nodes { id } } }`,
  answer: { status: 200, data: ids(...names) },
})
/** The same records in any order. */
export const anyOrder = (row: Row, names: readonly string[]): Row => ({
  ...row,
  answer: { status: 200, data: Array(names.length).fill({}) },
})

export const posts = {
  a: post('A', { tags: ['x', 'y'], createdAt: day(1) }),
  b: post('B', { tags: ['y'], publishedAt: null, createdAt: day(2) }),
  c: post('C', { tags: [], author: '{other editor}', createdAt: day(3) }),
}
export const comments = {
  c1: { Comment: { post: '{post}', author: '{writer}', content: 'C', createdAt: day(1) } },
  c2: { Comment: { post: '{other post}', author: '{writer}', content: 'C', createdAt: day(2) } },
}
export const articles = {
  d: { Article: { title: 'D', body: 'B', author: '{writer}', status: 'draft', createdAt: day(1) } },
  p: { Article: { title: 'P', body: 'B', author: '{writer}', status: 'published', createdAt: day(2) } },
}
/** Each row's products have a category of their own, so that rows do not see each other's. */
export const products = {
  cheap: product('Cheap', { price: 100, createdAt: day(1) }),
  fair: product('Fair', { price: 200, createdAt: day(2) }),
  dear: product('Dear', { price: 300, createdAt: day(3) }),
}
export const orders = {
  thing: { Product: { name: 'Thing', category: 'c', price: 100, currency: 'EUR', stock: 1 } },
  other: { Product: { name: 'Other', category: 'c', price: 100, currency: 'EUR', stock: 1 } },
  buyer: { User: { name: 'Buyer' } },
  // A pending one of that age is cancelled. (contract 3.3.4)
  o1: order('cancelled', { createdAt: day(1), total: 300 }),
  o2: order('paid', { createdAt: day(2), total: 200 }),
  o3: order('cancelled', {
    createdAt: day(3),
    items: [
      { product: '{thing}', quantity: 1, unitPrice: 100 },
      { product: '{other}', quantity: 1, unitPrice: 100 },
    ],
  }),
}
