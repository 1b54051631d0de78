// Meetings of a host that must not overlap, and what changes them in every way that a service can.

import {
  absent,
  anyone,
  collection,
  date,
  integer,
  is,
  many,
  nobody,
  one,
  oneOf,
  optional,
  resource,
  service,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import { accounts, User } from './account.ts'

const Host = resource('Host', {
  prefix: 'hst',
  fields: { name: text({ max: 40 }), meetings: many('Meeting', 'host') },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['name', 'meetings'] },
    update: { allow: anyone, accept: ['name', 'meetings'] },
    delete: { allow: anyone },
  },
})
const Meeting = resource('Meeting', {
  prefix: 'mtg',
  fields: {
    host: one('Host', { cascade: 'regardless' }),
    room: optional(text({ max: 20 })),
    startsAt: timestamp(),
    endsAt: optional(timestamp()),
    code: text({ max: 40 }),
    status: state('PENDING', 'ACCEPTED', 'CANCELLED'),
  },
  exclude: [
    { fields: ['host'], overlap: ['startsAt', 'endsAt'], where: when({ status: oneOf('PENDING', 'ACCEPTED') }) },
    { fields: ['room'], overlap: ['startsAt', 'endsAt'], where: when({ status: 'ACCEPTED' }) },
  ],
  keys: [['code']],
  filter: { host: is },
  where: ['host', 'code'],
  actions: {
    read: { allow: when({ status: oneOf('PENDING', 'ACCEPTED', 'CANCELLED') }) },
    create: { allow: anyone, accept: ['host', 'room', 'startsAt', 'endsAt', 'code'] },
    update: { allow: anyone, accept: ['host', 'room', 'startsAt', 'endsAt', 'code'] },
    accept: { allow: anyone, from: 'PENDING', to: 'ACCEPTED' },
    cancel: { allow: anyone, from: ['PENDING', 'ACCEPTED'], to: 'CANCELLED' },
    revive: { allow: anyone, from: 'CANCELLED', to: 'PENDING' },
    delete: { allow: anyone },
  },
})
/** Its effects write meetings. */
const Course = resource('Course', {
  prefix: 'crs',
  fields: {
    host: one('Host', { cascade: 'regardless' }),
    startsAt: timestamp(),
    endsAt: timestamp(),
    first: optional(one('Meeting')),
  },
  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['host', 'startsAt', 'endsAt'],
      async effect({ input: { host, startsAt, endsAt }, id, records, assign }) {
        const meeting = await records.create(Meeting, { host, startsAt, endsAt, code: id })
        assign({ first: meeting.id })
      },
    },
    shift: {
      allow: anyone,
      accept: [],
      async effect({ record, records }) {
        await records.change(Meeting, record.first!, ({ endsAt }) => ({ startsAt: endsAt!, endsAt: null }))
      },
    },
  },
})
/** Counts until a host ends it. */
const Claim = resource('Claim', {
  prefix: 'clm',
  fields: { desk: integer(), first: integer(), after: integer(), ender: optional(one('Host')) },
  exclude: [{ fields: ['desk'], overlap: ['first', 'after'], where: when({ ender: absent }) }],
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['desk', 'first', 'after', 'ender'] } },
})
/** Days and whole numbers, of which no end is left out. */
const Stay = resource('Stay', {
  prefix: 'sty',
  fields: { bed: integer(), arrival: date(), departure: date() },
  exclude: [{ fields: ['bed'], overlap: ['arrival', 'departure'] }],
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['bed', 'arrival', 'departure'] } },
})
const Range = resource('Range', {
  prefix: 'rng',
  fields: { list: text({ max: 20 }), first: integer(), after: optional(integer()) },
  exclude: [{ fields: ['list'], overlap: ['first', 'after'] }],
  actions: {
    read: { allow: nobody },
    create: { allow: anyone, accept: ['list', 'first', 'after'] },
    fill: {
      allow: anyone,
      on: collection,
      effect: async ({ records }) => {
        await records.here.create({ list: 'filled', first: 0, after: 10 })
        await records.here.create({ list: 'filled', first: 9, after: 11 })
      },
    },
  },
})
export const meetings = service({
  resources: { User, Host, Meeting, Course, Claim, Stay, Range },
  accounts,
  roles: { ANY: {} },
})
