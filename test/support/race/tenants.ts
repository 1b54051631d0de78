// Tenants, what writers race for that these keep numbers of, and the hook of a service.

import { argument, atMost, choice, counter, integer, many, one, signedIn, state, text, through, when } from 'duet-api'
import { type Defined, type Moment, type Placing, quota } from './holders.ts'

/** How deep: 0 is in no tenant, 3 is within a record within a record within an organization. */
export type Depth = 0 | 1 | 2 | 3
export const depths: readonly Depth[] = [0, 1, 2, 3]

/** The records that one is within, outermost first. */
const chain = ['Organization', 'Area', 'Site'] as const
const prefixes = { Organization: 'org', Area: 'are', Site: 'sit' } as const
const fieldOf = (name: string) => name.toLowerCase()
const read = { allow: signedIn }
const remove = { allow: signedIn }

/** The innermost record that everything is within; null in no tenant. */
export const placeAt = (depth: Depth): { readonly name: string; readonly field: string } | null => {
  const name = chain.slice(0, depth).at(-1)
  return name === undefined ? null : { name, field: fieldOf(name) }
}

export function tenants({ define, place, within, below }: Placing, depth: Depth) {
  const levels = chain.slice(0, depth)
  const placed = Object.keys(place)
  /** What a tenant keeps, of the records directly in it. */
  const kept = (name: string) =>
    name === levels.at(-1)
      ? {
          lists: { tickets: many('Ticket', fieldOf(name)), permits: many('Permit', fieldOf(name)) },
          numbers: {
            counts: {
              tickets: 'tickets',
              openTickets: { of: 'tickets', where: when({ status: 'open' }) },
              permits: 'permits',
            },
            sums: { points: 'tickets.points' },
            computed: {
              work: {
                as: text({ max: 40 }),
                from: ['openTicketsCount', 'points'],
                stored: true,
                make: ({ openTicketsCount, points }: Record<string, unknown>) => `${openTicketsCount} of ${points}`,
              },
            },
          },
        }
      : { lists: {}, numbers: {} }
  const Organization = define('Organization', {
    prefix: prefixes.Organization,
    fields: {
      name: text({ max: 20 }),
      memberships: many('Membership', 'organization'),
      ...kept('Organization').lists,
    },
    ...kept('Organization').numbers,
    members: { list: 'memberships', account: 'user', role: 'role' },
    actions: { read },
  })
  const Membership = define('Membership', {
    prefix: 'mem',
    within: 'organization',
    fields: {
      organization: one('Organization', { cascade: 'regardless' }),
      user: one('User', { cascade: 'regardless' }),
      role: choice(['OWNER']),
      title: text({ max: 20, default: '-' }),
    },
    actions: { read, update: { allow: signedIn, accept: ['title'] } },
  })
  const between = levels.slice(1).map((name, at) => {
    const holder = fieldOf(levels[at]!)
    const { lists, numbers } = kept(name)
    return define(name, {
      prefix: prefixes[name],
      within: holder,
      fields: { [holder]: one(levels[at]!, { cascade: 'regardless' }), ...lists },
      ...numbers,
      actions: { read },
    })
  })
  const Ticket = define('Ticket', {
    prefix: 'tkt',
    ...within,
    fields: { ...place, number: counter(), points: integer({ default: 1 }), status: state('open', 'done') },
    actions: {
      read,
      create: { allow: signedIn, accept: [...placed, 'points'] },
      update: { allow: signedIn, accept: ['points'] },
      finish: { allow: signedIn, from: 'open', to: 'done' },
      delete: remove,
    },
  })
  /** By a rule about a number of the tenant. */
  const Permit = define('Permit', {
    prefix: 'prm',
    ...within,
    fields: { ...place },
    actions: {
      read,
      create: { allow: through(placed[0] ?? '', when({ permitsCount: atMost(quota - 1) })), accept: placed },
    },
  })
  /** Writes tickets in its effect. */
  const Opener = define('Opener', {
    prefix: 'opn',
    ...below('desk'),
    fields: {
      desk: one('Desk', { cascade: 'regardless' }),
      about: argument(text({ max: 80 })),
      ticket: argument(text({ max: 80 })),
    },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['desk', 'about', 'ticket'],
        effect: async ({ input, records }: Moment) => {
          await records.change(Ticket, input.ticket, { points: 4 })
          const { id } = await records.create(Ticket, { [placed[0]!]: input.about, points: 2 })
          await records.run(Ticket, id, 'finish')
          await records.remove(Ticket, input.ticket)
        },
      },
    },
  })
  const isInTenant = depth > 0
  return {
    Membership,
    resources: isInTenant
      ? {
          Organization,
          Membership,
          ...Object.fromEntries(between.map((each, at) => [levels[at + 1]!, each])),
          Ticket,
          Permit,
          Opener,
        }
      : {},
  }
}

interface Hooked {
  readonly Plain: Defined
  readonly Trace: Defined
}

/** Writes what the written record names, what its holder counts, and what the tenant adds up of it. */
export const hookOf =
  ({ Plain, Trace }: Hooked) =>
  async ({ resource, action, change, record, records }: Moment): Promise<void> => {
    if (resource === 'Ticket' && change?.points === 3) change.points = 5
    if (resource === 'Notice') {
      const { number } = await records.get(Plain, record.plain)
      await records.change(Plain, record.plain, { number: number + 1 })
    }
    if (resource === 'Thing' && action !== 'delete') await records.create(Trace, { box: record.box })
  }
