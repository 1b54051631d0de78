// Reads a database's row counts, indexes and query plans, without changing anything.

import type { Model } from '../../resource/model/model.ts'
import { introspect } from '../../store/migration/introspect.ts'
import { quote } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Statement, type Store } from '../../store/store.ts'
import type { Observation } from './findings.ts'
import type { Question } from './questions.ts'

export async function observe(store: Store, model: Model, questions: readonly Question[]): Promise<Observation> {
  const existing = await store.read(introspect(store.engine))
  const indexes = new Map([...existing].map(([table, found]) => [table, new Set(found.indexes.keys())]))
  const rows = new Map<string, number>()
  for (const { table } of model.resources)
    if (existing.has(table)) rows.set(table, await store.read(countRows(table, store.engine)))
  const plans = new Map<string, readonly string[]>()
  for (const question of questions) {
    const prepared = question.scanSize === 'page' ? null : question.prepared()
    if (prepared === null || !existing.has(question.resource.table)) continue
    const { statement, sources } = prepared.limitedTo?.(usualLimit) ?? prepared
    const plan = store.engine === 'sqlite' ? sqlitePlan : postgresPlan
    const lines = plan(statement, sources.length)
    plans.set(question.id, await (store.engine === 'sqlite' ? store.read(lines) : store.write(() => lines)))
  }
  return { indexes, rows, plans }
}
const usualLimit = 21

/** Uses PostgreSQL's estimate if there is one, since counting walks the table. */
function* countRows(table: string, engine: Store['engine']): Program<number> {
  if (engine === 'postgres') {
    const [row] = yield bind(query('select reltuples from pg_class where oid = $1::regclass'), quote(table))
    if (Number(row![0]) >= 0) return Math.round(Number(row![0]))
  }
  const [row] = yield bind(query(`select count(*) from ${quote(table)}`))
  return Number(row![0])
}

function* sqlitePlan({ sql }: Statement, values: number): Program<readonly string[]> {
  const rows = yield bind(query(`explain query plan ${sql}`), ...new Array<null>(values).fill(null))
  return rows.map((row) => String(row[3]))
}

/** A generic plan, as for tables that are not small. */
function* postgresPlan({ sql }: Statement, values: number): Program<readonly string[]> {
  for (const setting of ['set local plan_cache_mode = force_generic_plan', 'set local enable_seqscan = off'])
    yield bind(command(setting))
  yield bind(command(`prepare duet_check as ${sql}`))
  const nulls = values === 0 ? '' : `(${new Array(values).fill('null').join(', ')})`
  const rows = yield bind(query(`explain (costs off) execute duet_check${nulls}`))
  yield bind(command('deallocate duet_check'))
  return rows.map((row) => String(row[0]))
}
