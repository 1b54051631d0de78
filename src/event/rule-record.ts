// Who may read the record of an event: asked once for all who listen. What a rule asks of the record alone is tested in memory,
// for any number of them; what it follows from there, the database is asked, for many of them at once.

import { getOrInsert } from '../get-or-insert.ts'
import { type Condition, holds, isPlain } from '../resource/model/condition.ts'
import type { Column, ResourceModel } from '../resource/model/model.ts'
import { conditionSql } from '../store/sql/condition.ts'
import { type Dialect, quote } from '../store/sql/dialect.ts'
import { boundTo, type Prepared, SqlText } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'

/** Whether the condition holds for this actor; null where that was not asked. */
export type Holds = (condition: Condition, actorId: string | null) => boolean | null
export interface RuleReader {
  /**
   * Asks each condition of the living record, for these actors: one statement for all that are about the record alone, and
   * one for each other and for so many actors. Null where there is no such record.
   */
  ask(
    record: { readonly resource: ResourceModel; readonly id: string },
    asked: ReadonlyMap<Condition, ReadonlySet<string | null>>,
    now: Date,
  ): Program<Holds | null>
}

/** `actorsMax`: for how many actors one statement asks. */
export function createRuleReader(dialect: Dialect, actorsMax: number): RuleReader {
  // As many as there are rules and classes of actors.
  const records = new Map<string, Prepared>()
  const audiences = new WeakMap<Condition, Prepared>()

  function* readRecord(
    { resource, id }: { readonly resource: ResourceModel; readonly id: string },
    conditions: readonly Condition[],
  ): Program<((column: Column) => unknown) | null> {
    const columns = [...new Set(conditions.flatMap(columnsOf))]
    const key = `${resource.table} ${columns.map(({ name }) => name).join()}`
    const prepared = getOrInsert(records, key, () => recordSql(resource, columns, dialect))
    const [row] = yield boundTo(prepared, { actor: null, id })
    return row === undefined ? null : (column) => dialect.decode(row[1 + columns.indexOf(column)]!, column.type)
  }

  function* readAudience(
    { resource, id }: { readonly resource: ResourceModel; readonly id: string },
    condition: Condition,
    actors: ReadonlySet<string | null>,
    requestTime: Date,
  ): Program<ReadonlySet<string> | boolean> {
    const prepared = getOrInsert(audiences, condition, () => audienceSql(resource, condition, dialect))
    const isForAll = prepared.sources.every(({ from }) => from !== 'keys')
    if (isForAll) return (yield boundTo(prepared, { actor: null, requestTime, id })).length > 0
    const ids = [...actors].filter((each) => each !== null)
    const held = new Set<string>()
    for (let at = 0; at < ids.length; at += actorsMax) {
      const keys = dialect.keys(ids.slice(at, at + actorsMax))
      for (const row of yield boundTo(prepared, { actor: null, requestTime, id, keys })) held.add(row[0] as string)
    }
    return held
  }

  return {
    *ask(record, asked, now) {
      const plain = [...asked.keys()].filter(isPlain)
      const value = plain.length === 0 ? null : yield* readRecord(record, plain)
      if (plain.length > 0 && value === null) return null
      const audiences = new Map<Condition, ReadonlySet<string> | boolean>()
      for (const [condition, actors] of asked)
        if (!isPlain(condition)) audiences.set(condition, yield* readAudience(record, condition, actors, now))
      return (condition, actorId) => {
        if (isPlain(condition)) return value === null ? null : holds(condition, value, actorId)
        const audience = audiences.get(condition)
        if (audience === undefined || typeof audience === 'boolean') return audience ?? null
        return asked.get(condition)!.has(actorId) ? actorId !== null && audience.has(actorId) : null
      }
    },
  }
}

/** The living record with this `id`, by these columns. */
function recordSql(resource: ResourceModel, columns: readonly Column[], dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const selected = ['t0."id"', ...columns.map(({ name }) => `t0.${quote(name)}`)].join(', ')
  const id = sql.parameter({ from: 'id' })
  return sql.query(
    `select ${selected} from ${quote(resource.table)} t0 where t0."id" = ${id} and t0."deleted_at" is null`,
  )
}

/** Those of the `keys`, ids of accounts, for whom the condition holds of the record with this `id`; a row where it asks for no actor. */
function audienceSql(resource: ResourceModel, condition: Condition, dialect: Dialect): Prepared {
  const living = (sql: SqlText): string => {
    const alias = sql.alias()
    const id = sql.parameter({ from: 'id' })
    const test = `${alias}."id" = ${id} and ${alias}."deleted_at" is null and ${conditionSql(condition, alias, sql)}`
    return `select 1 from ${quote(resource.table)} ${alias} where ${test}`
  }
  const alone = new SqlText(dialect)
  const text = living(alone)
  if (alone.sources.every(({ from }) => from !== 'actor')) return alone.query(text)
  const sql = new SqlText(dialect, ({ from }) => (from === 'actor' ? 'asker.value' : null))
  const actors = dialect.keyTable(sql.parameter({ from: 'keys' }), 'asker')
  return sql.query(`select asker.value from ${actors} where exists (${living(sql)})`)
}

/** The columns that a plain condition asks for. */
function columnsOf(condition: Condition): readonly Column[] {
  switch (condition.is) {
    case 'always':
    case 'never':
      return []
    case 'not':
      return columnsOf(condition.of)
    case 'any':
    case 'all':
      return condition.of.flatMap(columnsOf)
    case 'related':
    case 'some':
      throw new Error(`A condition with ${condition.is} is not plain.`)
    default:
      return [condition.column]
  }
}
