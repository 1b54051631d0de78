// Checks that count the same records, of actions in a tenant and in none: of twenty at once, no more pass than there is room. (contract
// 13.4.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argument, choice, is, many, one, resource, service, signedIn, text } from 'duet-api'
import { accountFields, accounts } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const room = 3
const read = { allow: signedIn }

// Relations differ by depth, so that types cannot follow.
// biome-ignore lint/suspicious/noExplicitAny: see above
const define = resource as any

/** Seats in a hall of an organization, or in a hall of none. */
function ticketing(depth: 0 | 2) {
  const inTenant = depth > 0
  const User = define('User', {
    prefix: 'usr',
    fields: {
      ...accountFields,
      role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
      name: text({ max: 99 }),
      ...(inTenant ? { memberships: many('Membership', 'user') } : {}),
    },
    actions: { read },
  })
  const Organization = define('Organization', {
    prefix: 'org',
    fields: { name: text({ max: 20 }), memberships: many('Membership', 'organization') },
    members: { list: 'memberships', account: 'user', role: 'role' },
    actions: { read },
  })
  const Membership = define('Membership', {
    prefix: 'mem',
    within: 'organization',
    fields: { organization: one('Organization'), user: one('User'), role: choice(['OWNER']) },
    actions: { read },
  })
  const Hall = define('Hall', {
    prefix: 'hal',
    ...(inTenant ? { within: 'organization' } : {}),
    fields: { ...(inTenant ? { organization: one('Organization') } : {}), name: text({ max: 20 }) },
    actions: { read },
  })
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const hasRoom = async ({ input, records }: any) =>
    (await records.all.count(Seat, { filter: { hall: input.hall } })) < room || 'The hall is full.'
  const Seat = define('Seat', {
    prefix: 'sea',
    ...(inTenant ? { within: 'hall' } : {}),
    fields: { hall: one('Hall') },
    filter: { hall: is },
    actions: { read, create: { allow: signedIn, accept: ['hall'] } },
  })
  const taking = {
    allow: signedIn,
    accept: ['hall'],
    check: hasRoom,
    // biome-ignore lint/suspicious/noExplicitAny: see above
    effect: async ({ input, records }: any) => void (await records.create(Seat, { hall: input.hall })),
  }
  const Booking = define('Booking', {
    prefix: 'boo',
    ...(inTenant ? { within: 'hall' } : {}),
    fields: { hall: one('Hall') },
    actions: { read, create: taking },
  })
  /** In no tenant. */
  const Voucher = define('Voucher', {
    prefix: 'vou',
    fields: { hall: argument(text({ max: 40 })) },
    actions: { read, create: taking },
  })
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return (service as any)({
    resources: { User, ...(inTenant ? { Organization, Membership } : {}), Hall, Seat, Booking, Voucher },
    accounts,
    roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
    ...(inTenant ? { tenantRoles: { Organization: { OWNER: 'everything' } } } : {}),
  })
}

for (const depth of [0, 2] as const)
  withService(
    `13.4.3 checks that count the same seats, ${depth} deep in a tenant`,
    (running) => {
      for (const ways of [['bookings'], ['vouchers'], ['bookings', 'vouchers']])
        test(`13.4.3 of twenty ${ways.join(' and ')} at once, ${room} find room`, async () => {
          for (let round = 0; round < 6; round++) {
            const fixtures = running().fixtures({
              ...(depth === 0
                ? { hall: { Hall: { name: 'H' } } }
                : {
                    organization: { Organization: { name: 'O' } },
                    membership: { Membership: { organization: '{organization}', user: '{admin}', role: 'OWNER' } },
                    hall: { Hall: { name: 'H', organization: '{organization}' } },
                  }),
            })
            if (depth > 0) await fixtures.idOf('membership')
            const hall = await fixtures.idOf('hall')
            const statuses = await Promise.all(
              Array.from({ length: 20 }, async (_, index) => {
                const way = ways[index % ways.length]!
                const body = way === 'bookings' ? { hall_id: hall } : { hall }
                return (await running().send(`POST /api/v1/${way}`, { as: 'admin', fixtures, body })).status
              }),
            )
            const stored = (await running().tables('seats')).filter((row) => row.includes(hall)).length
            assert.deepEqual([statuses.filter((each) => each === 201).length, stored], [room, room])
            assert.deepEqual([...new Set(statuses)].sort(), [201, 422])
          }
          running().assertLog()
        })
    },
    { definition: ticketing(depth) },
  )
