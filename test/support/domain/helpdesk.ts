// A helpdesk for many companies at once: organizations and their members, tickets and messages in them, and projects, which are
// tenants inside of organizations, with notes of their own.

import {
  ApiKey,
  acrossTenants,
  actor,
  allOf,
  anyOf,
  argument,
  atLeastOne,
  boolean,
  choice,
  counter,
  email,
  event,
  hasToken,
  is,
  list,
  many,
  manyToMany,
  may,
  member,
  nobody,
  object,
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
  token,
  when,
} from 'duet-api'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    name: optional(text({ max: 100 })),
    password: password({ min: 8, max: 200 }),
    role: choice(['USER', 'SUPPORT', 'ADMIN'], { default: 'USER' }),
    status: state('ACTIVE'),
    memberships: many('Membership', 'user'),
    watched: manyToMany('Task', 'watchers'),
  },
  // Accounts stand outside of tenants: those are seen who share one.
  actions: {
    read: { allow: anyOf(self, some('memberships', through('organization', member()))) },
    delete: { allow: self },
  },
})

const Organization = resource('Organization', {
  prefix: 'org',
  fields: {
    name: text({ max: 100 }),
    memberships: many('Membership', 'organization'),
    tickets: many('Ticket', 'organization'),
  },
  members: { list: 'memberships', account: 'user', role: 'role', while: when({ status: 'ACTIVE' }) },
  actions: {
    read: { allow: member() },
    create: {
      allow: may('create'),
      accept: ['name'],
      effect: async ({ id, actor, records }) => {
        await records.create(Membership, { organization: id, user: actor.id, role: 'OWNER' })
      },
    },
    update: { allow: may('edit'), accept: ['name'] },
    delete: { allow: may('delete') },
  },
})

const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    user: one('User', { cascade: 'regardless' }),
    role: choice(['OWNER', 'AGENT', 'CUSTOMER']),
    status: state('ACTIVE', 'OFF'),
  },
  unique: [['user']],
  invariants: [atLeastOne({ role: 'OWNER' }, 'An organization keeps at least one owner.')],
  filter: { role: is, user: is },
  actions: {
    read: { allow: member('organization') },
    update: { allow: may('edit'), accept: ['role'] },
    delete: { allow: anyOf(own('user'), may('delete')) },
    turnOff: { allow: may('edit'), from: 'ACTIVE', to: 'OFF' },
    create: { allow: nobody },
  },
})

const Invitation = resource('Invitation', {
  prefix: 'inv',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    role: choice(['AGENT', 'CUSTOMER']),
    code: token({ prefix: 'code_invite_' }),
    status: state('open', 'accepted'),
  },
  actions: {
    read: { allow: anyOf(may('read'), acrossTenants(hasToken('code'))) },
    create: { allow: may('create'), accept: ['organization', 'role'] },
    accept: {
      allow: acrossTenants(allOf(signedIn, hasToken('code'))),
      from: 'open',
      to: 'accepted',
      effect: async ({ record, actor, records }) => {
        await records.create(Membership, { organization: record.organization, user: actor!.id, role: record.role })
      },
    },
  },
})

const Ticket = resource('Ticket', {
  prefix: 'tkt',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    number: counter(),
    subject: text({ max: 200 }),
    reference: optional(text({ max: 40, unique: true })),
    receipt: optional(text({ max: 40, unique: 'everywhere' })),
    status: state('open', 'solved'),
    requester: one('User', { cascade: 'regardless', default: actor }),
    related: optional(one('Ticket')),
    steps: optional(list(object({ about: one('Ticket'), note: text({ max: 100 }) }), { max: 5 })),
    messages: many('Message', 'ticket'),
    externalId: argument(text({ max: 64 })),
  },
  actions: {
    read: { allow: anyOf(may('read_any'), own('requester')) },
    create: {
      allow: may('create'),
      accept: ['organization', 'subject', 'reference', 'receipt', 'related', 'steps'],
      emit: event('ticketCreated'),
    },
    update: { allow: may('edit'), accept: ['subject', 'reference', 'related', 'steps'] },
    solve: { allow: anyOf(may('edit'), own('requester')), from: 'open', to: 'solved', emit: event('ticketSolved') },
    delete: { allow: may('delete') },
    // Trusts an id that it has from elsewhere.
    relate: {
      allow: may('edit'),
      accept: ['externalId'],
      from: 'open',
      to: 'solved',
      effect: async ({ input, assign }) => assign({ related: input.externalId }),
    },
  },
})

