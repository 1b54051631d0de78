// Cards with labels, topics and tags, which have names: of the whole service, of some only, and of a tenant.

import {
  ApiKey,
  actor,
  anyOf,
  boolean,
  choice,
  integer,
  many,
  manyToMany,
  member,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  text,
  when,
} from 'duet-api'
import { accounts, User } from './account.ts'

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
const Tag = resource('Tag', {
  prefix: 'tag',
  within: 'organization',
  fields: { organization: one('Organization'), name: text({ max: 40 }), cards: manyToMany('Card', 'tags') },
  keys: [['name']],
  counts: { cards: { of: 'cards', shown: 'to all' } },
  actions: { read: { allow: member('organization') }, delete: { allow: member('organization') } },
})
const Card = resource('Card', {
  prefix: 'crd',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    title: text({ max: 40 }),
    tagged: integer({ default: 0 }),
    tags: manyToMany('Tag', 'cards'),
    notes: many('Note', 'card'),
  },
  actions: {
    read: { allow: member('organization') },
    create: {
      allow: member('organization'),
      accept: ['organization', 'title', 'tags', 'notes'],
      check: ({ input }) => input.tagIds.every((id) => id.startsWith('tag_')) || 'A tag has no id.',
      set: { tagged: ({ input }) => input.tagIds.length },
    },
    update: { allow: member('organization'), accept: ['title', 'tags'] },
  },
})
const Note = resource('Note', {
  prefix: 'nte',
  within: 'card',
  fields: { card: one('Card'), text: text({ max: 40 }), labels: manyToMany('Label', 'notes') },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['card', 'text', { list: 'labels', min: 1 }] },
  },
})
const Label = resource('Label', {
  prefix: 'lab',
  fields: {
    code: text({ max: 40 }),
    alias: optional(text({ max: 40 })),
    isHidden: boolean({ default: false }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    notes: manyToMany('Note', 'labels'),
  },
  keys: [['code'], ['alias']],
  actions: {
    read: { allow: anyOf(own('owner'), when({ isHidden: false })) },
  },
})

export const cards = service({
  resources: { User, ApiKey, Organization, Membership, Tag, Card, Note, Label },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Organization: { STAFF: {} } },
})
