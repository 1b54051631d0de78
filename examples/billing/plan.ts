import { anyone, choice, currency, is, may, resource, state, text } from 'duet-api'
import { price } from './money.ts'

/** What is sold: a price for each period, and one for what is used beyond. */
export const Plan = resource('Plan', {
  prefix: 'pln',
  fields: {
    code: text({ max: 40, unique: true }),
    name: text({ max: 100 }),
    price: price(),
    unitPrice: price(),
    currency: currency(),
    interval: choice(['per-month', 'per-year'], { default: 'per-month' }),
    status: state('offered', 'retired'),
  },
  keys: [['code']],
  filter: { status: is, currency: is },
  sort: ['name', 'price'],
  actions: {
    read: { allow: anyone },
    create: { allow: may('create'), accept: ['code', 'name', 'price', 'unitPrice', 'currency', 'interval'] },
    update: { allow: may('edit'), accept: ['name', 'price', 'unitPrice'] },
    retire: { allow: may('edit'), from: 'offered', to: 'retired' },
  },
})
