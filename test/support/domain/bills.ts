// Bills with lines and payments: what is due is computed from what they come to and what was paid.

import { decimal, integer, many, one, resource, service, signedIn, text, when } from 'duet-api'
import { accounts, User } from './account.ts'

const amount = () => decimal({ precision: 12, scale: 2 })

const Bill = resource('Bill', {
  prefix: 'bil',
  fields: { title: text({ max: 40 }), lines: many('BillLine', 'bill'), payments: many('BillPayment', 'bill') },
  counts: { lines: 'lines' },
  sums: {
    total: { of: 'lines.amount', as: 'decimal' },
    pieces: { of: 'lines.pieces', as: 'integer' },
    paid: { of: 'payments.amount', as: 'decimal' },
  },
  computed: {
    due: { as: amount(), from: ['total', 'paid'], make: ({ total, paid }) => total.minus(paid) },
    state: {
      as: text({ max: 40 }),
      from: ['title', 'linesCount', 'pieces'],
      make: ({ title, linesCount, pieces }) => `${title}: ${linesCount} lines, ${pieces + 0} pieces`,
    },
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'lines'] },
    close: {
      allow: signedIn,
      check: ({ record }) => record.total.minus(record.paid).isZero() || 'It is not paid.',
      set: { title: ({ record }) => `${record.title}, ${record.total.toFixed(2)} paid` },
    },
  },
})
const BillLine = resource('BillLine', {
  prefix: 'bln',
  fields: { bill: one('Bill', { cascade: 'regardless' }), amount: amount(), pieces: integer({ default: 1 }) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['bill', 'amount', 'pieces'] },
    delete: { allow: when({ pieces: 1 }) },
  },
})
const BillPayment = resource('BillPayment', {
  prefix: 'bpa',
  fields: { bill: one('Bill', { cascade: 'regardless' }), amount: amount() },
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['bill', 'amount'] } },
})

export const bills = service({ resources: { User, Bill, BillLine, BillPayment }, accounts, roles: { ANY: {} } })
