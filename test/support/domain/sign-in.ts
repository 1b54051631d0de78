// Accounts that sign in by the given methods.

import {
  ApiKey,
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  may,
  optional,
  password,
  resource,
  SecurityEvent,
  Session,
  SignInMethod,
  type SignInTexts,
  self,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import type { SignInMethods } from '../../../src/resource/language/service.ts'

const ownOrManaged = anyOf(self, may('manage'))

export const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    isSure: boolean({ default: false }),
    note: optional(text({ max: 60 })),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'ADMIN', 'TREASURER'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'SUSPENDED'),
  },
  protect: { isSure: { write: may('manage') }, role: { write: may('manage') } },
  actions: {
    read: { allow: signedIn },
    create: { allow: anyone, accept: ['email', 'password'] },
    update: { allow: ownOrManaged, accept: ['note', 'isSure', 'role'] },
    readdress: { allow: may('readdress'), accept: ['email'] },
    delete: { allow: ownOrManaged },
    suspend: { allow: ownOrManaged, from: 'ACTIVE', to: 'SUSPENDED' },
    reactivate: { allow: may('manage'), from: 'SUSPENDED', to: 'ACTIVE' },
  },
})

interface More {
  readonly requireVerified?: boolean
  readonly secondFactorFor?: readonly ['TREASURER']
  readonly pages?: boolean
  readonly texts?: Readonly<Record<string, Partial<SignInTexts>>>
}
export const signInService = (methods: SignInMethods, more: More = {}) =>
  service({
    resources: { User, Session, ApiKey, SignInMethod, SecurityEvent },
    accounts: {
      login: 'email',
      verified: 'isSure',
      password: 'password',
      role: 'role',
      activeState: 'ACTIVE',
      methods,
      ...more,
    },
    roles: { MEMBER: {}, ADMIN: 'everything', TREASURER: {} },
  })
