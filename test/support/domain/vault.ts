// Secrets and little else, as a file that commands are pointed to.

import { resource, secret, service, signedIn, text } from 'duet-api'
import { accounts, User } from './account.ts'

export const Hook = resource('Hook', {
  prefix: 'hook',
  fields: { name: text({ max: 60 }), key: secret() },
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['name', 'key'] } },
})
export const vault = service({ resources: { User, Hook }, accounts, roles: { ANY: {} } })
