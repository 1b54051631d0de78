import type { Decimal } from 'duet-api'
import {
  absent,
  argument,
  date,
  event,
  integer,
  is,
  many,
  may,
  one,
  optional,
  readable,
  resource,
  state,
  text,
  when,
} from 'duet-api'
import { Invoice, InvoiceLine } from './invoice.ts'
import { Plan } from './plan.ts'
import { Usage } from './usage.ts'

/**
 * A customer on a plan. The name is taken in GraphQL, so that it is called BillingSubscription there. A customer has a plan once at a
 * time.
 */
export const Subscription = resource('Subscription', {
  prefix: 'sub',
  graphql: 'BillingSubscription',
  fields: {
    externalId: text({ max: 60, unique: true }),
    customer: one('Customer', { onDelete: 'restrict' }),
    plan: one('Plan', { into: when({ status: 'offered' }) }),
    seats: integer({ min: 1, max: 10_000, default: 1 }),
    startsOn: date(),
    endsOn: optional(date()),
    status: state('running', 'past-due', 'ended'),
    usages: many('Usage', 'subscription'),
    invoices: many('Invoice', 'subscription'),
    periodStart: argument(date()),
    periodEnd: argument(date()),
  },
  keys: [['externalId']],
  exclude: [{ fields: ['customer', 'plan'], overlap: ['startsOn', 'endsOn'] }],
  filter: { customer: is, plan: is, status: is },
  sort: ['startsOn'],
  actions: {
    read: { allow: readable('customer') },
    create: { allow: may('create'), accept: ['externalId', 'customer', 'plan', 'seats', 'startsOn', 'endsOn'] },
    update: { allow: may('edit'), accept: ['seats', 'endsOn'] },
    // A draft of an invoice for a period: the seats, and what was used.
    bill: {
      allow: may('bill'),
      from: ['running', 'past-due'],
      accept: ['periodStart', 'periodEnd'],
      check: ({ input }) => input.periodStart < input.periodEnd || 'A period ends after it begins.',
      effect: async ({ record, input, records }) => {
        const plan = await records.get(Plan, record.plan)
        const used = await records.sum(Usage, 'quantity', {
          where: { subscriptionId: { eq: record.id }, usedOn: { gte: input.periodStart, lt: input.periodEnd } },
        })
        const { id: invoice } = await records.create(Invoice, {
          customer: record.customer,
          subscription: record.id,
          currency: plan.currency,
          periodStart: input.periodStart,
          periodEnd: input.periodEnd,
        })
        const line = (text: string, unitPrice: Decimal, quantity: Decimal | number) => {
          const amount = unitPrice.times(quantity).decimalPlaces(2)
          return records.create(InvoiceLine, { invoice, text, unitPrice, quantity: String(quantity), amount })
        }
        await line(plan.name, plan.price, record.seats)
        if (used.gt(0)) await line('Used', plan.unitPrice, used)
      },
    },
    markPastDue: { allow: may('edit'), from: 'running', to: 'past-due', emit: event('subscriptionPastDue') },
    end: {
      allow: may('edit'),
      from: { status: 'running', endsOn: absent },
      to: 'ended',
      set: { endsOn: ({ now }) => now.toISOString().slice(0, 10) },
    },
  },
})
