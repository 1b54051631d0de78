// Invoices that get a number when they are issued, and whose lines are counted within them.

import {
  anyone,
  atLeast,
  counter,
  event,
  is,
  isPresent,
  many,
  one,
  optional,
  resource,
  service,
  state,
  text,
} from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

/** What callbacks were shown, in their order. */
export const visibilities: (readonly [where: string, number: number | null])[] = []

export const Invoice = resource('Invoice', {
  prefix: 'inv',
  fields: {
    number: counter({ on: 'issue' }),
    entry: counter(),
    note: text({ max: 50 }),
    slug: optional(text({ max: 50, unique: true })),
    status: state('draft', 'issued'),
    lines: many('Line', 'invoice'),
  },
  filter: { number: is, minNumber: atLeast('number'), issued: isPresent('number'), note: is },
  sort: ['number', 'entry'],
  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['note', 'slug'],
      mayFollow: ['issue'],
      check: ({ input }) => input.note !== 'refused' || 'It is refused.',
      emit: event('invoiceMade'),
    },
    update: { allow: anyone, accept: ['note', 'slug'] },
    issue: {
      allow: anyone,
      from: ['draft'],
      to: 'issued',
      check({ record }) {
        visibilities.push(['check', record.number])
        return record.note !== 'not to be issued' || 'It is not to be issued.'
      },
      effect: async ({ record }) => {
        visibilities.push(['effect', record.number])
        return record.note === 'fails late' ? 'It fails late.' : undefined
      },
      emit: event('invoiceIssued'),
    },
    reopen: { allow: anyone, from: 'issued', to: 'draft' },
    delete: { allow: anyone },
    /** Makes an invoice of its own and issues it. */
    copy: {
      allow: anyone,
      effect: async ({ record, records }) => {
        const made = await records.here.create({ note: record.note, slug: null })
        visibilities.push(['copy', made.entry])
        await records.here.run(made.id, 'issue')
      },
    },
  },
})

export const Line = resource('Line', {
  prefix: 'line',
  fields: {
    invoice: one('Invoice', { cascade: 'regardless' }),
    position: counter({ within: 'invoice' }),
    what: text({ max: 50 }),
  },
  filter: { invoice: is },
  sort: ['position'],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['invoice', 'what'] },
    update: { allow: anyone, accept: ['what'] },
    delete: { allow: anyone },
    move: {
      allow: anyone,
      accept: ['what'],
      effect: async ({ record, input, records }) => {
        await records.change(Line as never, record.id as never, { [input.what]: record.invoice } as never)
      },
    },
  },
})

export const invoicing = service({
  resources: { User, Post, Comment, Invoice, Line },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
