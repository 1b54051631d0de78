// Texts of one statement for executions that are combined, and for limits: what they answer is held to the plain text by the
// tests of lists; here is when there is one, and that it binds the same values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { boundTo, type Inputs, SqlText } from './sql-text.ts'
import { keySql, type MakeText, pageSql, type Varying } from './variants.ts'

const author: Varying = { source: { from: 'id' }, type: 'text' }
/** A list of one author that the actor may read; the text of a limit stands in a literal, too. */
const make: MakeText = (sql) => {
  const [holder, actor] = [sql.parameter({ from: 'id' }), sql.parameter({ from: 'actor' })]
  const limit = sql.parameter({ from: 'limit' })
  return `select '$3::bigint' from post where author = ${holder} and reader = ${actor} limit ${limit}::bigint`
}
const page = (dialect: Dialect, text: MakeText = make) => pageSql(text, [author], new SqlText(dialect))
const inputs = (id: string, limit: number): Inputs => ({ actor: 'me', id, limit })

test('a limit is part of the text where nothing filters, and nothing else of the text is touched', () => {
  const { statement, values } = boundTo(page(postgresDialect), inputs('a', 20))
  assert.equal(statement.sql, `select '$3::bigint' from post where author = $1 and reader = $2 limit 20::bigint`)
  assert.deepEqual(values, ['a', 'me'])
})

test('the text of a limit is made once, and of no more than eight', () => {
  const prepared = page(postgresDialect)
  const statementOf = (limit: number) => boundTo(prepared, inputs('a', limit)).statement
  assert.equal(statementOf(1), statementOf(1))
  const statements = new Set(Array.from({ length: 20 }, (_, limit) => statementOf(limit + 1)))
  assert.equal(statements.size, 9)
  assert.deepEqual(boundTo(prepared, inputs('a', 20)), { statement: prepared.statement, values: ['a', 'me', 20] })
})

test('a limit stays a parameter where the best plan may depend on a filter, or an offset follows', () => {
  const filtered: MakeText = (sql) =>
    `${sql.parameter({ from: 'filter', index: 0 })} ${sql.parameter({ from: 'limit' })}`
  const skipping: MakeText = (sql) => `${sql.parameter({ from: 'limit' })} ${sql.parameter({ from: 'offset' })}`
  for (const text of [filtered, skipping]) assert.equal(page(postgresDialect, text).limitedTo, undefined)
})

test('executions are combined with the values of each, whatever the limit', () => {
  const prepared = page(postgresDialect)
  for (const limit of [5, ...Array.from({ length: 9 }, (_, at) => at + 10)]) {
    const executions = ['a', 'b', 'a'].map((id) => boundTo(prepared, inputs(id, limit)))
    const { batching } = executions[0]!.statement
    const all = executions.map(({ values }) => values)
    const { statement, values } = batching!.combine(all)
    assert.match(statement.sql, /author = execution\.value0 and reader = \$2 limit \$3::bigint\) each$/)
    assert.deepEqual(values, ['{"a","b"}', 'me', limit])
    const rows = [
      ['first', 0],
      ['second', 1],
    ]
    assert.deepEqual(batching!.split(rows, all), [[rows[0]], [rows[1]], [rows[0]]])
  }
})

test('executions whose other values differ have other keys', () => {
  const { statement } = page(postgresDialect)
  const key = (...values: (string | number)[]) => statement.batching!.key(values)
  assert.deepEqual(key('a', 'me', 5), key('b', 'me', 5))
  assert.notDeepEqual(key('a', 'me', 5), key('a', 'other', 5))
})

test('a statement in which nothing varies is not combined', () => {
  assert.equal(page(postgresDialect, (sql) => sql.parameter({ from: 'actor' })).statement.batching, null)
})

test('a dialect can do without: the plain text is all there is', () => {
  const without: Dialect = { ...postgresDialect, valueTable: null, inlinesLimits: false }
  for (const dialect of [without, sqliteDialect]) {
    const prepared = page(dialect)
    assert.equal(prepared.limitedTo, undefined)
    assert.equal(prepared.statement.batching, null)
    const record = keySql('id', { from: 'id' }, (where) => `select 1 where ${where}`, new SqlText(dialect))
    assert.equal(record.statement.batching, null)
  }
})
