import { anyOf, currency, is, many, may, one, optional, own, readable, resource, text } from 'duet-api'
import { amount } from './money.ts'

/** A customer has the id of the system that sells. What it has in credit is the sum of its entries. */
export const Customer = resource('Customer', {
  prefix: 'cus',
  fields: {
    externalId: text({ max: 60, unique: true }),
    name: text({ max: 200 }),
    currency: currency(),
    user: optional(one('User')),
    subscriptions: many('Subscription', 'customer'),
    invoices: many('Invoice', 'customer'),
    credits: many('Credit', 'customer'),
  },
  keys: [['externalId']],
  sums: { credit: 'credits.amount' },
  filter: { user: is },
  sort: ['name'],
  anywhere: ['name'],
  actions: {
    read: { allow: anyOf(own('user'), may('read_any')) },
    create: { allow: may('create'), accept: ['externalId', 'name', 'currency', 'user'] },
    update: { allow: may('edit'), accept: ['name', 'user'] },
    // One with invoices or credits stays: both say so.
    delete: { allow: may('delete') },
  },
})

/** What a customer is owed, or has used of it: an entry is never changed. */
export const Credit = resource('Credit', {
  prefix: 'crd',
  fields: {
    customer: one('Customer', { onDelete: 'restrict' }),
    amount: amount(),
    reason: text({ max: 200 }),
    payment: optional(one('Payment')),
  },
  filter: { customer: is },
  actions: {
    read: { allow: readable('customer') },
    create: {
      allow: may('create'),
      accept: ['customer', 'amount', 'reason'],
      check: async ({ input, records }) => {
        const credit = await records.all.here.sum('amount', { filter: { customer: input.customer } })
        return credit.plus(input.amount).gte(0) || 'There is not so much credit.'
      },
    },
  },
})
