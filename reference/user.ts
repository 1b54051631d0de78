import {
  anyOf,
  anyone,
  atLeastOne,
  boolean,
  type CallerAccount,
  choice,
  email,
  is,
  json,
  many,
  manyToMany,
  may,
  optional,
  password,
  resource,
  self,
  state,
  text,
  url,
} from 'duet-api'

const isAnotherAccount = ({ actor, record }: { actor: CallerAccount; record: { id: string } }) =>
  actor.id !== record.id || 'You cannot follow yourself.'

/** A person with an account. Anyone may sign up; what others see of it is the public profile. (contract 2.2.1, 2.7.2) */
export const User = resource('User', {
  prefix: 'usr',
  about: 'A user with an account. Profiles are public; the e-mail address and preferences are not.',
  batch: false,
  resultUnion: true,
  notFound: 'USER_NOT_FOUND',

  fields: {
    name: text({ max: 100 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    emailVerified: boolean({ default: false }),
    status: state('ACTIVE', 'SUSPENDED', 'DEACTIVATED'),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    bio: optional(text({ min: 0, max: 500 })),
    avatarUrl: optional(url()),
    preferences: json({ maxBytes: 4096 }),
    posts: many('Post', 'author'),
    followers: manyToMany('User', 'following'),
    following: manyToMany('User', 'followers'),
  },

  protect: {
    email: { read: anyOf(self, may('manage')) },
    preferences: { read: anyOf(self, may('manage')) },
    emailVerified: { read: anyOf(self, may('manage')), write: may('manage') },
    role: { write: may('manage'), filter: may('manage') },
    status: { filter: may('manage') },
  },

  filter: { status: is, role: is },
  sort: ['name'],
  where: ['name'],
  search: ['name'],
  invariants: [atLeastOne({ role: 'ADMIN', status: 'ACTIVE' }, 'The last active admin must stay one.')],

  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['name', 'email', 'password', 'bio', 'avatarUrl', 'preferences', 'role', 'emailVerified'],
    },
    update: {
      allow: anyOf(may('edit', self), may('manage')),
      accept: ['name', 'bio', 'avatarUrl', 'preferences', 'role', 'emailVerified'],
    },
    delete: { allow: may('manage') },
    suspend: { allow: may('manage'), from: 'ACTIVE', to: 'SUSPENDED' },
    reactivate: { allow: may('manage'), from: 'SUSPENDED', to: 'ACTIVE' },
    deactivate: { allow: anyOf(self, may('manage')), from: ['ACTIVE', 'SUSPENDED'], to: 'DEACTIVATED' },
    follow: {
      allow: may('follow'),
      check: isAnotherAccount,
      link: 'followers',
    },
    unfollow: {
      allow: may('follow'),
      check: isAnotherAccount,
      unlink: 'followers',
    },
  },
})
