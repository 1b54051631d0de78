import { anyOf, choice, email, may, optional, password, resource, self, state, text } from 'duet-api'

/** Who signs in: customers, and those who keep the shop. */
export const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    name: optional(text({ max: 100 })),
    password: password({ min: 8, max: 200 }),
    role: choice(['CUSTOMER', 'KEEPER'], { default: 'CUSTOMER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: anyOf(self, may('read_any')) } },
})
