import {
  acrossTenants,
  allOf,
  anyOf,
  atLeastOne,
  choice,
  hasToken,
  is,
  many,
  may,
  member,
  nobody,
  now,
  one,
  own,
  resource,
  signedIn,
  state,
  text,
  timestamp,
  token,
} from 'duet-api'

/** A customer of this service. What is within it exists for its members alone. */
export const Organization = resource('Organization', {
  prefix: 'org',

  fields: {
    name: text({ max: 100 }),
    memberships: many('Membership', 'organization'),
    projects: many('Project', 'organization'),
  },

  members: { list: 'memberships', account: 'user', role: 'role' },

  actions: {
    read: { allow: member() },
    create: {
      allow: may('create'),
      accept: ['name'],
      // The caller who creates it owns it.
      effect: async ({ id, actor, records }) => {
        await records.create(Membership, { organization: id, user: actor.id, role: 'OWNER' })
      },
    },
    update: { allow: may('edit'), accept: ['name'] },
    delete: { allow: may('delete') },
  },
})

/** A member of an organization, with a role there: `tenantRoles` in service.ts says what it may do. */
export const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',

  fields: {
    organization: one('Organization'),
    user: one('User', { cascade: 'regardless' }),
    role: choice(['OWNER', 'MEMBER', 'GUEST']),
  },

  unique: [['user']], // in each organization, since it is within one
  invariants: [atLeastOne({ role: 'OWNER' }, 'An organization keeps at least one owner.')],
  filter: { role: is },

  actions: {
    read: { allow: member('organization') },
    create: { allow: nobody }, // by invitation only
    update: { allow: may('edit'), accept: ['role'] },
    delete: { allow: anyOf(own('user'), may('delete')) },
  },
})

/** Accepted once, within a week, by anyone with its code. */
export const Invitation = resource('Invitation', {
  prefix: 'inv',
  within: 'organization',

  fields: {
    organization: one('Organization'),
    role: choice(['MEMBER', 'GUEST']),
    code: token({ prefix: 'invite_', until: 'expiresAt', maxUses: 1 }),
    status: state('open', 'accepted'),
    expiresAt: timestamp(),
  },

  actions: {
    read: { allow: anyOf(may('read'), acrossTenants(hasToken('code'))) },
    create: { allow: may('create'), accept: ['organization', 'role'], set: { expiresAt: now.plus({ days: 7 }) } },
    delete: { allow: may('delete') },
    accept: {
      allow: acrossTenants(allOf(signedIn, hasToken('code'))),
      from: 'open',
      to: 'accepted',
      effect: async ({ record, actor, records }) => {
        await records.create(Membership, { organization: record.organization, user: actor.id, role: record.role })
      },
    },
  },
})
