// A mailroom: letters with notes and readers, of which some are hidden. Their words can be searched, and the parts of their codes.

import {
  allOf,
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  is,
  many,
  manyToMany,
  may,
  one,
  optional,
  own,
  password,
  readable,
  resource,
  self,
  service,
  signedIn,
  state,
  text,
  when,
} from 'duet-api'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    emailVerified: boolean({ default: false }),
    name: text({ max: 100 }),
    nick: optional(text({ max: 100 })),
    password: password({ min: 8, max: 200 }),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    status: state('ACTIVE'),
    isShown: boolean({ default: true }),
    letters: many('Letter', 'owner'),
    watched: manyToMany('Letter', 'watchers'),
  },
  anywhere: ['nick'],
  actions: { read: { allow: anyOf(self, may('read_any'), when({ isShown: true })) } },
})

const Letter = resource('Letter', {
  prefix: 'ltr',
  fields: {
    subject: text({ max: 200 }),
    body: optional(text({ max: 5_000 })),
    code: optional(text({ max: 60 })),
    round: text({ max: 60 }),
    owner: one('User', { cascade: 'regardless' }),
    isOpen: boolean({ default: true }),
    notes: many('Note', 'letter'),
    watchers: manyToMany('User', 'watched'),
  },
  filter: { round: is, owner: is },
  sort: ['subject'],
  search: ['subject', 'notes.title', 'body', 'notes.text', 'watchers.name'],
  anywhere: ['code', 'watchers.nick'],
  summary: { by: ['subject'], distinct: ['owner'] },
  queries: { open: { allow: anyone, where: when({ isOpen: true }), sort: ['subject'] } },
  actions: {
    read: { allow: anyOf(own('owner'), may('read_any'), when({ isOpen: true })) },
    create: { allow: may('create'), accept: ['subject', 'body', 'code', 'round', 'owner'] },
    update: { allow: anyOf(own('owner'), may('edit')), accept: ['subject', 'body', 'code', 'isOpen'] },
    delete: { allow: may('delete') },
    watch: { allow: signedIn, link: 'watchers' },
    unwatch: { allow: signedIn, unlink: 'watchers' },
  },
})

const Note = resource('Note', {
  prefix: 'note',
  fields: {
    letter: one('Letter', { cascade: 'regardless' }),
    title: optional(text({ max: 100 })),
    text: text({ max: 1_000 }),
    isInternal: boolean({ default: false }),
  },
  search: ['text'],
  actions: {
    read: { allow: allOf(readable('letter'), anyOf(may('read_any'), when({ isInternal: false }))) },
    create: { allow: readable('letter'), accept: ['letter', 'title', 'text'] },
    delete: { allow: may('delete') },
  },
})

/** What everybody reads. */
const Notice = resource('Notice', {
  prefix: 'ntc',
  fields: { title: text({ max: 50 }) },
  search: ['title'],
  summary: { by: ['title'] },
  queries: {
    pinned: {
      allow: anyone,
      args: { left: one('Notice'), right: one('Notice') },
      ids: async ({ args: { left, right } }) => [left, right],
    },
  },
  actions: { read: { allow: anyone, maxAgeSeconds: 60 } },
})

/** What cannot be searched. */
const Box = resource('Box', {
  prefix: 'box',
  fields: { title: text({ max: 50 }) },
  actions: { read: { allow: anyone } },
})

export const mailroom = service({
  resources: { User, Letter, Note, Notice, Box },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: {
    VIEWER: {},
    EDITOR: {
      letters: ['read_any', 'create', 'edit', 'delete'],
      notes: ['read_any', 'delete'],
      users: ['read_any'],
    },
    ADMIN: 'everything',
  },
})
