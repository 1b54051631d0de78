import { date, is, many, may, one, resource, state, text } from 'duet-api'
import { quantity } from './money.ts'

/** What a system has measured, sent in parts of up to 100 records, each of which can be sent again. */
export const UsageImport = resource('UsageImport', {
  prefix: 'imp',
  fields: {
    externalId: text({ max: 60, unique: true }),
    source: text({ max: 60 }),
    status: state('open', 'closed'),
    usages: many('Usage', 'usageImport'),
  },
  keys: [['externalId']],
  counts: { usages: 'usages' },
  sums: { quantity: 'usages.quantity' },
  actions: {
    read: { allow: may('read') },
    create: { allow: may('create'), accept: ['externalId', 'source'] },
    update: { allow: may('create'), accept: ['source'] },
    close: { allow: may('create'), from: 'open', to: 'closed' },
    delete: { allow: may('create') },
  },
})

export const Usage = resource('Usage', {
  prefix: 'usg',
  plural: 'usages',
  fields: {
    externalId: text({ max: 60, unique: true }),
    usageImport: one('UsageImport', { cascade: 'regardless' }),
    subscription: one('Subscription'),
    usedOn: date(),
    quantity: quantity(),
  },
  keys: [['externalId']],
  filter: { subscription: is, usageImport: is },
  where: ['subscription', 'usedOn'],
  sort: ['usedOn'],
  actions: {
    read: { allow: may('read') },
    create: {
      allow: may('create'),
      accept: ['externalId', 'usageImport', 'subscription', 'usedOn', 'quantity'],
    },
    update: { allow: may('create'), accept: ['usedOn', 'quantity'] },
  },
})
