// Queries that cannot be asked, or that ask what nobody can answer. (contract 5.4.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  arg,
  atLeast,
  boolean,
  choice,
  contains,
  integer,
  json,
  may,
  nobody,
  now,
  one,
  own,
  signedIn,
  text,
  when,
} from 'duet-api'
import { postWith, refuses, title } from '../../../../test/support/domain/valid-service.ts'

const where = when({ rank: 1 })
/** A post with one query, `top`. */
const asking = (query: object) => postWith({ queries: { top: { allow: anyone, ...query } } })
const scoped = (values: object, args: object = {}) => asking({ args, where: when(values) })

refuses('queries', [
  [
    postWith({ queries: { top: { where } } }),
    "Post.queries.top: it has no allow; give it a rule, such as signedIn or own('author').",
  ],
  [
    asking({ where, who: 1 }),
    'Post.queries.top: it has who, which means nothing here; write allow, args, where, ids, sort or about instead.',
  ],
  [
    asking({ where: () => when({ rank: 1 }) }),
    "Post.queries.top: its where is something else than it must be; make it a rule, such as when({ seats: atLeast(arg('seats')) }) or own('author').",
  ],
  [
    asking({ where, args: { a: 1 } }),
    'Post.queries.top: its args is something else than it must be; make it an object of fields.',
    'Post.queries.top.a: it is no field; make it with text(…), one(…) or another kind of field.',
  ],
  [asking({}), 'Post.queries.top: it has neither or both of where and ids; select its records by one of them.'],
  [
    asking({ where, ids: async () => [] }),
    'Post.queries.top: it has neither or both of where and ids; select its records by one of them.',
  ],
  [
    postWith({ queries: { Top: { allow: anyone, where } } }),
    'Post.queries.Top: its name is not of the form topRated; use letters and digits.',
  ],
  [
    postWith({ queries: { batch: { allow: anyone, where } } }),
    'Post.queries.batch: the path …/batch is something else; choose another name.',
  ],
  [
    postWith({ queries: { me: { allow: anyone, where } } }),
    'Post.queries.me: the path …/me is something else; choose another name.',
  ],
  [
    asking({ allow: own('author'), where }),
    'Post.queries.top: its allow has own, a rule about a record, and a query has none; write it in where.',
  ],
  [asking({ allow: nobody, where }), 'Post.queries.top: no caller may use it; allow one, or remove it.'],
  [asking({ allow: may('tip'), where }), "Post.queries.top: may('tip') is about no action of Post; write top instead."],
  // Arguments
  [asking({ where, args: { a: title } }), 'Post.queries.top.a: its where has no use for it; use it or strike it.'],
  [
    scoped({ rank: arg('cursor') }, { cursor: integer() }),
    'Post.queries.top.cursor: cursor is an argument of every list already; choose another name.',
  ],
  [
    scoped({ rank: arg('perPage') }, { perPage: integer() }),
    'Post.queries.top.perPage: per_page is an argument of every list already; choose another name.',
  ],
  [
    postWith({
      filter: { rank: { test: 'is' } },
      queries: {
        top: { allow: anyone, args: { rank: integer() }, where: when({ rank: arg('rank') }) },
      },
    }),
    'Post.queries.top.rank: rank is an argument of a filter already; choose another name.',
  ],
  [
    scoped({ at: arg('a') }, { a: json({ maxBytes: 9 }) }),
    'Post.queries.top.a: a json cannot stand in a query string; choose another kind.',
    'Post.queries.top: it compares at with a, which is a json; compare it with a timestamp.',
  ],
  [
    scoped({ author: arg('a') }, { a: one('Pots') }),
    'Post.queries.top.a: it refers to Pots, which is not in this service; name a resource of it.',
  ],
  [
    scoped({ title: arg('a') }, { a: text({ max: 9, unique: true }) }),
    'Post.queries.top.a: unique is an option of stored fields; strike unique.',
  ],
  [
    scoped({ rank: arg('a') }, { a: integer({ max: 9, default: 10 }) }),
    'Post.queries.top.a: its default 10 is none of its values; choose another default or wider limits.',
  ],
  // Scopes
  [scoped({ rang: 1 }), 'Post.queries.top: its when names rang, which is no readable field; write rank instead.'],
  [scoped({ rank: 'x' }), "Post.queries.top: its when compares rank with 'x'; name a value that rank can have."],
  [scoped({}), 'Post.queries.top: its when is empty; name a field and its value.'],
  [scoped({ title: atLeast('x') }), 'Post.queries.top: title has no least and no most; compare it as it is.'],
  [scoped({ title: contains('x') }), 'Post.queries.top: title is no list; compare it as it is.'],
  [scoped({ parts: contains('x') }), 'Post.queries.top: an object cannot be looked for in a list; compare texts.'],
  [scoped({ rank: atLeast(now) }), 'Post.queries.top: it compares rank with a moment; compare it with an integer.'],
  [
    scoped({ rank: arg('a') }, { a: boolean() }),
    'Post.queries.top: it compares rank with a, which is a boolean; compare it with an integer.',
  ],
  [scoped({ rank: atLeast('x') }), "Post.queries.top: it compares rank with 'x'; compare it with an integer."],
  [scoped({ tags: arg('a') }, { a: title }), 'Post.queries.top: tags is a list; use contains for a list.'],
  [
    asking({ where: may('read') }),
    'Post.queries.top: its where has may, which is about the caller; write it in allow.',
  ],
  [asking({ where: own('title') }), "Post.queries.top: own('title') names no account; name a relation to User."],
  [
    scoped({ rank: atLeast(arg('most')) }, { least: integer() }),
    "Post.queries.top: it compares rank with arg('most'), which is none of its args; write least instead.",
    'Post.queries.top.least: its where has no use for it; use it or strike it.',
  ],
  [
    postWith({
      protect: { rank: { read: signedIn } },
      queries: {
        top: {
          allow: anyone,
          args: { a: integer() },
          where: when({ rank: arg('a') }),
          sort: ['-rank'],
        },
      },
    }),
    'Post.queries.top: its order would reveal rank, which is protected; sort by another field.',
    'Post.queries.top: its list would reveal rank, which is protected; compare another field.',
  ],
  // Orders
  [
    asking({ where, sort: ['-rang'] }),
    'Post.queries.top: its sort names rang, which is no stored field; write rank instead.',
  ],
  [asking({ where, sort: ['rank', '-rank'] }), 'Post.queries.top: its sort names rank twice; strike one.'],
  [
    asking({ where, sort: ['tags'] }),
    'Post.queries.top: its sort names tags, which is a list and has no order; strike it.',
  ],
  // Names on GraphQL's side
  [
    postWith({
      queries: {
        a: { allow: anyone, args: { bC: choice(['x']) }, ids: async () => [] },
        aB: { allow: anyone, args: { c: choice(['x']) }, ids: async () => [] },
      },
    }),
    "Post.queries.aB.c: GraphQL's type PostABC is that of Post.queries.a.bC; choose another name, or one for GraphQL: graphql: '…'.",
  ],
])

test('5.4.3, 5.4.6 what a request brings cannot be computed with', () => {
  assert.throws(() => Number(arg('a')) + 1, /has no value yet: compare with it in when/)
  assert.throws(() => `${now}`, /has no value yet/)
})
