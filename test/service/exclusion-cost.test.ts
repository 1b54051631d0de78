// What judging an overlap costs: one search of an index, however many records have the same values. (contract 11.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { boundTo } from '../../src/store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../src/store/sql/write/write-statements.ts'
import { type Bound, bind, command, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { meetings } from '../support/domain/meetings.ts'
import { withService } from '../support/server/service.ts'

const many = 20_000

function* one(bound: Bound): Program<readonly StoredRow[]> {
  return yield bound
}

withService(
  'the cost of an exclusion',
  (running) => {
    for (const until of ['value * 2 + 1', 'null'])
      test(`is a search of the index, if the record ends at ${until}`, async () => {
        const { engine, store, model } = running()
        const resource = model.byName.get('Range')!
        const dialect = dialectOf(engine)
        const isSqlite = engine === 'sqlite'
        const moment = isSqlite ? "'2026-01-01T00:00:00.000Z'" : "timestamptz '2026-01-01T00:00:00.000Z'"
        const numbers = isSqlite
          ? `(with recursive n(value) as (select 1 union all select value + 1 from n where value < ${many}) select value from n)`
          : `generate_series(1, ${many}) as n(value)`
        const id = isSqlite ? "printf('rng_%026d', value)" : "'rng_' || lpad(value::text, 26, '0')"
        const rows = `select ${id}, 'same', value * 2, value * 2 + 1, ${moment}, ${moment} from ${numbers}`
        const into = 'insert into ranges (id, list, first, after, created_at, updated_at)'
        await store.write(
          function* () {
            yield bind(command('delete from ranges'))
            yield bind(command(`${into} ${rows}`))
            yield bind(
              command(`update ranges set after = ${until.replaceAll('value', `${many}`)} where first = ${many * 2}`),
            )
          },
          { withoutTimeout: true },
        )
        if (!isSqlite) await store.write(() => one(bind(command('analyze'))), { withoutTimeout: true })
        const written = `rng_${`${many}`.padStart(26, '0')}`
        const prepared = createWriteStatements(dialect).exclusion('overlapping', resource, resource.exclusions[0]!)
        const { statement, values } = boundTo(prepared, { actor: null, keys: dialect.keys([written]) })
        assert.deepEqual(await store.read(one({ statement, values })), [])
        const explain = isSqlite ? 'explain query plan' : 'explain (analyze, format json)'
        const plan = await store.read(one({ statement: query(`${explain} ${statement.sql}`), values }))
        if (isSqlite) {
          const steps = plan.map((row) => `${row.at(-1)}`)
          assert.deepEqual(
            steps.filter((step) => /SCAN t\d|TEMP/.test(step)),
            [],
            steps.join('\n'),
          )
          assert(
            steps.some((step) => /ranges_list_first_.*_excl .*list=\? AND first<\?/.test(step)),
            steps.join('\n'),
          )
        } else {
          const text = JSON.stringify(plan)
          assert.match(text, /ranges_list_first_\w+_excl/)
          const counts = Array.from(
            text.matchAll(/Actual Rows\W+(\d+)|Rows Removed by Filter\W+(\d+)/g),
            ([, rows, removed]) => Number(rows ?? removed),
          )
          assert.ok(Math.max(...counts) <= 2, text)
        }
      })
  },
  { definition: meetings },
)
