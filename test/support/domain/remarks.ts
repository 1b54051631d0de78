// Issues and pages of organizations, some of them hidden, and remarks on either.

import {
  ApiKey,
  actor,
  allOf,
  anyOf,
  argument,
  boolean,
  choice,
  either,
  event,
  is,
  many,
  member,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  text,
  through,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, memberships: many('Membership', 'user') },
  actions: { read: { allow: signedIn } },
})
const Organization = resource('Organization', {
  prefix: 'org',
  fields: { name: text({ max: 40 }), memberships: many('Membership', 'organization') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: { organization: one('Organization'), user: one('User', { cascade: 'regardless' }), role: choice(['STAFF']) },
  actions: { read: { allow: member('organization') } },
})
const seen = anyOf(own('owner'), allOf(member('organization'), when({ isHidden: false })))
const common = {
  organization: one('Organization'),
  title: text({ max: 40 }),
  isHidden: boolean({ default: false }),
  owner: one('User', { cascade: 'regardless', default: actor }),
}
export const Issue = resource('Issue', {
  prefix: 'iss',
  within: 'organization',
  fields: { ...common, remarks: many('Remark', 'issue') },
  counts: { remarks: { of: 'remarks', shown: 'to all' } },
  actions: {
    read: { allow: seen },
    create: { allow: member('organization'), accept: ['organization', 'title', 'isHidden', 'remarks'] },
    delete: { allow: member('organization') },
  },
})
export const Page = resource('Page', {
  prefix: 'pag',
  within: 'organization',
  fields: {
    ...common,
    remarks: many('Remark', 'page'),
    remark: argument(one('Remark')),
  },
  actions: {
    read: { allow: seen },
    create: { allow: member('organization'), accept: ['organization', 'title', 'isHidden'] },
    take: {
      allow: member('organization'),
      accept: ['remark'],
      effect: async ({ id, input, records }) => {
        await records.change(Remark, input.remark, { target: { type: 'Page', id } })
      },
    },
    delete: { allow: member('organization') },
  },
})
export const Remark = resource('Remark', {
  prefix: 'rem',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    issue: optional(one('Issue', { cascade: 'regardless' })),
    page: optional(one('Page', { onDelete: 'restrict' })),
    target: either(['page', 'issue'], { about: 'What it is about.' }),
    sourceIssue: optional(one('Issue')),
    sourcePage: optional(one('Page')),
    source: optional(either(['sourceIssue', 'sourcePage'])),
    text: text({ max: 40 }),
  },
  filter: { target: is, source: is },
  where: ['target', 'source', 'text', 'issue.title', 'page.title'],
  sort: ['text'],
  actions: {
    read: { allow: member('organization') },
    create: {
      allow: anyOf(through('issue', member('organization')), through('page', member('organization'))),
      accept: ['organization', 'target', 'source', 'text'],
      emit: event('remarkCreated', { by: 'target' }),
    },
    update: { allow: member('organization'), accept: ['target', 'text'] },
    refer: {
      allow: member('organization'),
      accept: ['source'],
      emit: event('remarkReferred', { by: 'source' }),
    },
    delete: { allow: member('organization'), emit: event('remarkDeleted', { by: 'target' }) },
  },
})

export const remarks = service({
  resources: { User, ApiKey, Organization, Membership, Issue, Page, Remark },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Organization: { STAFF: {} } },
})
