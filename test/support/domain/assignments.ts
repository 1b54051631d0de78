// Tickets that people are assigned to, filed in drawers that only their owners see; what changes of a ticket is told.

import {
  actor,
  anyOf,
  choice,
  event,
  one,
  optional,
  own,
  resource,
  route,
  service,
  signedIn,
  state,
  text,
  timestamp,
} from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

const Drawer = resource('Drawer', {
  prefix: 'drw',
  fields: { owner: one('User', { cascade: 'regardless', default: actor }), label: text({ max: 40 }) },
  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn, accept: ['label'] },
    clear: {
      allow: own('owner'),
      effect: async ({ record, records }) => {
        for await (const ticket of records.each(Ticket, { where: { drawerId: { eq: record.id } } }))
          await records.run(Ticket, ticket.id, 'file', { drawer: null })
      },
    },
  },
})
const assigned = event('ticketAssigned', { changed: ['assignee', 'priority'] })
export const Ticket = resource('Ticket', {
  prefix: 'tkt',
  fields: {
    author: one('User', { cascade: 'regardless', default: actor }),
    assignee: optional(one('User')),
    drawer: optional(one('Drawer')),
    subject: text({ max: 40 }),
    note: text({ max: 40, default: 'none' }),
    priority: choice(['low', 'high'], { default: 'low' }),
    dueAt: optional(timestamp()),
    status: state('open', 'closed'),
  },
  protect: { note: { read: own('author') } },
  where: ['subject', 'drawer'],
  actions: {
    read: { allow: anyOf(own('author'), own('assignee')) },
    create: { allow: signedIn, accept: ['subject', 'assignee'] },
    update: { allow: own('author'), accept: ['subject', 'assignee', 'priority'], emit: assigned },
    assign: { allow: own('author'), accept: ['assignee'], emit: assigned },
    plan: {
      allow: own('author'),
      accept: ['dueAt'],
      emit: event('ticketPlanned', { by: 'author', changed: ['dueAt'] }),
    },
    remark: {
      allow: own('author'),
      accept: ['note', 'subject'],
      emit: event('ticketRemarked', { changed: ['note', 'subject'] }),
    },
    file: { allow: own('author'), accept: ['drawer'], emit: event('ticketFiled', { changed: ['drawer'] }) },
    close: { allow: own('author'), from: 'open', to: 'closed', emit: event('ticketClosed', { changed: ['status'] }) },
  },
})

/** Assigns a ticket as the service itself. */
export const reassign = route('POST', '/api/v2/reassignments', {
  summary: 'Assign a ticket to somebody else',
  access: signedIn,
  body: { ticket: one('Ticket'), assignee: one('User') },
  answer: { ticket: one('Ticket') },
  async handle({ input: { ticket, assignee }, asService }) {
    await asService.records.update(Ticket, ticket, { assignee })
    return { ticket }
  },
})

export const assignments = service({
  resources: { User, Post, Comment, Drawer, Ticket },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
