import {
  actor,
  anyOf,
  anyone,
  type CallerAccount,
  choice,
  email,
  is,
  many,
  manyToMany,
  may,
  not,
  one,
  own,
  password,
  resource,
  self,
  signedIn,
  some,
  state,
  text,
} from 'duet-api'

const isAnotherAccount = ({ actor, record }: { actor: CallerAccount; record: { id: string } }) =>
  actor.id !== record.id || 'You cannot follow yourself.'
/** A blocked user finds no trace of the user who blocked them. */
const notBlocked = not(some('blocks', own('blocked')))

export const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 60 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'MODERATOR'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'SUSPENDED'),
    posts: many('Post', 'author'),
    followers: manyToMany('User', 'following'),
    following: manyToMany('User', 'followers'),
    blocks: many('Block', 'user'),
  },
  protect: {
    email: { read: self },
    role: { write: may('manage') },
  },
  sort: ['name'],
  actions: {
    read: { allow: anyOf(self, may('manage'), notBlocked) },
    create: { allow: anyone, accept: ['name', 'email', 'password'] },
    update: { allow: self, accept: ['name'] },
    suspend: { allow: may('manage'), from: 'ACTIVE', to: 'SUSPENDED' },
    follow: { allow: signedIn, check: isAnotherAccount, link: 'followers' },
    unfollow: { allow: signedIn, check: isAnotherAccount, unlink: 'followers' },
  },
})

/** Only the user who blocks another sees it. */
export const Block = resource('Block', {
  prefix: 'blk',
  fields: { user: one('User', { default: actor }), blocked: one('User') },
  filter: { blocked: is },
  actions: {
    read: { allow: own('user') },
    create: {
      allow: may('create'),
      accept: ['blocked'],
      check: ({ actor, input }) => input.blocked !== actor.id || 'You cannot block yourself.',
    },
    delete: { allow: own('user') },
  },
})
