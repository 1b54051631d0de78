// Companies, and projects inside of them, that may require a second factor of their members.

import {
  ApiKey,
  anyOf,
  boolean,
  choice,
  event,
  many,
  may,
  member,
  nobody,
  one,
  own,
  resource,
  SecurityEvent,
  Session,
  SignInMethod,
  service,
  state,
  text,
  through,
  Webhook,
  WebhookDelivery,
  when,
} from 'duet-api'
import type { SignInMethods } from '../../../src/resource/language/service.ts'
import { User } from './sign-in.ts'

const seatFields = {
  user: one('User', { cascade: 'regardless' }),
  role: choice(['OWNER', 'GUEST']),
  status: state('ACTIVE', 'OFF'),
}
const Company = resource('Company', {
  prefix: 'cmp',
  fields: { name: text({ max: 40 }), isStrict: boolean({ default: false }), seats: many('Seat', 'company') },
  members: {
    list: 'seats',
    account: 'user',
    role: 'role',
    while: when({ status: 'ACTIVE' }),
    secondFactorIf: 'isStrict',
  },
  actions: {
    read: { allow: member() },
    create: { allow: nobody },
    update: { allow: may('edit'), accept: ['name', 'isStrict'] },
  },
})
const Seat = resource('Seat', {
  prefix: 'sea',
  within: 'company',
  fields: { company: one('Company'), ...seatFields },
  actions: {
    read: { allow: anyOf(own('user'), may('read')) },
    create: { allow: nobody },
    turnOff: { allow: may('turnOff'), from: 'ACTIVE', to: 'OFF' },
  },
})
const Project = resource('Project', {
  prefix: 'prj',
  within: 'company',
  fields: {
    company: one('Company'),
    name: text({ max: 40 }),
    isSecret: boolean({ default: false }),
    places: many('Place', 'project'),
  },
  members: { list: 'places', account: 'user', role: 'role', secondFactorIf: 'isSecret' },
  actions: {
    read: { allow: member() },
    create: { allow: may('create'), accept: ['company', 'name'] },
    update: { allow: may('edit'), accept: ['isSecret'] },
  },
})
const Place = resource('Place', {
  prefix: 'plc',
  within: 'project',
  fields: { project: one('Project'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER', 'GUEST']) },
  actions: { read: { allow: through('project', member()) }, create: { allow: nobody } },
})
const Note = resource('Note', {
  prefix: 'nte',
  within: 'project',
  fields: { project: one('Project'), text: text({ max: 40 }) },
  actions: {
    read: { allow: member('project') },
    create: { allow: may('create'), accept: ['project', 'text'], emit: event('noteWritten') },
    update: { allow: may('edit'), accept: ['text'] },
  },
})

export const workspacesWith = (methods: SignInMethods, pages = false) =>
  service({
    resources: {
      User,
      Session,
      ApiKey,
      SignInMethod,
      SecurityEvent,
      Webhook,
      WebhookDelivery,
      Company,
      Seat,
      Project,
      Place,
      Note,
    },
    accounts: {
      login: 'email',
      verified: 'isSure',
      password: 'password',
      role: 'role',
      activeState: 'ACTIVE',
      methods,
      pages,
    },
    roles: { MEMBER: {}, ADMIN: 'everything', TREASURER: {} },
    tenantRoles: {
      Company: { OWNER: 'everything', GUEST: {} },
      Project: { OWNER: 'everything', GUEST: { notes: ['create'] } },
    },
  })
export const workspaces = workspacesWith({ totp: true, passkeys: true })
