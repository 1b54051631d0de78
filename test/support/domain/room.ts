// Rooms whose hosts invite by a link that ends by itself: at a moment that the host sets, and after two writes.

import {
  actor,
  anyOf,
  choice,
  email,
  event,
  hasToken,
  is,
  many,
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
  through,
  timestamp,
  token,
} from 'duet-api'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: self } },
})
const Room = resource('Room', {
  prefix: 'room',
  fields: {
    name: text({ max: 60 }),
    code: token({ prefix: 'room', until: 'closesAt', maxUses: 2 }),
    closesAt: optional(timestamp()),
    host: one('User', { cascade: 'regardless', default: actor }),
    notes: many('Note', 'room'),
  },
  actions: {
    read: { allow: anyOf(own('host'), hasToken('code')) },
    create: { allow: signedIn, accept: ['name', 'closesAt'] },
    update: { allow: anyOf(own('host'), hasToken('code')), accept: ['name', 'closesAt'], emit: event('renamed') },
    knock: {
      allow: anyOf(own('host'), hasToken('code')),
      accept: ['name'],
      check: ({ input }) => input.name !== 'taken' || 'There is one of that name.',
    },
    delete: { allow: hasToken('code') },
  },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: { room: one('Room', { cascade: 'regardless' }), body: text({ max: 60 }) },
  filter: { room: is },
  actions: {
    read: { allow: through('room', anyOf(own('host'), hasToken('code'))) },
    create: { allow: through('room', anyOf(own('host'), hasToken('code'))), accept: ['room', 'body'] },
  },
})
/** Whoever may see a room may sign its book: it is the reference that asks for the code. */
const Visit = resource('Visit', {
  prefix: 'vis',
  fields: { room: one('Room', { cascade: 'regardless' }), by: one('User', { cascade: 'regardless', default: actor }) },
  actions: { read: { allow: own('by') }, create: { allow: signedIn, accept: ['room'] } },
})

export const rooms = service({
  resources: { User, Room, Note, Visit },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})
