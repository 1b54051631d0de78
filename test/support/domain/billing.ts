// Invoices with lines, and lines with discounts, made by one request; labels that both are linked with.

import {
  actor,
  allOf,
  anyOf,
  boolean,
  counter,
  event,
  integer,
  many,
  manyToMany,
  may,
  not,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  state,
  text,
  through,
  timestamp,
  when,
} from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

const Invoice = resource('Invoice', {
  prefix: 'inv',
  fields: {
    number: counter(),
    title: text({ max: 40 }),
    reference: optional(text({ max: 40, unique: true })),
    isLocked: boolean({ default: false }),
    openedAt: optional(timestamp()),
    total: integer({ min: 0, default: 0 }),
    status: state('draft', 'issued'),
    owner: one('User', { cascade: 'regardless', default: actor }),
    lines: many('Line', 'invoice'),
    labels: manyToMany('Label', 'invoices'),
  },
  actions: {
    read: { allow: anyOf(own('owner'), may('read_any')) },
    create: {
      allow: signedIn,
      accept: ['title', 'reference', 'isLocked', 'lines', 'labels'],
      check: ({ input }) => input.title !== 'Nothing' || 'An invoice is about something.',
      set: { openedAt: ({ now }) => now },
      emit: event('invoiceOpened'),
    },
    update: { allow: own('owner'), accept: ['title', 'lines', 'labels'] },
    issue: { allow: own('owner'), from: 'draft', to: 'issued' },
    delete: { allow: own('owner') },
  },
})
const Line = resource('Line', {
  prefix: 'lin',
  fields: {
    invoice: one('Invoice', { cascade: 'regardless' }),
    position: counter({ within: 'invoice' }),
    product: one('Product', { cascade: 'regardless', into: when({ isSold: true }) }),
    quantity: integer({ min: 1, max: 99 }),
    isFixed: boolean({ default: false }),
    isInternal: boolean({ default: false }),
    remark: optional(text({ max: 40, unique: true })),
    discounts: many('Discount', 'line'),
    labels: manyToMany('Label', 'lines'),
  },
  unique: [['invoice', 'product']],
  sort: ['position'],
  actions: {
    read: { allow: anyOf(may('read_any'), allOf(when({ isInternal: false }), through('invoice', own('owner')))) },
    create: {
      allow: through('invoice', not(when({ isLocked: true }))),
      accept: ['invoice', 'product', 'quantity', 'remark', 'discounts', 'labels'],
      check: ({ input }) => input.quantity !== 13 || 'Nobody sells thirteen.',
      effect: async ({ input, records }) => {
        if (input.quantity === 99) return 'So many are not there.'
        const [invoice] = await records.lockExisting(Invoice, [input.invoice])
        await records.change(Invoice, input.invoice, { total: invoice!.total + input.quantity })
        return undefined
      },
      emit: event('lineAdded'),
    },
    update: {
      allow: through('invoice', own('owner')),
      accept: ['quantity', 'remark', 'discounts'],
      check: ({ input }) => input.quantity !== 13 || 'Nobody sells thirteen.',
      emit: event('lineChanged'),
    },
    delete: {
      allow: when({ isFixed: false }),
      effect: async ({ record }) => (record.quantity === 7 ? 'Seven are never given back.' : undefined),
      emit: event('lineRemoved'),
    },
  },
})
const Discount = resource('Discount', {
  prefix: 'dsc',
  fields: { line: one('Line', { cascade: 'regardless' }), percent: integer({ min: 1, max: 99 }) },
  sort: ['percent'],
  actions: {
    read: { allow: signedIn },
    create: { allow: through('line', through('invoice', own('owner'))), accept: ['line', 'percent'] },
    update: { allow: through('line', through('invoice', own('owner'))), accept: ['percent'] },
    delete: { allow: through('line', through('invoice', own('owner'))) },
  },
})
const Product = resource('Product', {
  prefix: 'prd',
  fields: { sku: text({ max: 60 }), isSold: boolean({ default: true }), isSecret: boolean({ default: false }) },
  keys: [['sku']],
  actions: { read: { allow: when({ isSecret: false }) } },
})
const Label = resource('Label', {
  prefix: 'lab',
  fields: {
    name: text({ max: 40 }),
    isHidden: boolean({ default: false }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    invoices: manyToMany('Invoice', 'labels'),
    lines: manyToMany('Line', 'labels'),
  },
  actions: {
    read: { allow: anyOf(own('owner'), when({ isHidden: false })) },
    create: { allow: signedIn, accept: ['name', 'isHidden', 'invoices'] },
  },
})
/** Cheap children, many at once. */
const Note = resource('Note', {
  prefix: 'nte',
  fields: { text: text({ max: 40 }), words: many('Word', 'note') },
  counts: { words: 'words' },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['text', 'words'] },
    update: { allow: signedIn, accept: ['text', 'words'] },
  },
})
const Word = resource('Word', {
  prefix: 'wrd',
  fields: { note: one('Note', { cascade: 'regardless' }), text: text({ max: 40 }) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['note', 'text'] },
    update: { allow: signedIn, accept: ['text'] },
    delete: { allow: signedIn },
  },
})

export const billing = service({
  resources: { User, Post, Comment, Invoice, Line, Discount, Product, Label, Note, Word },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
