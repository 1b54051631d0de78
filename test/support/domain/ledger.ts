// Customers and their invoices with lines: what is unique together, and records that have a name of somebody else's.

import {
  actor,
  anyOf,
  boolean,
  choice,
  event,
  integer,
  many,
  not,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  state,
  text,
  when,
} from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

export const Invoice = resource('Invoice', {
  prefix: 'inv',
  fields: {
    number: integer({ min: 1 }),
    status: state('draft', 'issued', 'void'),
    owner: one('User', { cascade: 'regardless', default: actor }),
    lines: many('Line', 'invoice'),
  },
  // A draft may have any number, and what is void has given it back.
  unique: [{ fields: ['number'], where: when({ status: 'issued' }) }],
  actions: {
    read: { allow: anyOf(own('owner'), not(when({ status: 'draft' }))) },
    create: { allow: signedIn, accept: ['number'] },
    update: { allow: signedIn, accept: ['number'] },
    issue: { allow: signedIn, from: 'draft', to: 'issued' },
    cancel: { allow: signedIn, from: 'issued', to: 'void' },
    delete: { allow: signedIn },
  },
})
export const Line = resource('Line', {
  prefix: 'lin',
  fields: {
    invoice: one('Invoice', { cascade: 'regardless' }),
    position: optional(integer({ min: 1 })),
    label: text({ max: 50 }),
    note: optional(text({ max: 50 })),
  },
  unique: [
    ['invoice', 'position'],
    { fields: ['invoice', 'label'], caseless: true },
    { fields: ['note'], caseless: true },
  ],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['invoice', 'position', 'label', 'note'], emit: event('lineAdded') },
    update: { allow: signedIn, accept: ['position', 'label', 'note'] },
    /** Moves to a place that an effect takes. */
    swap: {
      allow: signedIn,
      effect: async ({ records, record }) => {
        await records.here.create({
          invoice: record.invoice,
          position: record.position,
          label: `${record.label} again`,
        })
      },
    },
    delete: { allow: signedIn },
  },
})
/** Whom somebody else knows by a number, and a shop by its region, code and level. */
export const Customer = resource('Customer', {
  prefix: 'cus',
  fields: {
    externalId: text({ max: 60 }),
    region: choice(['eu', 'us'], { default: 'eu' }),
    code: text({ max: 60 }),
    level: integer({ min: 1, default: 1 }),
    name: text({ max: 50 }),
    note: optional(text({ max: 50 })),
    owner: one('User', { cascade: 'regardless', default: actor }),
    isHidden: boolean({ default: false }),
  },
  keys: [['externalId'], ['region', 'code', 'level']],
  formerly: { v1: { externalId: 'foreignId' } },
  actions: {
    read: { allow: anyOf(own('owner'), when({ isHidden: false })) },
    create: {
      allow: signedIn,
      accept: ['externalId', 'region', 'code', 'level', 'name', 'note', 'isHidden'],
      check: ({ input }) => input.name !== 'Nobody' || 'Nobody is no customer.',
      emit: event('customerAdded'),
    },
    update: { allow: own('owner'), accept: ['code', 'name', 'note'], emit: event('customerChanged') },
    delete: { allow: own('owner') },
  },
})
/** Writes lines, which are of another resource. */
export const Copy = resource('Copy', {
  prefix: 'cpy',
  fields: { line: one('Line', { cascade: 'regardless' }) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['line'],
      effect: async ({ records, input }) => {
        const [line] = await records.lockReadable(Line, [input.line])
        await records.create(Line, { invoice: line!.invoice, position: line!.position, label: 'Copy' })
      },
    },
  },
})

export const ledger = service({
  resources: { User, Post, Comment, Invoice, Line, Copy, Customer },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
