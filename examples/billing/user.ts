import { anyOf, choice, email, may, password, resource, self, state, text } from 'duet-api'

/** Who signs in: customers, clerks, and systems that import. */
export const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    name: text({ max: 100 }),
    password: password({ min: 8, max: 200 }),
    role: choice(['CUSTOMER', 'CLERK'], { default: 'CUSTOMER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: anyOf(self, may('read_any')) } },
})
