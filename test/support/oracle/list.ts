// Lists in memory, made from the same wish as a list in SQL: what both engines must give.

import {
  anyOf,
  anyone,
  atLeast,
  atMost,
  choice,
  contains,
  integer,
  is,
  isPresent,
  list,
  many,
  manyToMany,
  object,
  one,
  optional,
  own,
  present,
  resource,
  service,
  text,
  timestamp,
  when,
} from 'duet-api'
import fc from 'fast-check'
import type { Column } from '../../../src/resource/model/column.ts'
import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import { type Condition, fold, holds } from '../../../src/resource/model/rule/condition.ts'
import { type ListShape, totalOrder } from '../../../src/store/sql/condition/list-shape.ts'
import type { Dialect } from '../../../src/store/sql/text/dialect.ts'
import type { Inputs } from '../../../src/store/sql/text/sql-text.ts'
import type { Value } from '../../../src/store/store.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 9 }),
    posts: many('Post', 'author'),
    likes: manyToMany('Post', 'likedBy'),
  },
  actions: { read: { allow: anyone } },
})
const Post = resource('Post', {
  prefix: 'post',
  fields: {
    title: text({ max: 9 }),
    level: optional(integer()),
    rank: choice(['low', 'high', 'alarm'], { ordered: true }),
    grade: optional(choice(['c', 'b', 'a'], { ordered: true })),
    author: one('User'),
    tags: list(text({ max: 9 }), { max: 9 }),
    parts: list(object({ name: text({ max: 9 }) }), { max: 9 }),
    publishedAt: optional(timestamp()),
    likedBy: manyToMany('User', 'likes'),
  },
  filter: {
    author: is,
    title: is,
    tag: contains('tags'),
    part: contains('parts.name'),
    published: isPresent('publishedAt'),
    minLevel: atLeast('level'),
    minRank: atLeast('rank'),
    maxGrade: atMost('grade'),
  },
  sort: ['publishedAt', 'title', 'level', 'rank', 'grade'],
  actions: { read: { allow: anyOf(when({ publishedAt: present }), own('author')) } },
})
const definition = { resources: { User, Post }, accounts: {}, roles: {} }
export const model = compileModel(service(definition as never) as never)
const post = model.byName.get('Post')!
export const user = model.byName.get('User')!
const column = (name: string): Column => post.column.get(name)!

export type Thing = Readonly<Record<string, unknown>> & { readonly id: string; readonly author: string }
export const moment = (at: number) => new Date(Date.UTC(2026, 0, 1) + at * 1_000)
const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!
const words = ['a', 'A', 'é', '\uFFFD', '\u{1F600}', 'b']
export const users = ['usr_0', 'usr_1', 'usr_2']
/** Of ordered choices. */
const ranks = ['low', 'high', 'alarm']
const grades = ['c', 'b', 'a']
/** Few values, so that there are many ties. */
export const posts: readonly Thing[] = Array.from({ length: 60 }, (_, at) => ({
  id: `post_${String((at * 37) % 60).padStart(2, '0')}`,
  title: pick(words, at * 7),
  level: pick([null, 1, 2, 3, -1], at * 3),
  rank: pick(ranks, at * 5),
  grade: pick([...grades, null], at * 7),
  author: pick(users, at * 11),
  tags: words.filter((_, word) => (at * 5 + word * 3) % 4 === 0),
  parts: words.filter((_, word) => (at + word) % 3 === 0).map((name) => ({ name })),
  publishedAt: at % 3 === 0 ? null : moment((at * 13) % 7),
  createdAt: moment((at * 17) % 9),
  updatedAt: moment(at),
  deletedAt: at % 10 === 9 ? moment(at) : null,
}))
export const likes = posts.flatMap(({ id }, at) =>
  users.filter((_, by) => (at + by) % 4 !== 0).map((by) => [by, id] as const),
)

export interface Wish {
  readonly sort: readonly (readonly [string, boolean])[]
  readonly filters: Readonly<Record<string, unknown>>
  readonly actor: string | null
  readonly everything: boolean
  readonly within: 'posts' | 'likes' | null
  readonly parent: string
  readonly seek: { readonly at: Thing; readonly backward: boolean } | null
  readonly offset: number | null
  readonly limit: number
}
const word = fc.constantFrom(...words)
export const wishes: fc.Arbitrary<Wish> = fc.record({
  sort: fc.uniqueArray(
    fc.tuple(fc.constantFrom('createdAt', 'publishedAt', 'title', 'level', 'rank', 'grade', 'id'), fc.boolean()),
    {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    },
  ),
  filters: fc.record(
    {
      author: fc.constantFrom(...users),
      title: word,
      tag: word,
      part: word,
      published: fc.boolean(),
      minLevel: fc.constantFrom(-1, 1, 2),
      minRank: fc.constantFrom(...ranks),
      maxGrade: fc.constantFrom(...grades),
    },
    { requiredKeys: [] },
  ),
  actor: fc.option(fc.constantFrom(...users)),
  everything: fc.boolean(),
  within: fc.constantFrom(null, null, 'posts', 'likes'),
  parent: fc.constantFrom(...users),
  seek: fc.option(fc.record({ at: fc.constantFrom(...posts), backward: fc.boolean() })),
  offset: fc.option(fc.nat(10)),
  limit: fc.integer({ min: 1, max: 15 }),
})

