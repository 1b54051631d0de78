// Thirty declared questions, to the helpdesk, the billing service and the reference service, and SQL that fills their tables.

import { api as reference } from '../reference/service.ts'
import type { AnyResource } from '../src/resource/language/row/any-resource.ts'
import type { Service } from '../src/resource/language/service.ts'
import type { RunningService } from '../src/service/service.ts'
import type { Engine } from '../src/store/store.ts'
import { billing, companyHelpdesk } from '../test/support/domain/example.ts'
import { sized } from './scale.ts'

const [engine = 'sqlite', count = sized(1_000_000, 2_000)] = process.argv.slice(2) as [Engine?, string?]

export { engine }
export const records = Number(count)
const others = Math.ceil(records / 10)
const isSqlite = engine === 'sqlite'

/** The id of a number, as SQL and as text. */
const id = (prefix: string, number: string) =>
  isSqlite ? `'${prefix}_' || printf('%026d', ${number})` : `'${prefix}_' || lpad((${number})::text, 26, '0')`
const idOf = (prefix: string, number: number) => `${prefix}_${String(number).padStart(26, '0')}`
const begin = Date.UTC(2020, 0, 1)
const instant = (seconds: string) =>
  isSqlite
    ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${begin / 1_000} + ${seconds}, 'unixepoch')`
    : `to_timestamp(${begin / 1_000} + ${seconds})`
const timeOf = (seconds: number) => new Date(begin + seconds * 1_000)
const day = (number: string) =>
  isSqlite ? `date('2020-01-01', (${number}) || ' days')` : `date '2020-01-01' + (${number})::integer`
const flag = (sql: string) => (isSqlite ? sql : `(${sql})`)
const oneOf = (values: readonly string[], of: string) =>
  `case ${of} ${values.map((each, at) => `when ${at} then '${each}'`).join(' ')} else '${values[0]}' end`

export interface Filling {
  readonly table: string
  readonly prefix: string
  readonly rows: number
  /** SQL by column, of the number `i` from 1. One in twenty is deleted. */
  readonly values: Readonly<Record<string, string>>
}
type Ask = (running: RunningService) => Promise<unknown>
export type Question = readonly [what: string, ask: Ask]
export interface Case {
  readonly definition: Service<unknown>
  readonly fillings: readonly Filling[]
  readonly questions: readonly Question[]
}

const account = { email: "'u' || i || '@example.com'", name: "'U' || i", password_hash: "''", status: "'ACTIVE'" }
const organization = id('org', `case when i % 10 = 0 then 1 else 1 + i * 7919 % ${Math.ceil(records / 1_000)} end`)
const { Ticket, Membership, Organization, User } = companyHelpdesk.resources as Record<string, AnyResource>
const { Invoice, Usage, Subscription } = billing.resources as Record<string, AnyResource>
const { Post } = reference.resources as Record<string, AnyResource>

const list =
  (resource: AnyResource | undefined, which: object, as?: string | null): Ask =>
  ({ asService, as: actAs }) =>
    (as === undefined ? asService.records : actAs(as).records).list(resource!, which)
const inOrganization =
  (resource: AnyResource | undefined, which: object): Ask =>
  ({ asService }) =>
    asService.records.within(idOf('org', 1)).list(resource!, which)
const member = idOf('usr', 5)

export const cases: readonly Case[] = [
  {
    definition: companyHelpdesk,
    fillings: [
      { table: 'users', prefix: 'usr', rows: others, values: { ...account, role: "'USER'" } },
      {
        table: 'organizations',
        prefix: 'org',
        rows: Math.ceil(records / 1_000),
        values: { name: "'O' || i", slug: "'o' || i" },
      },
      {
        table: 'memberships',
        prefix: 'mem',
        rows: records,
        values: {
          organization_id: id('org', `1 + i / ${others} + i % ${Math.ceil(records / 1_000) - 10}`),
          user_id: id('usr', `1 + i % ${others}`),
          role: oneOf(['OWNER', 'AGENT', 'CUSTOMER'], 'i % 50'),
          status: oneOf(['ACTIVE', 'OFF'], 'i % 7'),
        },
      },
      {
        table: 'tickets',
        prefix: 'tkt',
        rows: records,
        values: {
          organization_id: organization,
          number: `1 + i / ${Math.ceil(records / 1_000)}`,
          subject: "'S'",
          body: "'B'",
          status: oneOf(['closed', 'open', 'pending', 'solved'], 'i % 20'),
          priority: oneOf(['NORMAL', 'LOW', 'HIGH', 'URGENT'], 'i % 9'),
          requester_id: id('usr', `1 + i * 31 % ${others}`),
          assignee_id: `case when i % 3 > 0 then ${id('usr', '1 + i * 17 % 50')} end`,
          due_at: `case when i % 2 = 0 then ${instant('i * 7919 % 100000000')} end`,
          breached: flag('i % 110 = 10'),
          subject__words: "''",
          body__words: "''",
        },
      },
    ],
    questions: [
      ['one number', list(Ticket, { where: 'number = 77' })],
      ['numbers', list(Ticket, { where: 'number IN (77, 78, 500)' })],
      ['one number, last first', list(Ticket, { where: 'number = 77', sort: ['-createdAt'] })],
      ['one number of a tenant', inOrganization(Ticket, { where: 'number = 77' })],
      ['great numbers', list(Ticket, { sort: ['-number'] })],
      ['great numbers of a tenant', inOrganization(Ticket, { sort: ['-number'] })],
      ['due first in a tenant', inOrganization(Ticket, { sort: ['dueAt'] })],
      ['due then', list(Ticket, { where: { dueAt: { lt: timeOf(1_000) } } })],
      ['new ones', list(Ticket, { where: { createdAt: { gt: timeOf(records - 100) } } })],
      ['breached', list(Ticket, { filter: { breached: true } })],
      ['breached in a tenant', inOrganization(Ticket, { filter: { breached: true } })],
      ['of an assignee', list(Ticket, { filter: { assignee: member } })],
      ['of a requester in a tenant', inOrganization(Ticket, { filter: { requester: idOf('usr', 10 * 31 + 1) } })],
      ['those that a member may read', list(Ticket, {}, member)],
      ['memberships of one', list(Membership, { filter: { user: member } })],
      ['a membership', inOrganization(Membership, { filter: { user: idOf('usr', 991) } })],
      ['memberships of a role', inOrganization(Membership, { filter: { role: 'OWNER' } })],
      ['organizations of a member', list(Organization, {}, member)],
      ['accounts that a member may read', list(User, {}, member)],
    ],
  },
  {
    definition: billing,
    fillings: [
      {
        table: 'invoices',
        prefix: 'inv',
        rows: records,
        values: {
          number: 'case when i % 4 > 0 then i end',
          customer_id: id('cus', `1 + i * 31 % ${others}`),
          subscription_id: id('sub', `1 + i % ${others}`),
          period_start: day(`30 * (i / ${others})`),
          currency: "'EUR'",
          issued_at: `case when i % 4 > 0 then ${instant('i')} end`,
          status: oneOf(['paid', 'issued', 'draft', 'void'], 'i % 12'),
          total_4938af8d__kept: 'i % 1000',
          paid_fed6d788__kept: '0',
        },
      },
      {
        table: 'usages',
        prefix: 'usg',
        rows: records,
        values: {
          external_id: "'x' || i",
          usage_import_id: id('imp', `1 + i / 100`),
          subscription_id: id('sub', `1 + i % ${others}`),
          used_on: day('i % 1500'),
          quantity: 'i % 77',
        },
      },
      {
        table: 'subscriptions',
        prefix: 'sub',
        rows: others,
        values: {
          external_id: "'x' || i",
          customer_id: id('cus', `1 + i * 31 % ${others}`),
          plan_id: id('pln', '1 + i % 10'),
          seats: '1',
          starts_on: day('i % 1500'),
          status: oneOf(['running', 'past-due', 'ended'], 'i % 30'),
        },
      },
    ],
    questions: [
      ['invoices of a customer', list(Invoice, { filter: { customer: idOf('cus', 77) }, sort: ['-number'] })],
      ['invoices of a subscription', list(Invoice, { filter: { subscription: idOf('sub', 77) } })],
      ['invoices issued then', list(Invoice, { where: { issuedAt: { gte: timeOf(500), lt: timeOf(900) } } })],
      ['usages of a subscription', list(Usage, { filter: { subscription: idOf('sub', 7) }, sort: ['usedOn'] })],
      ['subscriptions of a plan', list(Subscription, { filter: { plan: idOf('pln', 7) }, sort: ['-startsOn'] })],
    ],
  },
  {
    definition: reference,
    fillings: [
      {
        table: 'users',
        prefix: 'usr',
        rows: others,
        values: { ...account, role: "'VIEWER'", email_verified: flag('1 = 1'), preferences: "'{}'", name__words: "''" },
      },
      {
        table: 'posts',
        prefix: 'post',
        rows: records,
        values: {
          title: "'T' || i * 7919 % 1000000",
          content: "'C'",
          tags: "'[]'",
          author_id: id('usr', `1 + i * 31 % ${others}`),
          published_at: `case when i % 3 = 0 then ${instant('i * 7919 % 100000000')} end`,
        },
      },
    ],
    questions: [
      ['posts, last published first', list(Post, { sort: ['-publishedAt'] }, null)],
      ['posts, first published first', list(Post, { sort: ['publishedAt'] }, null)],
      ['published posts', list(Post, { filter: { published: true } })],
      ['published posts, in their order', list(Post, { filter: { published: true }, sort: ['publishedAt'] })],
      ['drafts', list(Post, { filter: { published: false } })],
      ['posts of an author', list(Post, { filter: { author: idOf('usr', 7) } }, null)],
    ],
  },
]

const numbers = (to: number) =>
  isSqlite
    ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to}) select i from n) n`
    : `(select generate_series(1::bigint, ${to}) i) n`

export function insertSql({ table, prefix, rows, values }: Filling): string {
  const [at, deleted] = [instant('i'), `case when i % 20 = 0 then ${instant('i')} end`]
  const all = { id: id(prefix, 'i'), ...values, created_at: at, updated_at: at, version: '1', deleted_at: deleted }
  return `insert into ${table} (${Object.keys(all).join(', ')}) select ${Object.values(all).join(', ')} from ${numbers(rows)}`
}