const Message = resource('Message', {
  prefix: 'msg',
  within: 'ticket',
  fields: {
    ticket: one('Ticket'),
    author: one('User', { cascade: 'regardless', default: actor }),
    body: text({ max: 2_000 }),
    internal: boolean({ default: false }),
    organization: one('Organization', { from: 'ticket' }),
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

/** Somebody's, by default whoever's who makes it: what a key of an organization is not. */
const Task = resource('Task', {
  prefix: 'tsk',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    title: text({ max: 100 }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    reporter: optional(one('User', { default: actor })),
    status: state('open', 'taken'),
    watchers: manyToMany('User', 'watched'),
  },
  actions: {
    read: { allow: anyOf(may('read_any'), own('owner')) },
    create: { allow: may('create'), accept: ['organization', 'title', 'owner'] },
    update: { allow: may('edit'), accept: ['title'] },
    claim: { allow: may('edit'), from: 'open', to: 'taken', set: { owner: ({ actor }) => actor.id } },
    take: {
      allow: may('edit'),
      from: 'open',
      to: 'taken',
      effect: async ({ actor, assign }) => assign({ owner: actor.id }),
    },
    watch: { allow: may('edit'), link: 'watchers' },
    close: { allow: may('edit'), from: 'open', to: 'taken' },
  },
})

/** A tenant inside of a tenant. */
const Project = resource('Project', {
  prefix: 'prj',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    name: text({ max: 100 }),
    seats: many('Seat', 'project'),
  },
  members: { list: 'seats', account: 'user', role: 'role' },
  actions: {
    read: { allow: anyOf(member(), may('read')) },
    create: {
      allow: may('create'),
      accept: ['organization', 'name'],
      effect: async ({ id, actor, records }) => {
        await records.create(Seat, { project: id, user: actor.id, role: 'LEAD' })
      },
    },
    update: { allow: may('edit'), accept: ['name'] },
  },
})
const Seat = resource('Seat', {
  prefix: 'sea',
  within: 'project',
  fields: { project: one('Project'), user: one('User', { cascade: 'regardless' }), role: choice(['LEAD', 'GUEST']) },
  actions: {
    read: { allow: anyOf(own('user'), member('project', 'LEAD')) },
    delete: { allow: may('delete') },
    create: { allow: nobody },
  },
})
const Note = resource('Note', {
  prefix: 'nte',
  within: 'project',
  unique: [{ fields: ['text'], per: 'Organization' }],
  fields: { project: one('Project'), text: text({ max: 500 }), ticket: optional(one('Ticket')) },
  actions: {
    read: { allow: anyOf(member('project'), may('read')) },
    create: { allow: anyOf(member('project', 'LEAD'), may('create')), accept: ['project', 'text', 'ticket'] },
    update: { allow: may('edit'), accept: ['text', 'ticket'] },
  },
})

export const helpdesk = service({
  resources: { ApiKey, User, Organization, Membership, Invitation, Ticket, Message, Task, Project, Seat, Note },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: {
    USER: { organizations: ['create'] },
    SUPPORT: { acrossTenants: ['Organization'], tickets: ['read_any'] },
    ADMIN: 'everything',
  },
  tenantRoles: {
    Organization: {
      OWNER: 'everything',
      AGENT: {
        tickets: ['read_any', 'edit', 'create', 'delete'],
        messages: ['create', 'manage'],
        tasks: ['read_any', 'edit', 'create'],
        apiKeys: ['create'],
      },
      CUSTOMER: { tickets: ['create'], messages: ['create'] },
    },
    Project: {
      LEAD: { projects: ['edit'], notes: ['edit', 'create'], seats: ['delete'], apiKeys: ['create', 'read', 'delete'] },
      GUEST: {},
    },
  },
})
