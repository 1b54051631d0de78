// Records that the clock moves: by their own timestamp, shifted by a field, by that of another record, once or each time.

import {
  event,
  field,
  integer,
  many,
  may,
  now,
  one,
  optional,
  resource,
  service,
  signedIn,
  state,
  text,
  timestamp,
} from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

/** Titles on which the code of a move fails, or refuses. */
export const broken = new Set<string>()
export const refused = new Set<string>()
/** What the code of moves was given. */
export const seen: { readonly id: string; readonly actor: unknown; readonly now: Date }[] = []

/** A hold ends when its time is over. */
export const Hold = resource('Hold', {
  prefix: 'hold',
  fields: {
    title: text({ max: 40 }),
    status: state('reserved', 'confirmed', 'expired'),
    reservedUntil: optional(timestamp()),
    expiredAt: optional(timestamp()),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'reservedUntil'] },
    update: { allow: signedIn, accept: ['title', 'reservedUntil'] },
    confirm: { allow: signedIn, from: 'reserved', to: 'confirmed' },
    reopen: { allow: signedIn, from: ['confirmed', 'expired'], to: 'reserved' },
    expire: {
      at: 'reservedUntil',
      from: 'reserved',
      check: ({ record }) => !refused.has(record.title) || 'It must not expire yet.',
      to: 'expired',
      set: { expiredAt: now },
      emit: event('holdExpired'),
    },
  },
})

/** Reminds at each value of its time, and stays as it is otherwise. */
export const Alarm = resource('Alarm', {
  prefix: 'alm',
  fields: { title: text({ max: 40 }), ringAt: optional(timestamp()), rings: integer({ default: 0 }) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'ringAt'] },
    update: { allow: signedIn, accept: ['title', 'ringAt'] },
    ring: {
      at: 'ringAt',
      effect: async ({ record, assign, actor, now }) => {
        seen.push({ id: record.id, actor, now })
        if (broken.has(record.title)) throw new TypeError('The bell is broken.')
        assign({ rings: record.rings + 1 })
      },
    },
  },
})

export const Meeting = resource('Meeting', {
  prefix: 'meet',
  fields: { title: text({ max: 40 }), startsAt: optional(timestamp()), reminders: many('Reminder', 'meeting') },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'startsAt'] },
    update: { allow: signedIn, accept: ['title', 'startsAt'] },
    delete: { allow: signedIn },
  },
})

/** Due so many minutes before the meeting that it is about. */
export const Reminder = resource('Reminder', {
  prefix: 'rem',
  fields: {
    meeting: optional(one('Meeting')),
    minutesBefore: integer({ min: -100_000, max: 100_000 }),
    status: state('waiting', 'sent'),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['meeting', 'minutesBefore'] },
    update: { allow: signedIn, accept: ['meeting', 'minutesBefore'] },
    send: {
      at: field('meeting.startsAt').minus({ minutes: field('minutesBefore') }),
      from: 'waiting',
      to: 'sent',
      emit: event('reminderDue'),
    },
  },
})

/** Moved by callers as well. */
export const Case = resource('Case', {
  prefix: 'case',
  fields: { status: state('open', 'closed', 'archived'), closedAt: optional(timestamp()) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: [] },
    close: { allow: signedIn, from: 'open', to: 'closed', set: { closedAt: now } },
    archive: {
      at: field('closedAt').plus({ days: 30 }),
      allow: may('archive'),
      from: 'closed',
      to: 'archived',
      past: true,
    },
  },
})

export const appointments = service({
  resources: { User, Post, Comment, Hold, Alarm, Meeting, Reminder, Case },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
