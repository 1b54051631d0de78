// Lists of what is in tenants: gathered from those of whoever asks, and from so many at most. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bound, bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { overhear, withQuietService } from '../support/check/statement-counter.ts'
import { office } from '../support/client/office.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { withService } from '../support/server/service.ts'

const idsOf = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id).sort()

withService(
  '10.2 Lists of tenants',
  (running) => {
    test('10.2.16 who is in more tenants than a list is gathered from names one', async () => {
      const { ids, as, ask, each } = await office(running())
      // A customer of the second reads no tickets there but those of her own.
      const both = await each('ann', async ({ voice }) => (await voice.list('Ticket')).code)
      assert.equal(both, null)
      const three = running().fixtures({
        three: { Organization: { name: 'Three' } },
        alsoThere: { Membership: { organization: '{three}', user: ids.ann, role: 'AGENT' } },
        theirs: { Ticket: { organization: '{three}', number: 1, subject: 'there', requester: ids.ann } },
      })
      const theirs = await three.idOf('theirs')
      await three.idOf('alsoThere')
      const tooMany = await each('ann', async ({ voice }) => (await voice.list('Ticket')).code)
      assert.equal(tooMany, 'VALIDATION_ERROR')
      const { body } = await ask('ann', 'GET /api/v1/tickets?sort=created_at')
      assert.deepEqual(
        body.error.details.map(({ field }: { field: string }) => field),
        ['organization_id'],
      )
      for (const face of ['REST', 'GraphQL'] as const) {
        const { voice } = as('ann', face)
        const named = await voice.list('Ticket', { organizationId: await three.idOf('three') })
        assert.deepEqual(idsOf(named.data), [theirs])
        assert.deepEqual(idsOf((await voice.list('Ticket', { organizationId: ids.two })).data), [ids.elsewhere])
        // What is no list of tenants' records is none to name a tenant of.
        assert.equal((await voice.list('Organization')).data.length, 3)
        assert.equal((await voice.read('Ticket', theirs)).code, null)
        assert.equal((await voice.below('Organization', ids.one, 'tickets')).code, null)
        assert.equal((await as('agent', face).voice.list('Ticket')).code, null)
      }
      assert.equal((await as('ann').voice.list('Membership')).code, 'VALIDATION_ERROR')
      assert.equal((await as('ann').voice.remove('Membership', await three.idOf('alsoThere'))).code, null)
      assert.equal((await as('ann').voice.list('Ticket')).code, null)
    })
  },
  { definition: helpdesk, limits: { listTenants: 1 } },
)

withQuietService(
  '10.2 Lists of tenants, read',
  (running) => {
    test('10.2.16 no list scans records of tenants that the caller is not in', async () => {
      const { ids, ask, makeKey } = await office(running())
      const key = await makeKey('ann', { organization_id: ids.one, role: 'OWNER' })
      for (const who of ['ann', 'customer', key]) {
        for (const path of [
          '/tickets',
          `/tickets?organization_id=${ids.one}`,
          '/tickets?sort=created_at',
          '/messages',
          '/memberships?role=AGENT',
          '/tasks',
          '/organizations',
          '/users',
          '/notes',
        ]) {
          const { statements } = await overhear(running(), async () => ask(who, `GET /api/v1${path}`))
          for (const statement of statements) {
            const tables = new Set([...statement.statement.sql.matchAll(/"\w+" (t\d+)/g)].map(([, alias]) => alias))
            const walks = (await planOf(statement)).filter((line) => tables.has(/^SCAN (t\d+)/.exec(line)?.[1]))
            assert.deepEqual(walks, [], `${path}: ${statement.statement.sql}`)
          }
        }
      }
    })

    test('10.2.16 it is one statement, which counts the tenants itself', async () => {
      const { ask } = await office(running())
      for (const who of ['ann', 'agent', 'customer']) {
        const { statements } = await overhear(running(), async () => ask(who, 'GET /api/v1/tickets?limit=2'))
        const [list, ...others] = statements.filter(({ statement: { sql } }) => sql.includes('"tickets"'))
        assert.deepEqual(others, [])
        assert.match(list!.statement.sql, /select max\(n\)/)
        const alone = statements.filter(({ statement: { sql } }) => sql.startsWith('select 1 where'))
        assert.equal(alone.length, list!.rows === 0 ? 1 : 0)
      }
    })

    test('users in a common tenant are found by tenants that PostgreSQL looks up once', async () => {
      const { ask } = await office(running())
      const { statements } = await overhear(running(), async () => ask('ann', 'GET /api/v1/tickets?limit=2'))
      const isOnce = statements.some(({ statement: { sql } }) => /"organization_id" in \(select .+ is true\)/.test(sql))
      assert.equal(isOnce, running().engine === 'postgres')
    })

    async function planOf({ statement, values }: Bound): Promise<readonly string[]> {
      // PostgreSQL reads so few rows whole, whatever the indexes: bench/tenants.ts asks it with many.
      if (running().engine !== 'sqlite') return []
      const rows = await running().store.read(explained(statement.sql, values))
      return rows.map(([, , , line]) => String(line))
    }
  },
  { definition: helpdesk },
)

function* explained(sql: string, values: Bound['values']): Program<readonly StoredRow[]> {
  return yield bind(query(`explain query plan ${sql}`), ...values)
}
