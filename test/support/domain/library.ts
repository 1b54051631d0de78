// Somebody else's domain, so that no test mistakes the reference service for the language: a library that lends books.

import {
  absent,
  actor,
  anyOf,
  anyone,
  argument,
  atMost,
  choice,
  contains,
  email,
  event,
  integer,
  is,
  isPresent,
  list,
  many,
  manyToMany,
  may,
  nobody,
  one,
  optional,
  own,
  password,
  readable,
  resource,
  self,
  service,
  state,
  text,
  timestamp,
} from 'duet-api'

const dayMs = 86_400_000
const days = (from: Date, count: number) => new Date(from.getTime() + count * dayMs)

/** A member of the library; the account that people sign in with. */
const User = resource('User', {
  prefix: 'mbr',
  fields: {
    name: text({ max: 100 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'LIBRARIAN'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'BARRED'),
    loans: many('Loan', 'member'),
    wishes: manyToMany('Book', 'wishedBy'),
  },
  protect: { role: { write: may('manage') } },
  actions: {
    read: { allow: anyOf(self, may('manage')) },
    create: { allow: anyone, accept: ['name', 'email', 'password'] },
    update: { allow: anyOf(self, may('manage')), accept: ['name', 'role'] },
    bar: { allow: may('manage'), from: 'ACTIVE', to: 'BARRED' },
  },
})

const Book = resource('Book', {
  prefix: 'book',
  notFound: 'BOOK_NOT_FOUND',
  fields: {
    title: text({ max: 300 }),
    isbn: text({ min: 10, max: 13, unique: true }),
    subjects: list(text({ max: 40 }), { max: 20 }),
    copies: many('Copy', 'book'),
    wishedBy: manyToMany('User', 'wishes'),
  },
  filter: { isbn: is, subject: contains('subjects') },
  sort: ['title'],
  actions: {
    read: { allow: anyone, maxAgeSeconds: 3600 },
    create: { allow: may('create'), accept: ['title', 'isbn', 'subjects'] },
    delete: { allow: may('delete') },
    wish: { allow: may('wish'), link: 'wishedBy' },
    unwish: { allow: may('wish'), unlink: 'wishedBy' },
  },
})

export const Copy = resource('Copy', {
  prefix: 'copy',
  fields: {
    book: one('Book', { onDelete: 'restrict' }),
    shelf: text({ max: 20 }),
    status: state('on_shelf', 'lent', 'lost'),
    loans: many('Loan', 'copy'),
  },
  filter: { book: is, status: is },
  actions: {
    read: { allow: anyone },
    create: { allow: may('create'), accept: ['book', 'shelf'] },
    lend: { allow: nobody, from: 'on_shelf', to: 'lent' },
    shelve: { allow: nobody, from: ['lent', 'lost'], to: 'on_shelf' },
    lose: { allow: may('lose'), from: ['on_shelf', 'lent'], to: 'lost' },
  },
})

export const Fine = resource('Fine', {
  prefix: 'fine',
  fields: {
    loan: one('Loan', { onDelete: 'restrict' }),
    cents: integer({ min: 1 }),
    status: state('owed', 'paid', 'waived'),
    reason: optional(text({ max: 500 })),
  },
  actions: {
    read: { allow: readable('loan') },
    pay: { allow: readable('loan'), from: 'owed', to: 'paid' },
    waive: { allow: may('waive'), accept: ['reason'], from: 'owed', to: 'waived' },
  },
})

const Loan = resource('Loan', {
  prefix: 'loan',
  fields: {
    member: one('User', { default: actor, onDelete: 'restrict' }),
    copy: one('Copy', { onDelete: 'restrict' }),
    days: argument(integer({ min: 1, max: 28 })),
    dueAt: timestamp(),
    returnedAt: optional(timestamp()),
    renewals: integer({ min: 0, max: 3, default: 0 }),
    fines: many('Fine', 'loan'),
  },
  filter: { member: is, returned: isPresent('returnedAt'), dueBefore: atMost('dueAt') },
  sort: ['dueAt'],
  actions: {
    read: { allow: anyOf(own('member'), may('read_any')) },
    create: {
      allow: may('create'),
      accept: ['copy', 'days'],
      set: { dueAt: ({ now, input }) => days(now, input.days) },
      effect: ({ input, records }) => records.run(Copy, input.copy, 'lend'),
      emit: event('lent', { by: 'copy' }),
    },
    renew: {
      allow: may('renew', own('member')),
      from: { returnedAt: absent },
      check: ({ record, now }) => (record.dueAt > now && record.renewals < 3) || 'Overdue, or renewed thrice already.',
      set: { dueAt: ({ record }) => days(record.dueAt, 14), renewals: ({ record }) => record.renewals + 1 },
    },
    return: {
      allow: may('return'),
      from: { returnedAt: absent },
      set: { returnedAt: ({ now }) => now },
      effect: async ({ record, records, now }) => {
        await records.run(Copy, record.copy, 'shelve')
        const late = Math.ceil((now.getTime() - record.dueAt.getTime()) / dayMs)
        if (late > 0) await records.create(Fine, { loan: record.id, cents: late * 20 })
      },
    },
  },
})

export const library = service({
  resources: { User, Book, Copy, Loan, Fine },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: { books: ['wish'], loans: ['create', 'renew_own'] }, LIBRARIAN: 'everything' },
})
