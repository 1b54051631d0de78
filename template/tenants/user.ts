import {
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  many,
  may,
  member,
  password,
  resource,
  self,
  some,
  state,
  text,
  through,
} from 'duet-api'

/** A person with an account, outside of all organizations. Anyone may sign up; those are seen who share an organization. */
export const User = resource('User', {
  prefix: 'usr',

  fields: {
    name: text({ max: 100 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    emailVerified: boolean({ default: false }),
    status: state('ACTIVE', 'SUSPENDED'),
    role: choice(['USER', 'ADMIN'], { default: 'USER' }),
    memberships: many('Membership', 'user'),
  },

  protect: { emailVerified: { read: anyOf(self, may('manage')) } },

  actions: {
    read: { allow: anyOf(self, may('manage'), some('memberships', through('organization', member()))) },
    create: { allow: anyone, accept: ['name', 'email', 'password'] },
    update: { allow: self, accept: ['name'] },
    suspend: { allow: may('manage'), from: 'ACTIVE', to: 'SUSPENDED' },
    reactivate: { allow: may('manage'), from: 'SUSPENDED', to: 'ACTIVE' },
  },
})
