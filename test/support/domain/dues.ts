// Bills whose stored values are made of everything that can change: fields, states, numbers, counts, sums and references.

import {
  anyone,
  atLeast,
  boolean,
  choice,
  counter,
  decimal,
  integer,
  is,
  many,
  manyToMany,
  may,
  object,
  one,
  optional,
  resource,
  service,
  signedIn,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

const amount = () => decimal({ precision: 12, scale: 2 })
const zero = () => decimal({ precision: 12, scale: 2, default: '0' })

const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    watched: manyToMany('Bill', 'watchers'),
  },
  actions: { read: { allow: anyone } },
})
const Payer = resource('Payer', {
  prefix: 'pyr',
  fields: {
    name: text({ max: 40 }),
    bills: many('Bill', 'payer'),
    address: optional(
      object({
        city: text({ max: 40 }),
        floor: optional(integer()),
        since: optional(timestamp()),
        kind: optional(choice(['HOME', 'WORK'])),
        geo: optional(object({ height: decimal({ precision: 8, scale: 2 }) })),
      }),
    ),
    bank: optional(object({ code: text({ max: 10 }) })),
  },
  protect: { bank: { read: may('manage') } },
  where: ['address.city', 'address.floor', 'address.since', 'address.kind', 'address.geo.height', 'bank.code', 'name'],
  sort: ['address.city', 'address.geo.height', 'bank.code'],
  summary: { by: ['address.kind'], of: ['address.floor'] },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['name', 'address', 'bank'] },
    update: { allow: signedIn, accept: ['name', 'address', 'bank'] },
    delete: { allow: signedIn },
  },
})
export const Bill = resource('Bill', {
  prefix: 'bil',
  fields: {
    title: text({ max: 40 }),
    number: counter(),
    externalId: optional(text({ max: 20, unique: true })),
    discount: zero(),
    note: text({ max: 40, default: '-' }),
    payer: optional(one('Payer')),
    dueAt: optional(timestamp()),
    status: state('OPEN', 'LATE', 'CLOSED'),
    secret: zero(),
    lines: many('Line', 'bill'),
    payments: many('Payment', 'bill'),
    watchers: manyToMany('User', 'watched'),
  },
  counts: { lines: 'lines', watchers: 'watchers' },
  sums: { total: { of: 'lines.amount', as: 'decimal' }, paid: { of: 'payments.amount', as: 'decimal' } },
  computed: {
    due: {
      as: amount(),
      from: ['total', 'paid', 'discount'],
      stored: true,
      make: ({ total, paid, discount }) => total.minus(paid).minus(discount),
    },
    label: {
      as: text({ max: 60 }),
      from: ['number', 'title'],
      stored: { revision: 2 },
      make: ({ number, title }) => `${title} no. ${number ?? 'none'}`,
    },
    isUrgent: {
      as: boolean(),
      from: ['status', 'payer', 'watchersCount'],
      stored: true,
      make: ({ status, payer, watchersCount }) => status === 'LATE' || payer === null || watchersCount > 1,
    },
    shout: {
      as: optional(text({ max: 40 })),
      from: ['note'],
      stored: true,
      make: ({ note }) => (note === '-' ? null : note.toUpperCase()),
    },
    margin: {
      as: amount(),
      from: ['secret', 'total'],
      stored: true,
      make: ({ secret, total }) => total.minus(secret),
    },
  },
  protect: { secret: { read: may('manage') }, margin: { read: may('manage') } },
  keys: [['externalId']],
  filter: { isUrgent: is, minDue: atLeast('due'), payer: is },
  sort: ['due', 'label', 'margin', 'shout', 'payer.address.city'],
  where: ['payer.address.city', 'due', 'label', 'isUrgent', 'shout', 'margin'],
  search: ['label'],
  anywhere: ['shout'],
  summary: { by: ['isUrgent', 'shout'], of: ['due', 'margin'] },
  queries: { urgent: { allow: signedIn, where: when({ isUrgent: true }), sort: ['-due'] } },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['title', 'externalId', 'discount', 'note', 'payer', 'dueAt', 'secret', 'lines'],
    },
    update: {
      allow: signedIn,
      accept: ['title', 'externalId', 'discount', 'note', 'payer', 'dueAt', 'secret', 'lines'],
    },
    delete: { allow: signedIn },
    close: { allow: signedIn, from: ['OPEN', 'LATE'], to: 'CLOSED', set: { note: 'closed' } },
    remind: { at: 'dueAt', from: 'OPEN', to: 'LATE' },
    watch: { allow: signedIn, link: 'watchers' },
    unwatch: { allow: signedIn, unlink: 'watchers' },
    /** Changes the record that it is about by its id alone, and what its values are made from, in one transaction. */
    rework: {
      allow: signedIn,
      effect: async ({ record, records }) => {
        await records.here.change(record.id, { discount: '1.00' })
        const line = await records.create(Line, { bill: record.id, amount: '30.00' })
        await records.change(Line, line.id, { amount: '20.00' })
        await records.here.change(record.id, { title: 'Reworked', note: 'loud' })
        await records.create(Payment, { bill: record.id, amount: '4.00' })
        await records.here.create({ title: 'Made by code', discount: '2.00' })
      },
    },
  },
})
const Line = resource('Line', {
  prefix: 'lin',
  fields: { bill: one('Bill', { cascade: 'regardless' }), amount: amount() },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['bill', 'amount'] },
    update: { allow: signedIn, accept: ['bill', 'amount'] },
    delete: { allow: signedIn },
  },
})
const Payment = resource('Payment', {
  prefix: 'pay',
  fields: { bill: one('Bill', { cascade: 'regardless' }), amount: amount() },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['bill', 'amount'] },
    delete: { allow: signedIn },
  },
})

export const dues = service({
  resources: { User, Payer, Bill, Line, Payment },
  accounts,
  roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
})
