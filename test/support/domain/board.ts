// Threads that keep how many entries, likes and followers they have, and what their entries add up to.

import {
  absent,
  anyone,
  atLeast,
  bigint,
  choice,
  decimal,
  email,
  event,
  integer,
  is,
  many,
  manyToMany,
  may,
  one,
  optional,
  password,
  resource,
  service,
  signedIn,
  state,
  text,
  when,
} from 'duet-api'

export const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 100 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    status: state('ACTIVE'),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    emailVerified: optional(text({ max: 5 })),
    follows: manyToMany('Thread', 'followers'),
    fans: manyToMany('User', 'idols'),
    idols: manyToMany('User', 'fans'),
  },
  counts: { fans: 'fans', idols: 'idols', follows: 'follows' },
  actions: {
    read: { allow: anyone },
    admire: { allow: signedIn, link: 'fans' },
    forget: { allow: signedIn, unlink: 'fans' },
    delete: { allow: anyone },
  },
})

export const Thread = resource('Thread', {
  prefix: 'thr',
  fields: {
    title: text({ max: 50 }),
    state: state('open', 'closed'),
    entries: many('Entry', 'thread'),
    likes: many('Like', 'thread'),
    followers: manyToMany('User', 'follows'),
  },
  counts: {
    entries: 'entries',
    likes: 'likes',
    followers: 'followers',
    published: { of: 'entries', where: when({ status: 'published' }) },
    large: { of: 'entries', where: when({ amount: atLeast('100.00') }), about: 'How many entries are of 100 or more.' },
    unkept: { of: 'entries', where: when({ keeper: absent }) },
  },
  sums: { total: 'entries.amount', pieces: 'entries.pieces', weight: 'entries.weight' },
  filter: { minLikes: atLeast('likesCount'), minTotal: atLeast('total') },
  sort: ['likesCount', 'total'],
  summary: { by: ['title', 'likesCount', 'total'], of: ['total', 'pieces'] },
  where: ['likesCount', 'total', 'largeCount'],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title'] },
    update: { allow: anyone, accept: ['title'] },
    delete: { allow: anyone },
    close: {
      allow: anyone,
      from: 'open',
      to: 'closed',
      check: ({ record }) => record.likesCount < 1_000 || 'It is liked too much.',
      emit: event('closed', { about: 'A thread is closed.' }),
    },
    follow: { allow: signedIn, link: 'followers' },
    unfollow: { allow: signedIn, unlink: 'followers' },
    /** Makes an entry, publishes it, changes it and makes another one, in one transaction. */
    fill: {
      allow: anyone,
      effect: async ({ record, records }) => {
        const values = { thread: record.id, keeper: null, amount: '60.00', pieces: 1, weight: 1n, note: 'made' }
        const made = await records.create(Entry, values)
        await records.run(Entry, made.id, 'publish')
        await records.change(Entry, made.id, { amount: '160.00', pieces: null })
        const other = await records.create(Entry, values)
        await records.remove(Entry, other.id)
      },
    },
    cheat: {
      allow: anyone,
      effect: async ({ record, records }) => {
        await records.here.change(record.id, { likesCount: 1_000 } as never)
      },
    },
  },
})

export const Keeper = resource('Keeper', {
  prefix: 'kpr',
  fields: { name: text({ max: 50 }), entries: many('Entry', 'keeper') },
  counts: { secret: { of: 'entries', where: when({ note: 'secret' }), shown: 'to all' } },
  protect: { secretCount: { read: may('manage') } },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name'] }, delete: { allow: anyone } },
})

export const Entry = resource('Entry', {
  prefix: 'ent',
  fields: {
    thread: one('Thread', { cascade: 'regardless' }),
    keeper: optional(one('Keeper')),
    status: state('draft', 'published'),
    amount: decimal({ precision: 18, scale: 2 }),
    pieces: optional(integer()),
    weight: bigint({ default: 0n }),
    note: text({ max: 20, default: '-' }),
    externalId: optional(text({ max: 20, unique: true })),
  },
  filter: { thread: is },
  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['thread', 'keeper', 'amount', 'pieces', 'weight', 'note', 'externalId'],
      mayFollow: ['publish'],
    },
    update: { allow: anyone, accept: ['thread', 'keeper', 'amount', 'pieces', 'weight', 'note'] },
    publish: { allow: anyone, from: 'draft', to: 'published' },
    withdraw: { allow: anyone, from: 'published', to: 'draft' },
    delete: { allow: anyone },
  },
})

export const Like = resource('Like', {
  prefix: 'lik',
  fields: { thread: one('Thread', { cascade: 'regardless' }), by: text({ max: 40 }) },
  unique: [['thread', 'by']],
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['thread', 'by'] }, delete: { allow: anyone } },
})

export const board = service({
  resources: { User, Thread, Keeper, Entry, Like },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
})
