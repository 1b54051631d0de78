import {
  actor,
  allOf,
  anyOf,
  boolean,
  choice,
  counter,
  event,
  is,
  many,
  may,
  member,
  one,
  optional,
  own,
  readable,
  resource,
  some,
  state,
  text,
  through,
  timestamp,
  when,
} from 'duet-api'

/** Customers see their own, agents all of their organization. */
export const Ticket = resource('Ticket', {
  prefix: 'tkt',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    number: counter(), // 1, 2, 3 … in each organization
    subject: text({ max: 200 }),
    body: text({ max: 20_000 }),
    status: state('open', 'pending', 'solved', 'closed'),
    priority: choice(['LOW', 'NORMAL', 'HIGH', 'URGENT'], { ordered: true, default: 'NORMAL' }),
    requester: one('User', { default: actor }),
    // Whoever shares an organization with the asker.
    assignee: optional(one('User', { into: some('memberships', through('organization', member())) })),
    dueAt: optional(timestamp()),
    messages: many('Message', 'ticket'),
    ticketTags: many('TicketTag', 'ticket'),
  },
  filter: { status: is, priority: is, assignee: is, requester: is },
  sort: ['dueAt', 'priority', 'number'],
  actions: {
    read: { allow: anyOf(may('read_any'), own('requester')) },
    create: {
      allow: may('create'),
      accept: ['organization', 'subject', 'body', 'priority'],
      emit: event('ticketCreated', { by: 'organization' }),
    },
    update: { allow: may('edit'), accept: ['subject', 'priority', 'dueAt'] },
    assign: { allow: may('assign'), accept: ['assignee'], emit: event('ticketAssigned') },
    delete: { allow: may('delete') },
    wait: { allow: may('edit'), from: 'open', to: 'pending' },
    solve: { allow: anyOf(may('edit'), own('requester')), from: ['open', 'pending'], to: 'solved' },
    reopen: { allow: anyOf(may('edit'), own('requester')), from: ['pending', 'solved'], to: 'open' },
    close: { allow: may('edit'), from: 'solved', to: 'closed' },
  },
})

/** A customer never learns of an internal one: not by lists, counts or events either. */
export const Message = resource('Message', {
  prefix: 'msg',
  within: 'ticket',
  fields: {
    ticket: one('Ticket'),
    author: one('User', { default: actor }),
    body: text({ max: 20_000 }),
    internal: boolean({ default: false }),
  },
  protect: { internal: { write: may('manage') } },
  actions: {
    read: { allow: anyOf(may('manage'), allOf(through('ticket', own('requester')), when({ internal: false }))) },
    create: {
      allow: anyOf(may('create'), through('ticket', own('requester'))),
      accept: ['ticket', 'body', 'internal'],
      emit: event('messageAdded', { by: 'ticket' }),
    },
  },
})

export const Tag = resource('Tag', {
  prefix: 'tag',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    name: text({ max: 40, unique: true }),
    ticketTags: many('TicketTag', 'tag'),
  },
  actions: {
    read: { allow: member('organization') },
    create: { allow: may('create'), accept: ['organization', 'name'] },
    update: { allow: may('edit'), accept: ['name'] },
    delete: { allow: may('edit') },
  },
})

/** A tag and a ticket are in one organization, whoever may read both. */
export const TicketTag = resource('TicketTag', {
  prefix: 'ttg',
  within: 'ticket',
  fields: { ticket: one('Ticket'), tag: one('Tag') },
  unique: [{ fields: ['ticket', 'tag'] }],
  filter: { ticket: is, tag: is },
  actions: {
    read: { allow: readable('ticket') },
    create: { allow: may('create'), accept: ['ticket', 'tag'] },
    delete: { allow: may('delete') },
  },
})
