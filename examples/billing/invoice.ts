import {
  allOf,
  counter,
  currency,
  date,
  event,
  is,
  many,
  may,
  nobody,
  now,
  one,
  optional,
  readable,
  resource,
  state,
  text,
  through,
  timestamp,
  when,
} from 'duet-api'
import { amount, price, quantity } from './money.ts'

/** Numbered 1, 2, 3 … without a gap once it is issued. What it comes to, and what was paid, are sums that are kept; what is due follows. */
export const Invoice = resource('Invoice', {
  prefix: 'inv',
  fields: {
    number: counter({ on: 'issue' }),
    customer: one('Customer', { onDelete: 'restrict' }),
    subscription: optional(one('Subscription')),
    periodStart: optional(date()),
    periodEnd: optional(date()),
    currency: currency(),
    issuedAt: optional(timestamp()),
    status: state('draft', 'issued', 'paid', 'void'),
    lines: many('InvoiceLine', 'invoice'),
    payments: many('Payment', 'invoice'),
  },
  sums: {
    total: { of: 'lines.amount', as: 'decimal' },
    paid: { of: 'payments.amount', where: when({ status: 'received' }), as: 'decimal' },
  },
  computed: { due: { as: amount(), from: ['total', 'paid'], make: ({ total, paid }) => total.minus(paid) } },
  unique: [{ fields: ['subscription', 'periodStart'] }],
  filter: { customer: is, status: is, subscription: is },
  where: ['status', 'issuedAt'],
  sort: { number: { within: 'customer' }, issuedAt: { within: 'customer' } },
  summary: { by: ['status', 'currency', 'issuedAt'], of: ['total', 'paid'] },
  actions: {
    read: { allow: readable('customer') },
    create: { allow: may('create'), accept: ['customer', 'currency', { list: 'lines', min: 1 }] },
    update: { allow: allOf(may('edit'), when({ status: 'draft' })), accept: [{ list: 'lines', min: 1 }] },
    delete: { allow: allOf(may('edit'), when({ status: 'draft' })) },
    issue: { allow: may('issue'), from: 'draft', to: 'issued', set: { issuedAt: now }, emit: event('invoiceIssued') },
    void: {
      allow: may('issue'),
      from: 'issued',
      check: ({ record }) => record.paid.isZero() || 'Refund its payments first.',
      to: 'void',
    },
    settle: { allow: nobody, from: 'issued', to: 'paid', emit: event('invoicePaid') },
    reopen: { allow: nobody, from: 'paid', to: 'issued' },
  },
})

const ofDraft = through('invoice', when({ status: 'draft' }))

/** Deleted with its draft; what was issued has its lines for good. */
export const InvoiceLine = resource('InvoiceLine', {
  prefix: 'lin',
  fields: {
    invoice: one('Invoice', { onDelete: 'cascade' }),
    position: counter({ within: 'invoice' }),
    text: text({ max: 200 }),
    quantity: quantity(),
    unitPrice: price(),
    amount: amount(),
  },
  filter: { invoice: is },
  sort: ['position'],
  actions: {
    read: { allow: readable('invoice') },
    create: {
      allow: allOf(may('create'), ofDraft),
      accept: ['invoice', 'text', 'quantity', 'unitPrice'],
      set: { amount: ({ input }) => input.quantity.times(input.unitPrice).decimalPlaces(2) },
    },
    update: {
      allow: allOf(may('create'), ofDraft),
      accept: ['quantity'],
      set: {
        amount: ({ record, input }) => (input.quantity ?? record.quantity).times(record.unitPrice).decimalPlaces(2),
      },
    },
    delete: { allow: allOf(may('create'), ofDraft) },
  },
})
