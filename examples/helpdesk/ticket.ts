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
  manyToMany,
  may,
  member,
  one,
  optional,
  own,
  resource,
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
    requester: one('User', { cascade: 'regardless', default: actor }),
    assignee: optional(one('User')),
    dueAt: optional(timestamp()),
    breached: boolean({ default: false }),
    messages: many('Message', 'ticket'),
    tags: manyToMany('Tag', 'tickets'),
  },
  filter: { status: is, priority: is, assignee: is, requester: is, breached: is },
  search: ['subject', 'body', 'messages.body'],
  where: [
    'status',
    'priority',
    'assignee',
    'assignee.name',
    'requester',
    'dueAt',
    'breached',
    'createdAt',
    'number',
    'tags.name',
    'messages.author',
  ],
  sort: ['dueAt', 'priority', 'number', 'assignee.name'],
  summary: { by: ['status', 'priority', 'assignee', 'createdAt'] },
  actions: {
    read: { allow: anyOf(may('read_any'), own('requester')) },
    create: {
      allow: may('create'),
      accept: ['organization', 'subject', 'body', 'priority'],
      emit: event('ticketCreated', { by: 'organization' }),
    },
    update: { allow: may('edit'), accept: ['subject', 'priority', 'dueAt', 'tags'] },
    assign: {
      allow: may('assign'),
      accept: ['assignee'],
      check: async ({ input, record, records }) =>
        ['OWNER', 'AGENT'].includes((await records.tenantRole(record.organization, input.assignee)) ?? '') ||
        'Only agents can be assigned.',
      emit: event('ticketAssigned', { changed: ['assignee'] }),
    },
    delete: { allow: may('delete') },
    wait: { allow: may('edit'), from: 'open', to: 'pending' },
    solve: { allow: anyOf(may('edit'), own('requester')), from: ['open', 'pending'], to: 'solved' },
    reopen: { allow: anyOf(may('edit'), own('requester')), from: ['pending', 'solved'], to: 'open' },
    close: { allow: may('edit'), from: 'solved', to: 'closed' },
    breach: {
      at: 'dueAt',
      from: ['open', 'pending'],
      set: { breached: true },
      emit: event('ticketBreached', { by: 'organization' }),
    },
  },
})

/** A customer never learns of an internal one: not by lists, counts or events either. */
export const Message = resource('Message', {
  prefix: 'msg',
  within: 'ticket',
  fields: {
    ticket: one('Ticket'),
    author: one('User', { cascade: 'regardless', default: actor }),
    body: text({ max: 20_000 }),
    internal: boolean({ default: false }),
  },
  protect: { internal: { write: may('manage') } },
  search: ['body'],
  where: ['author', 'createdAt'],
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
    tickets: manyToMany('Ticket', 'tags'),
  },
  actions: {
    read: { allow: member('organization') },
    create: { allow: may('create'), accept: ['organization', 'name'] },
    update: { allow: may('edit'), accept: ['name'] },
    delete: { allow: may('edit') },
  },
})
