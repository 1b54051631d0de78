import { anyone, choice, email, many, password, resource, self, state, text } from 'duet-api'

/** Guests learn the name of a host, and nothing else. */
export const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    name: text({ max: 100 }),
    password: password({ min: 8, max: 200 }),
    role: choice(['USER'], { default: 'USER' }),
    status: state('ACTIVE'),
    memberships: many('Membership', 'user'),
  },
  protect: { email: { read: self } },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['email', 'name', 'password'] },
    update: { allow: self, accept: ['name'] },
  },
})
