// What tenants cost lists: a service with tenants beside two without, over the same tickets. In one of these all callers read
// everything but accounts, in the other accounts are shown to members of their organizations, as in that with tenants.
// `node --conditions=duet-source bench/tenants.ts sqlite 1000000`, or `postgres`; the number is that of memberships.

import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ApiKey,
  anyOf,
  choice,
  email,
  is,
  many,
  may,
  member,
  nobody,
  one,
  own,
  password,
  resource,
  self,
  service,
  signedIn,
  some,
  state,
  text,
  through,
} from 'duet-api'
import { silentLog } from '../src/observation/log.ts'
import type { Service } from '../src/resource/language/service.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { startService } from '../src/service/service.ts'
import { bind, command, type Program } from '../src/store/store.ts'
import { createPostgresDatabase, type PostgresDatabase } from './platforms/databases.ts'
import { sized } from './scale.ts'

const [engine = 'sqlite', count = sized(1_000_000, 750)] = process.argv.slice(2)
const memberships = Number(count)
/** The first organization has so many members, all others a hundred. */
const large = sized(10_000, 200)
const each = sized(100, 5)
const organizations = Math.ceil((memberships - large) / each) + 1
const tickets = Math.min(1_000_000, memberships)

const accounts = { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' } as const
const account = {
  email: email({ unique: true }),
  password: password({ min: 8, max: 200 }),
  role: choice(['USER'], { default: 'USER' }),
  status: state('ACTIVE'),
}
const User = resource('User', {
  prefix: 'usr',
  fields: { ...account, memberships: many('Membership', 'user') },
  actions: { read: { allow: anyOf(self, some('memberships', through('organization', member()))) } },
})
const Organization = resource('Organization', {
  prefix: 'org',
  fields: { name: text({ max: 100 }), memberships: many('Membership', 'organization') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: { organization: one('Organization'), user: one('User'), role: choice(['OWNER', 'AGENT', 'CUSTOMER']) },
  unique: [['user']],
  actions: { read: { allow: member('organization') }, create: { allow: nobody } },
})
const Ticket = resource('Ticket', {
  prefix: 'tkt',
  within: 'organization',
  fields: { organization: one('Organization'), subject: text({ max: 200 }), requester: one('User') },
  actions: { read: { allow: anyOf(may('read_any'), own('requester')) } },
})
const within = service({
  resources: { ApiKey, User, Organization, Membership, Ticket },
  accounts,
  roles: { USER: {} },
  tenantRoles: { Organization: { OWNER: 'everything', AGENT: { tickets: ['read_any'] }, CUSTOMER: {} } },
})

/** The same tickets, which all callers read. */
const OpenUser = resource('User', {
  prefix: 'usr',
  fields: account,
  actions: { read: { allow: self } },
})
const OpenOrganization = resource('Organization', {
  prefix: 'org',
  fields: { name: text({ max: 100 }) },
  actions: { read: { allow: signedIn } },
})
const OpenTicket = resource('Ticket', {
  prefix: 'tkt',
  fields: { organization: one('Organization'), subject: text({ max: 200 }), requester: one('User') },
  filter: { organization: is },
  actions: { read: { allow: signedIn } },
})
const open = service({
  resources: { ApiKey, User: OpenUser, Organization: OpenOrganization, Ticket: OpenTicket },
  accounts,
  roles: { USER: {} },
})

/** The same, where accounts are shown to members of their organizations. */
const SharedUser = resource('User', {
  prefix: 'usr',
  fields: { ...account, memberships: many('Membership', 'user') },
  actions: {
    read: { allow: anyOf(self, some('memberships', through('organization', some('memberships', own('user'))))) },
  },
})
const SharedOrganization = resource('Organization', {
  prefix: 'org',
  fields: { name: text({ max: 100 }), memberships: many('Membership', 'organization') },
  actions: { read: { allow: signedIn } },
})
const SharedMembership = resource('Membership', {
  prefix: 'mem',
  fields: { organization: one('Organization'), user: one('User'), role: choice(['OWNER', 'AGENT', 'CUSTOMER']) },
  unique: [['organization', 'user']],
  actions: { read: { allow: signedIn }, create: { allow: nobody } },
})
const shared = service({
  resources: {
    ApiKey,
    User: SharedUser,
    Organization: SharedOrganization,
    Membership: SharedMembership,
    Ticket: OpenTicket,
  },
  accounts,
  roles: { USER: {} },
})

const isSqlite = engine === 'sqlite'
const folder = mkdtempSync(join(process.env['BENCH_FOLDER'] ?? tmpdir(), 'duet-tenants-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const plenty = '1000000000'
const databases = new Map<string, PostgresDatabase>()

async function serve(name: string, definition: Service<unknown>) {
  const url = isSqlite ? `sqlite:${join(folder, `${name}.db`)}` : await createDatabase(name)
  const environment = { PORT: '0', DATABASE_URL: url, LIMIT_IP_PER_MINUTE: plenty, LIMIT_USER_PER_HOUR: plenty }
  return startService(definition, {
    configuration: readConfiguration(environment),
    log: silentLog,
    clock: () => new Date(),
  })
}
type Running = Awaited<ReturnType<typeof serve>>

async function createDatabase(name: string): Promise<string> {
  const database = await createPostgresDatabase()
  databases.set(name, database)
  return database.url
}

/** As a database is that has been running for a while. */
async function settle(name: string, running: Running): Promise<void> {
  if (isSqlite) {
    await run(running, 'analyze')
    const { default: Database } = await import('better-sqlite3')
    const database = new Database(join(folder, `${name}.db`), { timeout: 60_000 })
    const [{ busy }] = database.pragma('wal_checkpoint(truncate)') as [{ readonly busy: number }]
    database.close()
    // A log that is left would be searched by each reading of a page.
    if (busy !== 0) throw new Error('The log of the database could not be emptied.')
    return
  }
  await databases.get(name)!.run('vacuum analyze')
}

/** The id of a number, as SQL and as text. */
const idSql = (prefix: string, number: string) =>
  isSqlite ? `'${prefix}_' || printf('%026d', ${number})` : `'${prefix}_' || lpad((${number})::text, 26, '0')`
const idOf = (prefix: string, number: number) => `${prefix}_${String(number).padStart(26, '0')}`
const numbers = (to: number) =>
  isSqlite
    ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to}) select i from n) n`
    : `(select generate_series(1::bigint, ${to}) i) n`
const instant = isSqlite
  ? (at: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + (${at}) / 1000.0, 'unixepoch')`
  : (at: string) => `to_timestamp(1700000000 + (${at}) / 1000.0)`

async function run(running: Running, ...statements: readonly string[]): Promise<void> {
  for (const text of statements)
    await running.store.write(
      function* (): Program<void> {
        yield bind(command(text))
      },
      { withoutTimeout: true },
    )
}

async function fill(running: Running, hasMembers: boolean): Promise<void> {
  const moments = (at: string) => `${instant(at)}, ${instant(at)}`
  const common = '"created_at", "updated_at", "version"'
  const users = Math.max(large, Math.ceil(memberships / 100))
  // The members of an organization are a hundred in a row, so that each is in several; the last user is in a hundred of them.
  const organizationOf = `case when i <= ${large} then 1 else 2 + (i - ${large} - 1) / ${each} end`
  const userOf = `case when i <= ${large} then i else 1 + (((i - ${large} - 1) / ${each}) * 37 + (i - ${large} - 1) % ${each}) % ${users - 1} end`
  await run(
    running,
    `insert into users (id, email, password_hash, role, status, ${common}) select ${idSql('usr', 'i')}, 'u' || i || '@example.com', '', 'USER', 'ACTIVE', ${moments('i')}, 1 from ${numbers(users)}`,
    `insert into organizations (id, name, ${common}) select ${idSql('org', 'i')}, 'O', ${moments('i')}, 1 from ${numbers(organizations)}`,
    `insert into tickets (id, organization_id, subject, requester_id, ${common}) select ${idSql('tkt', 'i')}, ${idSql('org', `1 + i * 7919 % ${Math.min(organizations, 10_000)}`)}, 'S' || i, ${idSql('usr', `1 + i % ${users}`)}, ${moments('i')}, 1 from ${numbers(tickets)}`,
  )
  if (!hasMembers) return
  await run(
    running,
    `insert into memberships (id, organization_id, user_id, role, ${common}) select ${idSql('mem', 'i')}, ${idSql('org', organizationOf)}, ${idSql('usr', userOf)}, 'AGENT', ${moments('i')}, 1 from ${numbers(memberships)}`,
    // A member of a hundred organizations, and a member of the large one alone.
    `insert into users (id, email, password_hash, role, status, ${common}) values ('${idOf('usr', 900_000_001)}', 'many@example.com', '', 'USER', 'ACTIVE', ${moments('1')}, 1), ('${idOf('usr', 900_000_002)}', 'large@example.com', '', 'USER', 'ACTIVE', ${moments('1')}, 1), ('${idOf('usr', 900_000_003)}', 'small@example.com', '', 'USER', 'ACTIVE', ${moments('1')}, 1)`,
    `insert into memberships (id, organization_id, user_id, role, ${common}) select ${idSql('mem', 'i + 900000000')}, ${idSql('org', 'i + 1')}, '${idOf('usr', 900_000_001)}', 'AGENT', ${moments('i')}, 1 from ${numbers(100)}`,
    `insert into memberships (id, organization_id, user_id, role, ${common}) values ('${idOf('mem', 990_000_002)}', '${idOf('org', 1)}', '${idOf('usr', 900_000_002)}', 'AGENT', ${moments('1')}, 1), ('${idOf('mem', 990_000_003)}', '${idOf('org', 50)}', '${idOf('usr', 900_000_003)}', 'AGENT', ${moments('1')}, 1)`,
  )
}

async function makeKey(running: Running, user: string): Promise<string> {
  const key = `duet_${hash('sha256', user, 'base64url')}`
  const scopes = isSqlite ? `'["*"]'` : `'["*"]'::json`
  const at = instant('1')
  await run(
    running,
    `insert into api_keys (id, user_id, name, scopes, key_hash, prefix, created_at, updated_at, version) values ('${user.replace('usr', 'key')}', '${user}', 'K', ${scopes}, '${hash('sha256', key, 'base64url')}', 'duet', ${at}, ${at}, 1)`,
  )
  return key
}

async function ask(running: Running, path: string, key: string): Promise<string> {
  const response = await fetch(`${running.url}/api/v1${path}`, { headers: { 'X-API-Key': key } })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`)
  return body
}

/** Medians in milliseconds of requests that take turns, so that what else the machine does slows all alike. */
async function compare(requests: readonly (readonly [of: Running, path: string, key: string])[]): Promise<number[]> {
  const times: number[][] = requests.map(() => [])
  for (let round = 0; round < sized(1_000, 1); round++)
    for (const [index, request] of requests.entries()) {
      const begun = performance.now()
      await ask(...request)
      if (round >= sized(100, 0)) times[index]!.push(performance.now() - begun)
    }
  return times.map((each) => each.sort((one, other) => one - other)[each.length >> 1]!)
}

async function time(running: Running, path: string, key: string): Promise<number> {
  const { data } = JSON.parse(await ask(running, path, key)) as { data: unknown[] }
  if (data.length === 0) throw new Error(`${path} is empty`)
  const begun = performance.now()
  let count = 0
  while (count < sized(20, 1) || (count < sized(2_000, 1) && performance.now() - begun < 2_000)) {
    await ask(running, path, key)
    count++
    if (performance.now() - begun > 20_000) break
  }
  return (performance.now() - begun) / count
}

try {
  await measure()
} finally {
  for (const database of databases.values()) await database.drop()
}
process.exit(0)

async function measure(): Promise<void> {
  const [tenants, sharing, plain] = [
    await serve('within', within),
    await serve('shared', shared),
    await serve('open', open),
  ]
  console.log(`${engine}: ${memberships} memberships, ${organizations} organizations, ${tickets} tickets`)
  const begun = performance.now()
  await fill(tenants, true)
  await fill(sharing, true)
  await fill(plain, false)
  await settle('within', tenants)
  await settle('shared', sharing)
  await settle('open', plain)
  console.log(`filled in ${Math.round((performance.now() - begun) / 1000)} s`)
  const [ofLarge, ofSmall, ofMany] = await Promise.all(
    [900_000_002, 900_000_003, 900_000_001].map((number) => makeKey(tenants, idOf('usr', number))),
  )
  const anyUser = await makeKey(plain, idOf('usr', 1))
  const sharer = await makeKey(sharing, idOf('usr', 900_000_002))
  const one_ = idOf('org', 1)
  const cases: readonly (readonly [what: string, of: Running, path: string, key: string])[] = [
    ['rule, no filter, in one organization of 10,000', tenants, '/tickets', ofLarge!],
    ['rule, no filter, in one organization of 100', tenants, '/tickets', ofSmall!],
    ['rule, no filter, in 100 organizations', tenants, '/tickets', ofMany!],
    ['no rule, no filter', plain, '/tickets', anyUser],
    ['members of an organization of 10,000', tenants, `/memberships?organization_id=${one_}`, ofLarge!],
    ['memberships, no filter, of 10,000', tenants, '/memberships', ofLarge!],
    ['organizations, in one', tenants, '/organizations', ofSmall!],
    ['organizations, in 100', tenants, '/organizations', ofMany!],
    ['accounts that share one of 10,000', tenants, '/users', ofLarge!],
    ['accounts that share one of 100', tenants, '/users', ofSmall!],
  ]
  const filtered = `/tickets?organization_id=${one_}`
  const [without, alike, behind] = (await compare([
    [plain, filtered, anyUser],
    [sharing, filtered, sharer],
    [tenants, filtered, ofLarge!],
  ])) as [number, number, number]
  const ratio = (base: number): string => (behind / base).toFixed(2)
  console.log(`${without.toFixed(3)} ms  no rule, one organization by filter`)
  console.log(`${alike.toFixed(3)} ms  no rule but that of accounts, the same filter`)
  console.log(
    `${behind.toFixed(3)} ms  rule, the same filter: ${ratio(without)} ×, of what asks of accounts too ${ratio(alike)} ×`,
  )
  for (const [what, of, path, key] of cases) {
    const ms = await time(of, path, key).catch((error: Error) => error.message)
    console.log(`${typeof ms === 'number' ? `${ms.toFixed(3)} ms` : ms.slice(0, 120)}  ${what}`)
  }
  await tenants.stop()
  await sharing.stop()
  await plain.stop()
}
