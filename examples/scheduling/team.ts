import { acrossTenants, anyOf, anyone, atLeastOne, choice, many, may, member, one, own, resource, text } from 'duet-api'

/** Its page is public; what is within it is for its members, unless a rule opens it. */
export const Team = resource('Team', {
  prefix: 'tea',
  fields: {
    name: text({ max: 100 }),
    slug: text({ max: 40, pattern: /[a-z0-9-]+/, unique: 'everywhere' }),
    memberships: many('Membership', 'team'),
    eventTypes: many('EventType', 'team'),
  },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: {
    read: { allow: anyOf(member(), acrossTenants(anyone)) },
    create: {
      allow: may('create'),
      accept: ['name', 'slug'],
      effect: async ({ id, actor, records }) => {
        await records.create(Membership, { team: id, user: actor.id, role: 'OWNER' })
      },
    },
    update: { allow: may('edit'), accept: ['name'] },
  },
})

export const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'team',
  fields: { team: one('Team'), user: one('User'), role: choice(['OWNER', 'HOST']) },
  unique: [['user']],
  invariants: [atLeastOne({ role: 'OWNER' }, 'A team keeps at least one owner.')],
  actions: {
    read: { allow: member('team') },
    create: { allow: may('create'), accept: ['team', 'user', 'role'] },
    update: { allow: may('edit'), accept: ['role'] },
    delete: { allow: anyOf(own('user'), may('delete')) },
  },
})
