import { absent, choice, one, optional, own, resource, timestamp } from 'duet-api'

/** Made by the reactions of `notify.ts`: nobody else may. */
export const Notification = resource('Notification', {
  prefix: 'ntf',
  fields: {
    to: one('User'),
    kind: choice(['LIKED', 'COMMENTED']),
    post: optional(one('Post')),
    readAt: optional(timestamp()),
  },
  actions: {
    read: { allow: own('to') },
    see: { allow: own('to'), from: { readAt: absent }, set: { readAt: ({ now }) => now } },
  },
})
