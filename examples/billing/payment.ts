import { choice, event, is, may, one, readable, resource, state, text } from 'duet-api'
import { Credit } from './customer.ts'
import { Invoice, InvoiceLine } from './invoice.ts'
import { amount } from './money.ts'

/** A payment has the reference of the bank, so that it counts once however often it is sent. */
export const Payment = resource('Payment', {
  prefix: 'pay',
  fields: {
    reference: text({ max: 80, unique: true }),
    invoice: one('Invoice', { onDelete: 'restrict' }),
    amount: amount(),
    via: choice(['bank-transfer', 'card', 'credit'], { default: 'bank-transfer' }),
    status: state('received', 'refunded'),
  },
  filter: { invoice: is, status: is },
  actions: {
    read: { allow: readable('invoice') },
    create: {
      allow: may('create'),
      accept: ['reference', 'invoice', 'amount', 'via'],
      check: ({ input }) => input.amount.isPositive() || 'An amount is more than nothing.',
      effect: async ({ id, input, records }) => {
        const invoice = (await records.lockExisting(Invoice, [input.invoice]))[0]!
        if (invoice.status !== 'issued') return 'Only an issued invoice is paid.'
        const total = await records.all.sum(InvoiceLine, 'amount', { filter: { invoice: invoice.id } })
        const paid = await records.all.here.sum('amount', { filter: { invoice: invoice.id, status: 'received' } })
        const left = total.minus(paid).minus(input.amount)
        if (left.lt(0)) return 'It is more than what is due.'
        if (input.via === 'credit') {
          const { customer } = invoice
          await records.create(Credit, {
            customer,
            amount: input.amount.negated(),
            reason: 'Paid an invoice',
            payment: id,
          })
        }
        if (left.isZero()) await records.run(Invoice, input.invoice, 'settle')
        return undefined
      },
      emit: event('paymentReceived', { by: 'invoice' }),
    },
    refund: {
      allow: may('refund'),
      from: 'received',
      to: 'refunded',
      effect: async ({ record, records }) => {
        const invoice = (await records.lockExisting(Invoice, [record.invoice]))[0]!
        if (invoice.status === 'paid') await records.run(Invoice, record.invoice, 'reopen')
        if (record.via === 'credit') {
          const { customer } = invoice
          await records.create(Credit, { customer, amount: record.amount, reason: 'Refunded', payment: record.id })
        }
      },
    },
  },
})
