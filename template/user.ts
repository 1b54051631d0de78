import {
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  many,
  may,
  password,
  resource,
  self,
  signedIn,
  state,
  text,
} from 'duet-api'

/** A person with an account. Anyone may sign up; other members see a name, nothing more. */
export const User = resource('User', {
  prefix: 'usr',

  fields: {
    name: text({ max: 100 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    emailVerified: boolean({ default: false }),
    status: state('ACTIVE', 'SUSPENDED'),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    projects: many('Project', 'owner'),
  },

  protect: {
    email: { read: anyOf(self, may('manage')) },
    emailVerified: { read: anyOf(self, may('manage')) },
    role: { write: may('manage') },
  },

  sort: ['name'],

  actions: {
    read: { allow: signedIn },
    create: { allow: anyone, accept: ['name', 'email', 'password'] },
    update: { allow: anyOf(self, may('manage')), accept: ['name', 'role'] },
    suspend: { allow: may('manage'), from: 'ACTIVE', to: 'SUSPENDED' },
    reactivate: { allow: may('manage'), from: 'SUSPENDED', to: 'ACTIVE' },
  },
})
