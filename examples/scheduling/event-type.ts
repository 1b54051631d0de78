import {
  acrossTenants,
  actor,
  anyOf,
  boolean,
  hasToken,
  integer,
  is,
  many,
  may,
  member,
  now,
  one,
  own,
  resource,
  some,
  text,
  timestamp,
  token,
  when,
} from 'duet-api'

/** What can be booked with a host: by anyone if it is public, otherwise with a private link. */
export const EventType = resource('EventType', {
  prefix: 'evt',
  within: 'team',
  fields: {
    team: one('Team'),
    host: one('User', { default: actor }),
    title: text({ max: 100 }),
    minutes: integer({ min: 5, max: 480 }),
    isPublic: boolean({ default: true }),
    needsApproval: boolean({ default: false }),
    bookings: many('Booking', 'eventType'),
    links: many('PrivateLink', 'eventType'),
  },
  filter: { team: is, host: is },
  sort: { title: { within: 'team' } },
  actions: {
    read: {
      allow: anyOf(
        member('team'),
        acrossTenants(when({ isPublic: true })),
        acrossTenants(some('links', hasToken('code'))),
      ),
    },
    create: { allow: may('create'), accept: ['team', 'title', 'minutes', 'isPublic', 'needsApproval'] },
    update: { allow: own('host'), accept: ['title', 'minutes', 'isPublic', 'needsApproval'] },
  },
})

/** Opens one event type for one booking, within a month. */
export const PrivateLink = resource('PrivateLink', {
  prefix: 'lnk',
  within: 'eventType',
  fields: {
    eventType: one('EventType'),
    code: token({ prefix: 'book_', until: 'expiresAt', maxUses: 1 }),
    expiresAt: timestamp(),
  },
  actions: {
    read: { allow: may('read') },
    create: { allow: may('create'), accept: ['eventType'], set: { expiresAt: now.plus({ days: 30 }) } },
    delete: { allow: may('delete') },
  },
})
