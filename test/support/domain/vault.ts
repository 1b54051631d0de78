// Secrets and little else, as a file that commands are pointed to.

import { choice, email, password, resource, secret, self, service, signedIn, state, text } from 'duet-api'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: self } },
})
export const Hook = resource('Hook', {
  prefix: 'hook',
  fields: { name: text({ max: 60 }), key: secret() },
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['name', 'key'] } },
})
export const vault = service({
  resources: { User, Hook },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})
