// Agencies and their customers, deals and notes: records that have names of somebody else's within a tenant, and references by them.

import {
  actor,
  anyOf,
  boolean,
  choice,
  email,
  many,
  may,
  member,
  one,
  optional,
  own,
  password,
  resource,
  self,
  service,
  signedIn,
  some,
  state,
  text,
  through,
  when,
} from 'duet-api'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['USER', 'ADMIN'], { default: 'USER' }),
    status: state('ACTIVE'),
    memberships: many('Membership', 'user'),
  },
  actions: { read: { allow: anyOf(self, some('memberships', through('agency', member()))) } },
})
const Agency = resource('Agency', {
  prefix: 'agc',
  fields: {
    slug: text({ max: 60 }),
    memberships: many('Membership', 'agency'),
    clients: many('Customer', 'agency'),
  },
  keys: [['slug']],
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() }, create: { allow: signedIn, accept: ['slug'] } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'agency',
  fields: { agency: one('Agency'), user: one('User', { cascade: 'regardless' }), role: choice(['STAFF', 'GUEST']) },
  actions: { read: { allow: member('agency') } },
})
const Customer = resource('Customer', {
  prefix: 'cus',
  within: 'agency',
  fields: {
    agency: one('Agency'),
    externalId: text({ max: 60 }),
    region: choice(['eu', 'us'], { default: 'eu' }),
    code: text({ max: 60 }),
    vat: text({ max: 60, unique: 'everywhere' }),
    name: text({ max: 50 }),
    note: optional(text({ max: 50 })),
    isHidden: boolean({ default: false }),
    owner: one('User', { cascade: 'regardless', default: actor }),
  },
  keys: [['externalId'], ['region', 'code'], ['vat']],
  formerly: { v1: { externalId: 'foreignId' } },
  actions: {
    read: { allow: anyOf(own('owner'), when({ isHidden: false })) },
    create: {
      allow: may('create'),
      accept: ['agency', 'externalId', 'region', 'code', 'vat', 'name', 'note', 'isHidden'],
    },
    update: { allow: may('edit'), accept: ['code', 'vat', 'name', 'note'] },
    delete: { allow: may('delete') },
  },
})
const Deal = resource('Deal', {
  prefix: 'dea',
  within: 'agency',
  fields: {
    agency: one('Agency'),
    customer: one('Customer', { cascade: 'regardless', into: when({ region: 'eu' }) }),
    payer: optional(one('Customer')),
    label: text({ max: 50 }),
  },
  keys: [['label']],
  formerly: { v1: { customer: 'buyer' } },
  protect: { payer: { write: member('agency', 'STAFF') } },
  actions: {
    read: { allow: member('agency') },
    create: { allow: may('create'), accept: ['agency', 'customer', 'payer', 'label'] },
    update: { allow: may('edit'), accept: ['customer', 'payer', 'label'] },
  },
})
const Note = resource('Note', {
  prefix: 'nte',
  within: 'deal',
  fields: { deal: one('Deal'), about: optional(one('Customer')), text: text({ max: 50 }) },
  keys: [['text']],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['deal', 'about', 'text'] },
    update: { allow: signedIn, accept: ['about'] },
  },
})

/** Customers, and what names them, within agencies. */
export const agency = service({
  resources: { User, Agency, Membership, Customer, Deal, Note },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { USER: {}, ADMIN: 'everything' },
  tenantRoles: { Agency: { STAFF: 'everything', GUEST: { deals: ['create', 'edit'] } } },
})
