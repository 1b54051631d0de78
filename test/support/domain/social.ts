// People who follow and block each other, posts and comments, offers of an hour, invitations by address: rules that follow relations.

import {
  actor,
  after,
  allOf,
  anyOf,
  anyone,
  atMost,
  boolean,
  choice,
  email,
  event,
  is,
  many,
  manyToMany,
  may,
  me,
  not,
  now,
  one,
  optional,
  own,
  readable,
  resource,
  self,
  service,
  signedIn,
  some,
  state,
  text,
  through,
  timestamp,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    role: choice(['MEMBER', 'MODERATOR'], { default: 'MEMBER' }),
    isSure: optional(boolean()),
    followers: manyToMany('User', 'following'),
    following: manyToMany('User', 'followers'),
    blocks: many('Block', 'blocker'),
    posts: many('Post', 'author'),
  },
  actions: {
    read: { allow: anyone },
    follow: { allow: signedIn, link: 'followers', emit: event('followed') },
    unfollow: { allow: signedIn, unlink: 'followers' },
  },
})
const Block = resource('Block', {
  prefix: 'blk',
  fields: {
    blocker: one('User', { cascade: 'regardless', default: actor }),
    blocked: one('User', { cascade: 'regardless' }),
  },
  actions: {
    read: { allow: own('blocker') },
    create: { allow: signedIn, accept: ['blocked'] },
    delete: { allow: own('blocker') },
  },
})
const notBlocked = not(through('author', some('blocks', own('blocked'))))
const Post = resource('Post', {
  prefix: 'post',
  fields: {
    author: one('User', { cascade: 'regardless', default: actor }),
    text: text({ max: 500 }),
    audience: choice(['EVERYONE', 'FOLLOWERS', 'ONLY_ME'], { default: 'EVERYONE' }),
    status: state('visible', 'hidden'),
    comments: many('Comment', 'post'),
  },
  filter: { author: is },
  queries: { feed: { allow: signedIn, where: through('author', some('followers', self)) } },
  actions: {
    read: {
      allow: anyOf(
        own('author'),
        may('hide'),
        allOf(
          when({ status: 'visible' }),
          notBlocked,
          anyOf(
            when({ audience: 'EVERYONE' }),
            allOf(when({ audience: 'FOLLOWERS' }), through('author', some('followers', self))),
          ),
        ),
      ),
    },
    create: { allow: signedIn, accept: ['text', 'audience'], emit: event('posted') },
    update: { allow: own('author'), accept: ['text', 'audience'], emit: event('edited') },
    delete: { allow: anyOf(own('author'), may('hide')) },
    hide: { allow: may('hide'), from: 'visible', to: 'hidden' },
  },
})
const Comment = resource('Comment', {
  prefix: 'cmt',
  fields: {
    post: one('Post', { cascade: 'regardless' }),
    also: optional(one('Post')),
    author: one('User', { cascade: 'regardless', default: actor }),
    text: text({ max: 500 }),
  },
  actions: {
    read: { allow: allOf(readable('post'), notBlocked) },
    // Whoever does not follow may not take part, but with oneself.
    create: {
      allow: anyOf(through('post', own('author')), through('post', through('author', some('followers', self)))),
      accept: ['post', 'also', 'text'],
    },
    delete: { allow: anyOf(own('author'), through('post', own('author'))) },
  },
})
const Offer = resource('Offer', {
  prefix: 'off',
  fields: { from: timestamp(), until: timestamp(), by: one('User', { cascade: 'regardless', default: actor }) },
  actions: {
    read: { allow: anyOf(when({ from: atMost(now), until: after(now) }), own('by')) },
    create: { allow: allOf(signedIn, when({ until: after(now) })), accept: ['from', 'until'] },
  },
})
const Invitation = resource('Invitation', {
  prefix: 'inv',
  fields: { email: optional(email({})), by: one('User', { cascade: 'regardless', default: actor }) },
  actions: { read: { allow: anyOf(own('by'), when({ email: me('email') })) } },
})
/** Whoever reads it need not be one who may read what it marks. */
const Bookmark = resource('Bookmark', {
  prefix: 'bmk',
  fields: {
    of: one('Post', { cascade: 'regardless' }),
    by: one('User', { cascade: 'regardless', default: actor }),
    secret: text({ max: 9, default: 's' }),
  },
  protect: { secret: { read: through('of', own('author')) } },
  filter: { of: is },
  actions: { read: { allow: anyone }, create: { allow: signedIn, accept: ['of', 'secret'] } },
})
export const social = service({
  resources: { User, Block, Post, Comment, Offer, Invitation, Bookmark },
  accounts: { ...accounts, verified: 'isSure' },
  roles: { MEMBER: {}, MODERATOR: { posts: ['hide'] } },
})