export function shapeOf({ sort, filters, seek, offset }: Wish): ListShape {
  const keys = totalOrder(
    post,
    sort.map(([name, descending]) => ({ column: column(name), descending })),
  )
  return {
    resource: post,
    filters: Object.entries(filters).map(([name, value]) => {
      const filter = post.filters.get(name)!
      return { filter, present: filter.test === 'isPresent' ? (value as boolean) : null }
    }),
    sort: keys,
    seek: seek && { backward: seek.backward, nulls: keys.map((key) => seek.at[key.column.field] === null) },
    backward: seek?.backward === true,
    offset: offset !== null,
  }
}

export const conditionOf = ({ actor, everything }: Wish): Condition =>
  everything
    ? { is: 'always' }
    : fold(
        post.read.allow,
        post,
        actor === null ? null : ({ id: actor, role: 'USER', permissions: new Set() } as never),
      )

export function inputsOf(wish: Wish, dialect: Dialect): Inputs {
  const encode = (value: unknown) => (value instanceof Date ? dialect.encode(value, 'timestamp') : (value as Value))
  return {
    actor: wish.actor,
    id: wish.parent,
    keys: dialect.keys(['usr_2', 'usr_0']),
    limit: wish.limit,
    offset: wish.offset ?? 0,
    filter: Object.values(wish.filters).map(encode),
    cursor: wish.seek === null ? [] : shapeOf(wish).sort.map((key) => encode(wish.seek!.at[key.column.field])),
  }
}

/** The same list, made in memory; without `parent` of all parents. */
export function listInMemory(wish: Wish, parent: string | null): readonly string[] {
  const { filters, seek, offset, limit, actor } = wish
  const { sort } = shapeOf(wish)
  const condition = conditionOf(wish)
  const matches: Readonly<Record<string, (of: Thing, value: never) => boolean>> = {
    author: (of, value) => of.author === value,
    title: (of, value) => of['title'] === value,
    tag: (of, value) => (of['tags'] as string[]).includes(value),
    part: (of, value) => (of['parts'] as { name: string }[]).some(({ name }) => name === value),
    published: (of, value) => (of['publishedAt'] !== null) === value,
    minLevel: (of, value) => of['level'] !== null && (of['level'] as number) >= value,
    minRank: (of, value) => ranks.indexOf(of['rank'] as string) >= ranks.indexOf(value),
    maxGrade: (of, value) => of['grade'] !== null && grades.indexOf(of['grade'] as string) <= grades.indexOf(value),
  }
  const records = posts
    .filter((of) => of['deletedAt'] === null)
    .filter((of) => parent === null || wish.within !== 'posts' || of.author === parent)
    .filter(
      (of) => parent === null || wish.within !== 'likes' || likes.some(([by, id]) => by === parent && id === of.id),
    )
    .filter((of) => holds(condition, ({ field }) => of[field], actor))
    .filter((of) => Object.entries(filters).every(([name, value]) => matches[name]!(of, value as never)))
    .toSorted((one, other) => compare(one, other, sort))
  if (seek === null) return records.slice(offset ?? 0, (offset ?? 0) + limit).map(({ id }) => id)
  const beyond = records.filter((of) =>
    seek.backward ? compare(of, seek.at, sort) < 0 : compare(of, seek.at, sort) > 0,
  )
  if (seek.backward) beyond.reverse()
  return beyond.slice(offset ?? 0, (offset ?? 0) + limit).map(({ id }) => id)
}

function compare(one: Thing, other: Thing, sort: ListShape['sort']): number {
  for (const { column, descending } of sort) {
    const order = compareValues(placeIn(column, one), placeIn(column, other))
    if (order !== 0) return descending ? -order : order
  }
  return 0
}
/** What a record is sorted by. */
function placeIn({ field }: Column, record: Thing): unknown {
  const value = record[field]
  const order = { rank: ranks, grade: grades }[field]
  return order === undefined || value === null ? value : order.indexOf(value as string)
}
function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return Number(one) - Number(other)
}
