import { absent, choice, event, nobody, now, one, optional, own, resource, timestamp } from 'duet-api'

/** Created by the reactions of `notify.ts` alone. */
export const Notification = resource('Notification', {
  prefix: 'ntf',
  fields: {
    to: one('User'),
    kind: choice(['LIKED', 'COMMENTED']),
    post: optional(one('Post')),
    readAt: optional(timestamp()),
  },
  where: ['kind', 'readAt'],
  actions: {
    read: { allow: own('to') },
    // Each hears of what is theirs alone, and names no id to listen.
    create: { allow: nobody, accept: ['to', 'kind', 'post'], emit: event('notified') },
    see: { allow: own('to'), from: { readAt: absent }, set: { readAt: now } },
  },
})
