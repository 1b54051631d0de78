import { anyone, choice, email, event, password, resource, self, service, state, text } from 'duet-api'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 12, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('active'),
  },
  actions: { read: { allow: self }, create: { allow: anyone, accept: ['email', 'password'] } },
})

/** What anyone may write on the wall. */
const Note = resource('Note', {
  prefix: 'note',
  fields: { title: text({ max: 200 }) },
  sort: ['title'],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title'], emit: event('noteCreated') },
  },
})

export const api = service({
  resources: { User, Note },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'active' },
  roles: { MEMBER: {} },
})
