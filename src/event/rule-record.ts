// Who may read the record of an event: asked once for all who listen. What a rule asks of the record alone is tested in memory,
// for any number of them; what it follows from there, the database is asked, for many of them at once.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { Shown } from '../resource/actor.ts'
import type { Column } from '../resource/model/column.ts'
import { type Condition, holds, innerConditions, isPlain } from '../resource/model/condition.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { decodeValue, selectedSql } from '../store/sql/column-value.ts'
import { conditionSql } from '../store/sql/condition.ts'
import { type Dialect, quote } from '../store/sql/dialect.ts'
import { boundTo, type Living, type Prepared, type Source, SqlText } from '../store/sql/sql-text.ts'
import type { Program, Value } from '../store/store.ts'

/** Whether the condition holds for whoever shows this; null where that was not asked. */
export type Holds = (condition: Condition, asker: Shown) => boolean | null
export interface AskedRecord {
  readonly resource: ResourceModel
  readonly id: string
  /** When it was deleted: it and what went with it still count as living. Absent for an event of a living record. */
  readonly deletedAt?: Value
}
export interface RuleReader {
  /**
   * Asks each condition of the living record, for these actors: one statement for all that are about the record alone, and
   * one for each other and for so many actors. Null where there is no such record.
   */
  ask(record: AskedRecord, questions: ReadonlyMap<Condition, readonly Shown[]>, now: Date): Program<Holds | null>
}

/** `actorsMax`: for how many actors one statement asks. */
export function createRuleReader(dialect: Dialect, actorsMax: number): RuleReader {
  // As many as there are rules and classes of actors.
  const records = new Map<string, Prepared>()
  const audiences = { now: new WeakMap<Condition, Prepared>(), untilDeleted: new WeakMap<Condition, Prepared>() }

  function* readRecord(
    record: AskedRecord,
    conditions: readonly Condition[],
  ): Program<((column: Column) => unknown) | null> {
    const { resource } = record
    const columns = [...new Set(conditions.flatMap(columnsOf))]
    const living = livingOf(record)
    const key = `${resource.table} ${columns.map(({ name }) => name).join()} ${living}`
    const prepared = getOrInsert(records, key, () => recordSql(resource, columns, living, dialect))
    const [row] = yield boundTo(prepared, { actor: null, ...subjectOf(record) })
    return row === undefined ? null : (column) => decodeValue(column, row[1 + columns.indexOf(column)]!, dialect)
  }

  function* readAudience(
    record: AskedRecord,
    condition: Condition,
    askers: readonly Shown[],
    requestTime: Date,
  ): Program<Audience> {
    const { resource } = record
    const living = livingOf(record)
    const prepared = getOrInsert(audiences[living], condition, () => audienceSql(resource, condition, living, dialect))
    const inputs = { actor: null, requestTime, ...subjectOf(record) }
    const isForAll = prepared.sources.every(({ from }) => from !== 'keys')
    if (isForAll) {
      const holds = (yield boundTo(prepared, inputs)).length > 0
      return () => holds
    }
    const keyOf = asksForCode(condition) ? codeAndActor : ({ actor }: Shown) => actor
    const askerKeys = new Set(askers.map(keyOf))
    const keys = [...askerKeys].filter((each) => each !== null)
    const held = new Set<string>()
    for (let at = 0; at < keys.length; at += actorsMax) {
      const some = dialect.keys(keys.slice(at, at + actorsMax))
      for (const row of yield boundTo(prepared, { ...inputs, keys: some })) held.add(row[0] as string)
    }
    return (asker) => {
      const key = keyOf(asker)
      return askerKeys.has(key) ? key !== null && held.has(key) : null
    }
  }

  return {
    *ask(record, questions, now) {
      const plain = [...questions.keys()].filter(isPlain)
      const value = plain.length === 0 ? null : yield* readRecord(record, plain)
      if (plain.length > 0 && value === null) return null
      const audiences = new Map<Condition, Audience>()
      for (const [condition, askers] of questions)
        if (!isPlain(condition)) audiences.set(condition, yield* readAudience(record, condition, askers, now))
      return (condition, asker) => {
        if (isPlain(condition)) return value === null ? null : holds(condition, value, asker.actor)
        return audiences.get(condition)?.(asker) ?? null
      }
    },
  }
}

/** Somebody, and a record that this one asks for. */
export interface Pair {
  readonly id: string
  readonly asker: Shown
}

