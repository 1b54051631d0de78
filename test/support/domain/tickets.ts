// Keys that not every record has, and counted ones: customers, coupons, tickets, and the issues of projects in organizations.

import {
  choice,
  counter,
  many,
  member,
  one,
  optional,
  resource,
  service,
  signedIn,
  state,
  text,
  through,
  when,
} from 'duet-api'
import { accounts, User } from './account.ts'

const Customer = resource('Customer', {
  prefix: 'cus',
  fields: { externalId: optional(text({ max: 40 })), name: text({ max: 40 }) },
  keys: [['externalId']],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['externalId', 'name'] },
    update: { allow: signedIn, accept: ['externalId', 'name'] },
  },
})
const Voucher = resource('Voucher', {
  prefix: 'vou',
  fields: { code: optional(text({ max: 40 })), series: optional(text({ max: 40 })) },
  keys: [['code'], ['series']],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['code', 'series'] },
    update: { allow: signedIn, accept: ['code', 'series'] },
  },
})
const Coupon = resource('Coupon', {
  prefix: 'cou',
  fields: {
    code: text({ max: 40 }),
    percent: text({ max: 3, default: '10' }),
    status: state('live', 'ended'),
    sales: many('Sale', 'coupon'),
  },
  keys: [{ fields: ['code'], where: when({ status: 'live' }) }],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['code', 'percent'] },
    update: { allow: signedIn, accept: ['code', 'percent'] },
    end: { allow: signedIn, from: 'live', to: 'ended' },
    revive: { allow: signedIn, from: 'ended', to: 'live' },
    delete: { allow: signedIn },
  },
})
const Ticket = resource('Ticket', {
  prefix: 'tic',
  fields: {
    number: counter(),
    title: text({ max: 40 }),
    status: state('open', 'paid'),
    receipt: counter({ on: 'pay' }),
    sales: many('Sale', 'ticket'),
  },
  keys: [['number'], ['receipt']],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title'] },
    update: { allow: signedIn, accept: ['title'] },
    pay: { allow: signedIn, from: 'open', to: 'paid' },
    delete: { allow: signedIn },
  },
})
const Sale = resource('Sale', {
  prefix: 'sal',
  fields: {
    customer: optional(one('Customer')),
    coupon: optional(one('Coupon')),
    ticket: optional(one('Ticket')),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['customer', 'coupon', 'ticket'] },
  },
})
const Organization = resource('Organization', {
  prefix: 'org',
  fields: { memberships: many('Membership', 'organization') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: { organization: one('Organization'), user: one('User', { cascade: 'regardless' }), role: choice(['STAFF']) },
  actions: { read: { allow: member('organization') } },
})
const Project = resource('Project', {
  prefix: 'prj',
  within: 'organization',
  fields: { organization: one('Organization'), name: text({ max: 40 }), issues: many('Issue', 'project') },
  actions: {
    read: { allow: member('organization') },
    create: { allow: member('organization'), accept: ['organization', 'name'] },
  },
})
const Issue = resource('Issue', {
  prefix: 'iss',
  within: 'project',
  fields: { project: one('Project'), number: counter({ within: 'project' }), title: text({ max: 40 }) },
  keys: [['project', 'number']],
  actions: {
    read: { allow: through('project', member('organization')) },
    create: { allow: through('project', member('organization')), accept: ['project', 'title'] },
    update: { allow: through('project', member('organization')), accept: ['title'] },
  },
})

export const tickets = service({
  resources: { User, Customer, Voucher, Coupon, Ticket, Sale, Organization, Membership, Project, Issue },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Organization: { STAFF: {} } },
})
