import {
  actor,
  allOf,
  anyOf,
  event,
  is,
  many,
  may,
  not,
  one,
  optional,
  own,
  readable,
  resource,
  some,
  text,
  through,
} from 'duet-api'
import { notBlocked } from './post.ts'

export const Comment = resource('Comment', {
  prefix: 'cmt',
  fields: {
    post: one('Post', { cascade: 'regardless' }),
    parent: optional(one('Comment')),
    replies: many('Comment', 'parent'),
    author: one('User', { default: actor }),
    text: text({ max: 2_000 }),
  },
  filter: { post: is },
  actions: {
    read: { allow: allOf(readable('post'), notBlocked) },
    create: {
      allow: may('create'),
      accept: ['post', 'parent', 'text'],
      check: async ({ input, records }) =>
        input.parent === null ||
        (await records.here.get(input.parent)).post === input.post ||
        'A reply belongs to the post of what it answers.',
      emit: event('commented', { by: 'post' }),
    },
    // The author of the post may delete comments under it.
    delete: { allow: anyOf(own('author'), through('post', own('author')), may('delete')) },
  },
})

export const Like = resource('Like', {
  prefix: 'like',
  fields: { post: one('Post', { cascade: 'regardless' }), user: one('User', { default: actor }) },
  filter: { post: is },
  /** A user likes a post once. */
  unique: [['post', 'user']],
  actions: {
    read: { allow: allOf(readable('post'), not(through('user', some('blocks', own('blocked'))))) },
    create: { allow: may('create'), accept: ['post'], emit: event('liked', { by: 'post' }) },
    delete: { allow: own('user') },
  },
})
