import {
  anyOf,
  anyone,
  choice,
  email,
  many,
  member,
  password,
  resource,
  self,
  some,
  state,
  text,
  through,
} from 'duet-api'

/** An account stands outside of all organizations: those are seen who share one. */
export const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    name: text({ max: 100 }),
    password: password({ min: 8, max: 200 }),
    role: choice(['USER', 'SUPPORT', 'ADMIN'], { default: 'USER' }),
    status: state('ACTIVE'),
    memberships: many('Membership', 'user'),
  },
  actions: {
    read: { allow: anyOf(self, some('memberships', through('organization', member()))) },
    create: { allow: anyone, accept: ['email', 'name', 'password'] },
    update: { allow: self, accept: ['name'] },
    // The last owner of an organization has to stay.
    delete: { allow: self },
  },
})
