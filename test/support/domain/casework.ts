// Tickets in organizations, notes in tickets that name labels of the organization, and jobs whose code is what a test says: in an
// effect, in an action on no record, and in the hook of all writes.

import {
  actor,
  argument,
  choice,
  collection,
  event,
  is,
  many,
  member,
  one,
  optional,
  type Records,
  resource,
  service,
  signedIn,
  text,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

export const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, memberships: many('Membership', 'user') },
  actions: { read: { allow: signedIn } },
})
export const Organization = resource('Organization', {
  prefix: 'org',
  fields: { name: text({ max: 40 }), memberships: many('Membership', 'organization') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
export const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: { organization: one('Organization'), user: one('User', { cascade: 'regardless' }), role: choice(['AGENT']) },
  actions: { read: { allow: member('organization') } },
})
export const Label = resource('Label', {
  prefix: 'lab',
  within: 'organization',
  fields: { organization: one('Organization'), name: text({ max: 40, unique: true }) },
  actions: {
    read: { allow: member('organization') },
    create: { allow: member('organization'), accept: ['organization', 'name'] },
  },
})
export const Ticket = resource('Ticket', {
  prefix: 'tkt',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    subject: text({ max: 40 }),
    notes: many('Note', 'ticket'),
  },
  actions: {
    read: { allow: member('organization') },
    rename: { allow: member('organization'), accept: ['subject'] },
    create: {
      allow: member('organization'),
      accept: ['organization', 'subject'],
      effect: (moment) => run(moment.input.subject, moment),
    },
  },
})
export const Note = resource('Note', {
  prefix: 'nte',
  within: 'ticket',
  fields: {
    organization: one('Organization', { from: 'ticket' }),
    ticket: one('Ticket'),
    label: optional(one('Label')),
    text: text({ max: 40 }),
    author: optional(one('User', { default: actor })),
  },
  unique: [['ticket', 'text']],
  filter: { ticket: is },
  actions: {
    read: { allow: member('organization') },
    create: {
      allow: member('organization'),
      accept: ['ticket', 'label', 'text'],
      emit: event('noteAdded', { by: 'organization' }),
    },
    update: { allow: member('organization'), accept: ['text', 'label'] },
  },
})
/** Which ticket it is in, its code says. */
export const Remark = resource('Remark', {
  prefix: 'rem',
  within: 'ticket',
  fields: {
    organization: one('Organization', { from: 'ticket' }),
    ticket: one('Ticket'),
    label: optional(one('Label')),
    text: text({ max: 40 }),
    about: argument(text({ max: 40 })),
  },
  actions: {
    read: { allow: member('organization') },
    create: {
      allow: signedIn,
      accept: ['label', 'text', 'about'],
      set: { ticket: ({ input }) => input.about as never },
    },
  },
})
/** Runs what a test says, outside of organizations. */
export const Job = resource('Job', {
  prefix: 'job',
  fields: { what: text({ max: 40 }) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['what'],
      effect: (moment) => run(moment.input.what, moment),
      emit: event('jobDone'),
    },
    gather: {
      on: collection,
      allow: signedIn,
      accept: ['what'],
      effect: (moment) => run(moment.input.what, moment),
    },
  },
})

/** What code may use. */
export interface JobMoment {
  readonly id?: string
  readonly records: Records
  readonly input: object
}
/** What the code of jobs does, by name. */
export const jobs = new Map<string, (moment: JobMoment) => Promise<unknown>>()
async function run(what: string, moment: unknown): Promise<string | undefined> {
  const sentence = await jobs.get(what)?.(moment as JobMoment)
  return typeof sentence === 'string' ? sentence : undefined
}

export const casework = service({
  resources: { User, Organization, Membership, Label, Ticket, Note, Remark, Job },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Organization: { AGENT: {} } },
  onWrite: async ({ resource: name, record, records }) => {
    if (name === 'Job')
      await jobs.get(`hook of ${(record as { what: string }).what}`)?.({ records: records as never, input: {} })
  },
})

/** An organization of Ann's, and another one. */
export const cases = {
  ann: { User: {} },
  acme: { Organization: { name: 'Acme' } },
  other: { Organization: { name: 'Other' } },
  annWorks: { Membership: { organization: '{acme}', user: '{ann}', role: 'AGENT' } },
  red: { Label: { organization: '{acme}', name: 'red' } },
  blue: { Label: { organization: '{other}', name: 'blue' } },
  ticket: { Ticket: { organization: '{acme}', subject: 'ticket' } },
  first: { Note: { organization: '{acme}', ticket: '{ticket}', text: 'first' } },
} as const
