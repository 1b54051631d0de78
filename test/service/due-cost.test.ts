// What the clock costs: a look for due records is one probe of an index, however many wait or were moved, and moves share transactions.
// `WAITING=1000000 DUE=10000` for the long version.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeTogether } from '../../src/store/combine.ts'
import { insertOf } from '../../src/store/sql/text/batching.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { boundTo } from '../../src/store/sql/text/sql-text.ts'
import { dueIdsSql, nextDueSql } from '../../src/store/sql/write/due.ts'
import { type Bound, bind, command, type Program, query, type Store, type StoredRow } from '../../src/store/store.ts'
import { appointments } from '../support/domain/appointments.ts'
import { withService } from '../support/server/service.ts'

const waiting = Number(process.env['WAITING'] ?? 20_000)
const due = Number(process.env['DUE'] ?? 2_000)

function* one(bound: Bound): Program<readonly StoredRow[]> {
  return yield bound
}

withService(
  'the cost of a look for due records',
  (running) => {
    test('14.1.1 is one probe of an index for the next due time, and one for due records', async (t) => {
      const { engine, store, model } = running()
      const isSqlite = engine === 'sqlite'
      const dialect = dialectOf(engine)
      const move = model.byName.get('Hold')!.timedMoves[0]!
      const numbers = isSqlite
        ? `(with recursive n(value) as (select 1 union all select value + 1 from n where value < ${waiting}) select value from n)`
        : `generate_series(1, ${waiting}) as n(value)`
      const id = isSqlite ? "printf('hold_%026d', value)" : "'hold_' || lpad(value::text, 26, '0')"
      const moment = isSqlite ? "'2026-01-01T00:00:00.000Z'" : "timestamptz '2026-01-01T00:00:00.000Z'"
      const later = isSqlite
        ? "strftime('%Y-%m-%dT%H:%M:%fZ', '2030-01-01', value || ' seconds')"
        : "timestamptz '2030-01-01' + value * interval '1 second'"
      const columns = 'id, title, status, reserved_until, created_at, updated_at, expire__made'
      // As many that wait as were moved.
      const rows = (prefix: string, made: string) =>
        `select ${id.replace('hold_', prefix)}, 't', 'reserved', ${later}, ${moment}, ${moment}, ${made} from ${numbers}`
      await store.write(
        function* () {
          yield bind(command(`insert into holds (${columns}) ${rows('hold_', 'null')}`))
          yield bind(command(`insert into holds (${columns}) ${rows('hole_', moment)}`))
        },
        { withoutTimeout: true },
      )
      if (!isSqlite) await store.write(() => one(bind(command('analyze holds'))), { withoutTimeout: true })
      const now = dialect.encode(running().now(), 'timestamp')
      const dueIds = boundTo(dueIdsSql(move, dialect), { actor: null, input: [now], limit: 500 })
      for (const { statement, values } of [bind(query(nextDueSql(move, dialect))), dueIds]) {
        const explain = isSqlite ? 'explain query plan' : 'explain (analyze, format json)'
        const plan = await store.read(one({ statement: query(`${explain} ${statement.sql}`), values }))
        const text = isSqlite ? plan.map((row) => `${row.at(-1)}`).join('\n') : JSON.stringify(plan)
        assert.match(text, /holds_expire\w*_idx/)
        if (isSqlite) assert.doesNotMatch(text, /TEMP/)
        else {
          const looked = Array.from(text.matchAll(/Actual Rows\W+(\d+)|Rows Removed by Filter\W+(\d+)/g))
          assert.ok(Math.max(...looked.map(([, rows, removed]) => Number(rows ?? removed))) <= 1, text)
        }
        const start = performance.now()
        for (let look = 0; look < 100; look++) await store.read(one({ statement, values }))
        t.diagnostic(`${((performance.now() - start) / 100).toFixed(3)} ms with ${waiting} waiting`)
      }
    })
  },
  { definition: appointments, limits: { duePollMs: 2 ** 31 - 1, eventPollMs: 2 ** 31 - 1 } },
)

withService(
  'many records that are due at once',
  (running) => {
    test('14.1.2 each is moved once, in shared transactions, next to other writes', async (t) => {
      const { engine, store, clock, send, advance, now } = running()
      const dialect = dialectOf(engine)
      const at = dialect.encode(new Date(now().getTime() + 60_000), 'timestamp')
      const moment = dialect.encode(now(), 'timestamp')
      const insert = insertOf(
        'insert into holds (id, title, status, reserved_until, created_at, updated_at)',
        ['text', 'text', 'text', 'timestamptz', 'timestamptz', 'timestamptz'],
        dialect,
      )
      const ids = Array.from({ length: due }, (_, number) => `hold_${String(number).padStart(26, '0')}`)
      await store.write(() => executeTogether(ids.map((id) => bind(insert, id, 't', 'reserved', at, moment, moment))), {
        withoutTimeout: true,
      })
      const before = store.counts.transactions
      const usage = process.cpuUsage()
      advance(120_000)
      let writes = 0
      const { counts } = clock!.dueRecords!
      while (counts.moved < due) {
        const { status } = await send('POST /api/v2/holds', { as: 'viewer', body: { title: 'other' } })
        assert.equal(status, 201)
        assert.ok(++writes < 20_000)
      }
      const { user, system } = process.cpuUsage(usage)
      t.diagnostic(`${Math.round((user + system) / 1_000)} ms of processor time for ${due}, and ${writes} other writes`)
      const transactions = store.counts.transactions - before
      // On PostgreSQL events name theirs; others may share one as well.
      const ofMoves = `select count(distinct transaction) from duet_event where name = 'holdExpired'`
      const shared = engine === 'sqlite' ? transactions - writes : Number((await rowsIn(store, ofMoves))[0]![0])
      assert.ok(shared <= (2 * due) / 500 + 10, `${shared} transactions for ${due} moves`)
      const moved = `select count(*), min(version), max(version) from holds where status = 'expired'`
      assert.deepEqual((await rowsIn(store, moved))[0]!.map(Number), [due, 2, 2])
      const distinct = `select count(*), count(distinct record_id) from duet_event where name = 'holdExpired'`
      assert.deepEqual((await rowsIn(store, distinct))[0]!.map(Number), [due, due])
    })
  },
  { definition: appointments, limits: { duePollMs: 10 } },
)

const rowsIn = (store: Store, sql: string) => store.read(one(bind(query(sql))))
