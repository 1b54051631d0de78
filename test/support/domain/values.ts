// One thing of every kind of value: exact numbers, large ones, days and ids of other systems.

import {
  after,
  anyOf,
  arg,
  argument,
  atLeast,
  atMost,
  bigint,
  choice,
  contains,
  type Decimal,
  date,
  decimal,
  event,
  float,
  is,
  list,
  not,
  object,
  oneOf,
  optional,
  resource,
  service,
  signedIn,
  state,
  timestamp,
  uuid,
  when,
} from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

/** What callbacks saw last, for tests that look at it. */
export const seen: { input: unknown; record: unknown } = { input: null, record: null }
/** What code gives next. */
export const code: { total: Decimal | string | null } = { total: null }

const values = {
  day: date(),
  due: optional(date()),
  key: uuid({ unique: true }),
  ratio: float({ min: -1e300, max: 1e300 }),
  views: bigint({ min: -9_007_199_254_740_993n }),
  price: decimal({ precision: 12, scale: 2, min: '-9999999999.99' }),
}

export const Entry = resource('Entry', {
  prefix: 'ent',
  fields: {
    ...values,
    ref: optional(uuid()),
    kind: choice(['plain', 'sealed'], { default: 'plain' }),
    discount: decimal({ precision: 5, scale: 4, min: '0', max: '1', default: '0.25' }),
    tiny: optional(decimal({ precision: 18, scale: 18 })),
    huge: optional(decimal({ precision: 18, scale: 0 })),
    count: bigint({ default: 7n }),
    since: date({ default: '2000-02-29' }),
    total: optional(decimal({ precision: 6, scale: 2 })),
    lines: list(object({ ...values, key: uuid(), at: optional(timestamp()) }), { max: 5 }),
    days: list(date(), { max: 5 }),
    prices: list(decimal({ precision: 6, scale: 2 }), { max: 5 }),
    status: state('open', 'closed'),
    rate: argument(decimal({ precision: 5, scale: 4 })),
  },
  computed: {
    gross: {
      as: decimal({ precision: 18, scale: 4 }),
      from: ['price', 'discount'],
      make: ({ price, discount }) => price.times(discount.plus(1)).decimalPlaces(4),
    },
    next: { as: bigint(), from: ['views'], make: ({ views }) => (views < 2n ** 63n - 1n ? views + 1n : views) },
  },
  filter: {
    day: is,
    from: atLeast('day'),
    until: atMost('day'),
    key: is,
    ratio: is,
    minRatio: atLeast('ratio'),
    views: is,
    minViews: atLeast('views'),
    price: is,
    minPrice: atLeast('price'),
    maxPrice: atMost('price'),
    onDay: contains('days'),
    withKey: contains('lines.key'),
  },
  where: ['ratio', 'views'],
  sort: ['day', 'due', 'key', 'ratio', 'views', 'price', 'tiny'],
  queries: {
    cheap: {
      allow: signedIn,
      args: { below: decimal({ precision: 12, scale: 2 }) },
      where: when({ price: atMost(arg('below')) }),
    },
    viewed: {
      allow: signedIn,
      args: { seen: bigint(), share: float({ default: 0.5 }) },
      where: when({ views: arg('seen'), ratio: arg('share') }),
    },
  },
  actions: {
    read: { allow: anyOf(signedIn, when({ price: oneOf('1.00', '2.5'), views: 1n, day: after('2026-01-01') })) },
    create: {
      allow: signedIn,
      accept: [
        'day',
        'due',
        'key',
        'ref',
        'ratio',
        'views',
        'price',
        'discount',
        'tiny',
        'huge',
        'count',
        'since',
        'lines',
        'days',
        'prices',
      ],
      check: ({ input, record }) => {
        Object.assign(seen, { input, record })
        return true
      },
      emit: event('entered'),
    },
    update: {
      allow: not(when({ price: '66.60' })),
      accept: ['day', 'due', 'key', 'ratio', 'views', 'price', 'lines', 'prices'],
    },
    work: {
      allow: signedIn,
      accept: ['rate'],
      set: { total: ({ record, input }) => record.price.times(input.rate).decimalPlaces(2), discount: '0.5' },
      check: ({ record }) => {
        seen.record = record
        return record.price.isGreaterThanOrEqualTo(0) || 'It costs less than nothing.'
      },
    },
    assume: { allow: signedIn, set: { total: () => code.total } },
    close: {
      allow: signedIn,
      from: 'open',
      to: 'closed',
      effect: async ({ record, assign }) => {
        seen.record = record
        assign({ price: record.price.plus('0.05'), views: record.views + 1n, due: record.day })
      },
    },
  },
})

/** A service of nothing else. */
export const journal = service({
  resources: { User, Post, Comment, Entry },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
