// Accounts for services that are about something else: what signing in needs.

import { anyone, choice, email, password, resource, state } from 'duet-api'

export const accountFields = {
  email: email({ unique: true }),
  password: password({ min: 8, max: 200 }),
  role: choice(['ANY'], { default: 'ANY' }),
  status: state('ACTIVE'),
}
/** An account that everybody may read, and nobody write. */
export const User = resource('User', { prefix: 'usr', fields: accountFields, actions: { read: { allow: anyone } } })
export const accounts = { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' } as const
