import {
  acrossTenants,
  allOf,
  anyOf,
  atLeastOne,
  choice,
  email,
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
  when,
} from 'duet-api'

/** A company that uses the helpdesk. What is within it exists for its members alone. */
export const Organization = resource('Organization', {
  prefix: 'org',
  fields: {
    name: text({ max: 100 }),
    slug: text({
      max: 40,
      pattern: /[a-z0-9-]+/,
      message: 'Use small letters, digits and dashes.',
      unique: 'everywhere',
    }),
    memberships: many('Membership', 'organization'),
    tickets: many('Ticket', 'organization'),
  },
  members: { list: 'memberships', account: 'user', role: 'role', while: when({ status: 'ACTIVE' }) },
  actions: {
    read: { allow: member() },
    create: {
      allow: may('create'),
      accept: ['name', 'slug'],
      // The caller who creates it owns it.
      effect: async ({ id, actor, records }) => {
        await records.create(Membership, { organization: id, user: actor.id, role: 'OWNER' })
      },
    },
    update: { allow: may('edit'), accept: ['name'] },
    delete: { allow: may('delete') },
  },
})

export const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    user: one('User', { cascade: 'regardless' }),
    role: choice(['OWNER', 'AGENT', 'CUSTOMER']),
    status: state('ACTIVE', 'OFF'),
  },
  unique: [['user']], // in each organization, since it is within one
  invariants: [atLeastOne({ role: 'OWNER', status: 'ACTIVE' }, 'An organization keeps at least one owner.')],
  filter: { role: is, user: is },
  actions: {
    read: { allow: member('organization') },
    create: { allow: nobody }, // by invitation only
    update: { allow: may('edit'), accept: ['role'] },
    turnOff: { allow: may('edit'), from: 'ACTIVE', to: 'OFF' },
    turnOn: { allow: may('edit'), from: 'OFF', to: 'ACTIVE' },
    delete: { allow: anyOf(own('user'), may('delete')) },
  },
})

/** Accepted once, by anyone with its code, within a week. */
export const Invitation = resource('Invitation', {
  prefix: 'inv',
  within: 'organization',
  fields: {
    organization: one('Organization'),
    email: email(),
    role: choice(['AGENT', 'CUSTOMER']),
    code: token({ prefix: 'invite_', until: 'expiresAt', maxUses: 1 }),
    status: state('open', 'accepted'),
    expiresAt: timestamp(),
  },
  actions: {
    read: { allow: anyOf(may('read'), acrossTenants(hasToken('code'))) },
    create: {
      allow: may('create'),
      accept: ['organization', 'email', 'role'],
      set: { expiresAt: now.plus({ days: 7 }) },
    },
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