/** Asks a condition of many records for one actor each: one statement for up to `pairsMax`. Answers in the order of the pairs. */
export function createPairReader(dialect: Dialect, pairsMax: number) {
  const statements = new WeakMap<Condition, Prepared>()
  return function* (
    resource: ResourceModel,
    condition: Condition,
    pairs: readonly Pair[],
    requestTime: Date,
  ): Program<readonly boolean[]> {
    const prepared = getOrInsert(statements, condition, () => pairsSql(resource, condition, dialect))
    const keys = pairs.map(({ id, asker }) => codeAndActor({ code: asker.code, actor: id + (asker.actor ?? '') }))
    const unique = [...new Set(keys)]
    const held = new Set<string>()
    for (let at = 0; at < unique.length; at += pairsMax) {
      const some = dialect.keys(unique.slice(at, at + pairsMax))
      for (const row of yield boundTo(prepared, { actor: null, requestTime, keys: some })) held.add(row[0] as string)
    }
    return keys.map((each) => held.has(each))
  }
}

const subjectOf = ({ id, deletedAt }: AskedRecord) => (deletedAt === undefined ? { id } : { id, deletedAt })
const livingOf = ({ deletedAt }: AskedRecord): Living => (deletedAt === undefined ? 'now' : 'untilDeleted')

/** For whom a condition holds; null for somebody of whom that was not asked. */
type Audience = (asker: Shown) => boolean | null

/** A hash, whose length is always the same, and then the id of whoever shows it. */
const codeAndActor = ({ actor, code }: Shown): string => (code ?? '').padEnd(hashLength) + (actor ?? '')
const hashLength = 43
const partOf: Readonly<Partial<Record<Source['from'], string>>> = {
  code: `substr(asker.value, 1, ${hashLength})`,
  actor: `substr(asker.value, ${hashLength + 1})`,
}

/** The living record with this `id`, by these columns. */
function recordSql(resource: ResourceModel, columns: readonly Column[], living: Living, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect, undefined, living)
  const selected = ['t0."id"', ...columns.map((column) => selectedSql(column, 't0', dialect))].join(', ')
  const id = sql.parameter({ from: 'id' })
  return sql.query(`select ${selected} from ${quote(resource.table)} t0 where t0."id" = ${id} and ${sql.living('t0')}`)
}

/**
 * Those of the `keys`, ids of accounts or codes with them, for whom the condition holds of the record with this `id`; a row where
 * it asks for neither.
 */
function audienceSql(resource: ResourceModel, condition: Condition, living: Living, dialect: Dialect): Prepared {
  const found = (sql: SqlText): string => {
    const alias = sql.alias()
    const id = sql.parameter({ from: 'id' })
    const test = `${alias}."id" = ${id} and ${sql.living(alias)} and ${conditionSql(condition, alias, sql)}`
    return `select 1 from ${quote(resource.table)} ${alias} where ${test}`
  }
  const alone = new SqlText(dialect, undefined, living)
  const text = found(alone)
  if (alone.sources.every(({ from }) => from !== 'actor' && from !== 'code')) return alone.query(text)
  const hasCode = asksForCode(condition)
  const substitute = ({ from }: Source) => (hasCode ? (partOf[from] ?? null) : from === 'actor' ? 'asker.value' : null)
  const sql = new SqlText(dialect, substitute, living)
  const actors = dialect.keyTable(sql.parameter({ from: 'keys' }), 'asker')
  return sql.query(`select asker.value from ${actors} where exists (${found(sql)})`)
}

/** Those of the `keys`, each a code, the id of a record and that of an account, for whom the condition holds of that living record. */
function pairsSql(resource: ResourceModel, condition: Condition, dialect: Dialect): Prepared {
  const actorAt = hashLength + 1 + idLength(resource)
  const parts: typeof partOf = {
    code: partOf.code!,
    id: `substr(asker.value, ${hashLength + 1}, ${idLength(resource)})`,
    actor: `substr(asker.value, ${actorAt})`,
  }
  const sql = new SqlText(dialect, ({ from }) => parts[from] ?? null)
  const pairs = dialect.keyTable(sql.parameter({ from: 'keys' }), 'asker')
  const alias = sql.alias()
  const id = sql.parameter({ from: 'id' })
  const test = `${alias}."id" = ${id} and ${sql.living(alias)} and ${conditionSql(condition, alias, sql)}`
  return sql.query(
    `select asker.value from ${pairs} where exists (select 1 from ${quote(resource.table)} ${alias} where ${test})`,
  )
}
/** Of a prefix, a line and 26 letters. */
const idLength = ({ prefix }: ResourceModel): number => prefix.length + 27

const asksForCode = (condition: Condition): boolean =>
  condition.is === 'code' || innerConditions(condition).some(asksForCode)

/** The columns that a plain condition asks for. */
const columnsOf = (condition: Condition): readonly Column[] =>
  'column' in condition ? [condition.column] : innerConditions(condition).flatMap(columnsOf)
