// Notes of which a part is hidden, and which every reader may mark, so that there are many events about what is hidden in part.

import {
  actor,
  anyOf,
  boolean,
  event,
  integer,
  now,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  text,
  timestamp,
  Webhook,
  WebhookDelivery,
  when,
} from 'duet-api'
import { accounts, User } from './account.ts'

const Note = resource('Note', {
  prefix: 'note',
  fields: {
    author: one('User', { default: actor, cascade: 'regardless' }),
    title: text({ max: 40 }),
    isShared: boolean({ default: true }),
    price: integer({ min: 0, max: 9 }),
    markedAt: optional(timestamp()),
  },
  protect: { price: { read: own('author') } },
  actions: {
    read: { allow: anyOf(own('author'), when({ isShared: true })) },
    create: { allow: signedIn, accept: ['title', 'isShared', 'price'], emit: event('noteMade') },
    mark: { allow: signedIn, set: { markedAt: now }, emit: event('noteMarked') },
    delete: { allow: signedIn, emit: event('noteGone') },
  },
})

export const marks = service({
  resources: { User, Note, Webhook, WebhookDelivery },
  accounts,
  roles: { ANY: {} },
})
