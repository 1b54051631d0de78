import {
  allOf,
  anyOf,
  counter,
  currency,
  date,
  decimal,
  event,
  is,
  many,
  may,
  nobody,
  one,
  optional,
  own,
  readable,
  resource,
  state,
  through,
  when,
} from 'duet-api'
import { amount, price, taxRate } from './money.ts'

/** Numbered 1, 2, 3 … without a gap when it is issued; a draft has no number. Its lines come with it. */
export const Invoice = resource('Invoice', {
  prefix: 'inv',
  fields: {
    number: counter({ on: 'issue' }),
    customer: one('User'),
    issuedOn: date(),
    dueOn: optional(date()),
    currency: currency(),
    net: optional(amount()),
    tax: optional(amount()),
    total: optional(amount()),
    status: state('draft', 'issued', 'paid', 'credited'),
    lines: many('InvoiceLine', 'invoice'),
  },
  where: ['status', 'customer', 'issuedOn', 'dueOn', 'total', 'lines.product'],
  sort: ['issuedOn', 'number', 'total'],
  summary: { by: ['status', 'currency', 'customer', 'issuedOn'], of: ['net', 'tax', 'total'] },
  actions: {
    read: { allow: anyOf(own('customer'), may('read_any')) },
    // Lines come with their invoice, in one transaction, each under InvoiceLine's own rule.
    create: { allow: may('create'), accept: ['customer', 'issuedOn', 'dueOn', 'currency', 'lines'] },
    // What stands in the list stays or is changed, what does not is deleted, and what is new is made.
    update: { allow: allOf(may('edit'), when({ status: 'draft' })), accept: ['dueOn', 'lines'] },
    issue: {
      allow: may('issue'),
      from: 'draft',
      to: 'issued',
      effect: async ({ record, records, assign }) => {
        const mine = { filter: { invoice: record.id } }
        if ((await records.count(InvoiceLine, mine)) === 0) return 'An invoice has a line at least.'
        const net = await records.sum(InvoiceLine, 'net', mine)
        const tax = await records.sum(InvoiceLine, 'tax', mine)
        assign({ net, tax, total: net.plus(tax) })
        return undefined
      },
      emit: event('invoiceIssued'),
    },
    pay: { allow: nobody, from: 'issued', to: 'paid', emit: event('invoicePaid') },
    credit: { allow: may('credit'), from: ['issued', 'paid'], to: 'credited' },
  },
})

const ofDraft = through('invoice', when({ status: 'draft' }))

/** Added to a draft alone, and changed while it is one. */
export const InvoiceLine = resource('InvoiceLine', {
  prefix: 'line',
  fields: {
    invoice: one('Invoice', { onDelete: 'cascade' }),
    position: counter({ within: 'invoice' }),
    product: one('Product'),
    quantity: decimal({ precision: 9, scale: 3, min: '0.001' }),
    unitPrice: price(),
    taxRate: taxRate(),
    net: amount(),
    tax: amount(),
  },
  filter: { invoice: is },
  sort: ['position'],
  actions: {
    read: { allow: readable('invoice') },
    create: {
      allow: allOf(may('create'), ofDraft),
      accept: ['invoice', 'product', 'quantity', 'unitPrice', 'taxRate'],
      set: {
        net: ({ input }) => input.quantity.times(input.unitPrice).decimalPlaces(2),
        tax: ({ input }) => input.quantity.times(input.unitPrice).times(input.taxRate).decimalPlaces(2),
      },
    },
    update: {
      allow: allOf(may('edit'), ofDraft),
      accept: ['quantity'],
      set: {
        net: ({ record, input }) => (input.quantity ?? record.quantity).times(record.unitPrice).decimalPlaces(2),
        tax: ({ record, input }) =>
          (input.quantity ?? record.quantity).times(record.unitPrice).times(record.taxRate).decimalPlaces(2),
      },
    },
    delete: { allow: allOf(may('edit'), ofDraft) },
  },
})
