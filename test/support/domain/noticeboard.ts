// Notes that others read once they are shared, and tasks of teams, with webhooks that are sent what becomes of them.

import {
  ApiKey,
  actor,
  anyOf,
  boolean,
  choice,
  email,
  event,
  is,
  many,
  may,
  member,
  nobody,
  one,
  optional,
  own,
  password,
  resource,
  self,
  service,
  signedIn,
  state,
  text,
  Webhook,
  WebhookDelivery,
  when,
} from 'duet-api'
import type { SignInMethods } from '../../../src/resource/language/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'SUSPENDED'),
    isVerified: boolean({ default: false }),
  },
  actions: {
    read: { allow: signedIn },
    update: { allow: nobody, accept: ['isVerified'] },
    delete: { allow: self },
    suspend: { allow: may('suspend'), from: 'ACTIVE', to: 'SUSPENDED' },
    revive: { allow: may('suspend'), from: 'SUSPENDED', to: 'ACTIVE' },
  },
})

const Note = resource('Note', {
  prefix: 'note',
  fields: {
    author: one('User', { default: actor, cascade: 'regardless' }),
    reader: optional(one('User')),
    title: text({ max: 100 }),
    shared: boolean({ default: false }),
    price: optional(text({ max: 20 })),
  },
  protect: { price: { read: own('author') } },
  filter: { shared: is },
  formerly: { v1: { title: 'headline' } },
  actions: {
    read: { allow: anyOf(own('author'), own('reader'), when({ shared: true })) },
    create: { allow: signedIn, accept: ['title', 'shared', 'price', 'reader'], emit: event('noteCreated') },
    update: {
      allow: own('author'),
      accept: ['title', 'shared', 'price', 'reader'],
      emit: event('noteChanged', { changed: ['title', 'price', 'reader'] }),
    },
    delete: { allow: own('author'), emit: event('noteDeleted') },
  },
})

const Team = resource('Team', {
  prefix: 'team',
  fields: { name: text({ max: 100 }), memberships: many('Membership', 'team') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: {
    read: { allow: member() },
    create: {
      allow: signedIn,
      accept: ['name'],
      effect: async ({ id, actor: { id: user }, records }) => {
        await records.create(Membership, { team: id, user, role: 'OWNER' })
      },
    },
    delete: { allow: may('delete') },
  },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'team',
  fields: {
    team: one('Team'),
    user: one('User', { cascade: 'regardless' }),
    role: choice(['OWNER', 'WORKER', 'GUEST']),
  },
  actions: {
    read: { allow: member('team') },
    create: { allow: may('create'), accept: ['team', 'user', 'role'] },
    delete: { allow: may('delete') },
  },
})
const Task = resource('Task', {
  prefix: 'task',
  within: 'team',
  fields: { team: one('Team'), title: text({ max: 100 }) },
  actions: {
    read: { allow: may('read') },
    create: { allow: may('create'), accept: ['team', 'title'], emit: event('taskCreated') },
  },
})

interface More {
  readonly methods?: SignInMethods
  readonly requireVerified?: boolean
}
export const noticeboardWith = (more: More) =>
  service({
    resources: { User, Note, Team, Membership, Task, ApiKey, Webhook, WebhookDelivery },
    accounts: {
      login: 'email',
      password: 'password',
      role: 'role',
      activeState: 'ACTIVE',
      verified: 'isVerified',
      ...more,
    },
    roles: { MEMBER: {}, ADMIN: 'everything' },
    tenantRoles: {
      Team: {
        OWNER: 'everything',
        WORKER: { tasks: ['read', 'create'], webhooks: ['read', 'create', 'edit'] },
        GUEST: { tasks: [] },
      },
    },
    versions: { v1: { deprecated: '2026-01-01', sunset: '2027-01-01' }, v2: 'current' },
  })

export const noticeboard = noticeboardWith({})
