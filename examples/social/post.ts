import {
  actor,
  allOf,
  anyOf,
  atLeast,
  choice,
  event,
  is,
  many,
  may,
  not,
  one,
  own,
  resource,
  self,
  some,
  state,
  text,
  through,
  when,
} from 'duet-api'

/** The author has not blocked the caller. */
export const notBlocked = not(through('author', some('blocks', own('blocked'))))
const isFollower = through('author', some('followers', self))

export const Post = resource('Post', {
  prefix: 'post',
  fields: {
    author: one('User', { default: actor }),
    text: text({ max: 5_000 }),
    audience: choice(['EVERYONE', 'FOLLOWERS', 'ONLY_ME'], { default: 'EVERYONE' }),
    status: state('visible', 'hidden'),
    likes: many('Like', 'post'),
    comments: many('Comment', 'post'),
  },
  // Also likes of users who have blocked the reader: their number is no secret here.
  counts: { likes: { of: 'likes', shown: 'to all' }, comments: { of: 'comments', shown: 'to all' } },
  filter: { author: is, minLikes: atLeast('likesCount') },
  search: ['text'],
  where: ['author', 'createdAt', 'likesCount'],
  sort: ['likesCount'],
  queries: {
    /** Posts of users that the caller follows. */
    feed: { allow: may('feed'), where: isFollower },
  },
  actions: {
    read: {
      allow: anyOf(
        own('author'),
        may('hide'),
        allOf(
          when({ status: 'visible' }),
          notBlocked,
          anyOf(when({ audience: 'EVERYONE' }), allOf(when({ audience: 'FOLLOWERS' }), isFollower)),
        ),
      ),
    },
    create: { allow: may('create'), accept: ['text', 'audience'], emit: event('posted', { by: 'author' }) },
    update: { allow: own('author'), accept: ['text', 'audience'] },
    delete: { allow: anyOf(own('author'), may('delete')) },
    hide: { allow: may('hide'), from: 'visible', to: 'hidden' },
  },
})
