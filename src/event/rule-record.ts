// Tests who may read an event's record, for all subscribers: conditions on the record alone in memory, others in SQL for many
// actors at once.

import { getOrInsert } from '../cache/get-or-insert.ts'
import { accessCodesMax } from '../limits.ts'
import { type Requester, type Shown, shownBy } from '../resource/actor.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import type { Column } from '../resource/model/column.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { type Condition, fold, holds, innerConditions, isPlain } from '../resource/model/rule/condition.ts'
import { conditionSql } from '../store/sql/condition/condition.ts'
import { decodeValue, selectedSql } from '../store/sql/text/column-value.ts'
import { type Dialect, quote } from '../store/sql/text/dialect.ts'
import { type AsOf, boundTo, type Prepared, type Source, SqlText } from '../store/sql/text/sql-text.ts'
import type { Program, Value } from '../store/store.ts'

export type Holds = (condition: Condition, caller: Shown) => boolean | null
export interface RuleSubject {
  readonly resource: ResourceModel
  readonly id: string
  /** The record and those deleted with it count as existing. */
  readonly deletedAt?: Value
}
export interface RuleReader {
  /**
   * One statement for conditions on the record alone, and one for each other condition and batch of actors. Null if there is no
   * such record.
   */
  evaluate(record: RuleSubject, questions: ReadonlyMap<Condition, readonly Shown[]>, now: Date): Program<Holds | null>
  /** Whether a rule holds for each of these callers. Null without callers, or if there is no such record. */
  test(
    record: RuleSubject,
    rule: RuleNode,
    callers: Iterable<Requester>,
    now: Date,
  ): Program<((caller: Requester) => boolean | null) | null>
}

export function createRuleReader(dialect: Dialect, actorsMax: number): RuleReader {
  // Bounded by the number of rules and classes of actors.
  const records = new Map<string, Prepared>()
  const audiences = { now: new WeakMap<Condition, Prepared>(), untilDeleted: new WeakMap<Condition, Prepared>() }

  function* readRecord(
    record: RuleSubject,
    conditions: readonly Condition[],
  ): Program<((column: Column) => unknown) | null> {
    const { resource } = record
    const columns = [...new Set(conditions.flatMap(columnsOf))]
    const asOf = asOfRecord(record)
    const key = `${resource.table} ${columns.map(({ name }) => name).join()} ${asOf}`
    const prepared = getOrInsert(records, key, () => recordSql(resource, columns, asOf, dialect))
    const [row] = yield boundTo(prepared, { actor: null, ...subjectOf(record) })
    return row === undefined ? null : (column) => decodeValue(column, row[1 + columns.indexOf(column)]!, dialect)
  }

  function* readAudience(
    record: RuleSubject,
    condition: Condition,
    callers: readonly Shown[],
    requestTime: Date,
  ): Program<Audience> {
    const { resource } = record
    const asOf = asOfRecord(record)
    const prepared = getOrInsert(audiences[asOf], condition, () => audienceSql(resource, condition, asOf, dialect))
    const inputs = { actor: null, requestTime, ...subjectOf(record) }
    const isForAll = prepared.sources.every(({ from }) => from !== 'keys')
    if (isForAll) {
      const holds = (yield boundTo(prepared, inputs)).length > 0
      return () => holds
    }
    const width = codeWidth(condition)
    const keyOf = width > 0 ? codeAndActor(width) : ({ actor }: Shown) => actor
    const callerKeys = new Set(callers.map(keyOf))
    const keys = [...callerKeys].filter((each) => each !== null)
    const held = new Set<string>()
    for (let at = 0; at < keys.length; at += actorsMax) {
      const some = dialect.keys(keys.slice(at, at + actorsMax))
      for (const row of yield boundTo(prepared, { ...inputs, keys: some })) held.add(row[0] as string)
    }
    return (caller) => {
      const key = keyOf(caller)
      return callerKeys.has(key) ? key !== null && held.has(key) : null
    }
  }

  const reader: RuleReader = {
    *evaluate(record, questions, now) {
      const plain = [...questions.keys()].filter(isPlain)
      const value = plain.length === 0 ? null : yield* readRecord(record, plain)
      if (plain.length > 0 && value === null) return null
      const audiences = new Map<Condition, Audience>()
      for (const [condition, callers] of questions)
        if (!isPlain(condition)) audiences.set(condition, yield* readAudience(record, condition, callers, now))
      return (condition, caller) => {
        if (isPlain(condition)) return value === null ? null : holds(condition, value, caller.actor)
        return audiences.get(condition)?.(caller) ?? null
      }
    },
    *test(record, rule, callers, now) {
      const conditionOf = (caller: Requester) => fold(rule, record.resource, caller)
      const questions = new Map<Condition, Shown[]>()
      for (const caller of callers) getOrInsert(questions, conditionOf(caller), () => []).push(shownBy(caller))
      const holds = questions.size === 0 ? null : yield* reader.evaluate(record, questions, now)
      return holds && ((caller) => holds(conditionOf(caller), shownBy(caller)))
    },
  }
  return reader
}

export interface Pair {
  readonly id: string
  readonly caller: Shown
}

/** On many records, each for one caller: one statement per `pairsMax`, in order. */
export function createPairReader(dialect: Dialect, pairsMax: number) {
  const statements = new WeakMap<Condition, Prepared>()
  return function* (
    resource: ResourceModel,
    condition: Condition,
    pairs: readonly Pair[],
    requestTime: Date,
  ): Program<readonly boolean[]> {
    const prepared = getOrInsert(statements, condition, () => pairsSql(resource, condition, dialect))
    const keyOf = codeAndActor(codeWidth(condition))
    const keys = pairs.map(({ id, caller }) => keyOf({ code: caller.code, actor: id + (caller.actor ?? '') }))
    const unique = [...new Set(keys)]
    const held = new Set<string>()
    for (let at = 0; at < unique.length; at += pairsMax) {
      const some = dialect.keys(unique.slice(at, at + pairsMax))
      for (const row of yield boundTo(prepared, { actor: null, requestTime, keys: some })) held.add(row[0] as string)
    }
    return keys.map((each) => held.has(each))
  }
}

const subjectOf = ({ id, deletedAt }: RuleSubject) => (deletedAt === undefined ? { id } : { id, deletedAt })
const asOfRecord = ({ deletedAt }: RuleSubject): AsOf => (deletedAt === undefined ? 'now' : 'untilDeleted')

type Audience = (caller: Shown) => boolean | null

/** A set of codes is followed by commas, which add no code to it. */
const codeAndActor =
  (width: number) =>
  ({ actor, code }: Shown): string =>
    (width === 0 ? '' : (code ?? '').padEnd(width, ',')) + (actor ?? '')
const hashLength = 43
type Parts = Readonly<Partial<Record<Source['from'], string>>>
const partsOf = (width: number): Parts => ({
  code: `substr(caller.value, 1, ${width})`,
  actor: `substr(caller.value, ${width + 1})`,
})

function recordSql(resource: ResourceModel, columns: readonly Column[], asOf: AsOf, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect, undefined, asOf)
  const selected = ['t0."id"', ...columns.map((column) => selectedSql(column, 't0', dialect))].join(', ')
  const id = sql.parameter({ from: 'id' })
  return sql.query(
    `select ${selected} from ${quote(resource.table)} t0 where t0."id" = ${id} and ${sql.notDeleted('t0')}`,
  )
}

/** The `keys` (actor ids, perhaps with codes) for which the condition holds; one row if it needs neither. */
function audienceSql(resource: ResourceModel, condition: Condition, asOf: AsOf, dialect: Dialect): Prepared {
  const found = (sql: SqlText): string => {
    const alias = sql.alias()
    const id = sql.parameter({ from: 'id' })
    const test = `${alias}."id" = ${id} and ${sql.notDeleted(alias)} and ${conditionSql(condition, alias, sql)}`
    return `select 1 from ${quote(resource.table)} ${alias} where ${test}`
  }
  const alone = new SqlText(dialect, undefined, asOf)
  const text = found(alone)
  if (alone.sources.every(({ from }) => from !== 'actor' && from !== 'code')) return alone.query(text)
  const width = codeWidth(condition)
  const parts: Parts = width > 0 ? partsOf(width) : { actor: 'caller.value' }
  const substitute = ({ from }: Source) => parts[from] ?? null
  const sql = new SqlText(dialect, substitute, asOf)
  const actors = dialect.keyTable(sql.parameter({ from: 'keys' }), 'caller')
  return sql.query(`select caller.value from ${actors} where exists (${found(sql)})`)
}

/** A `key` is a code, a record's id and an actor's. */
function pairsSql(resource: ResourceModel, condition: Condition, dialect: Dialect): Prepared {
  const width = codeWidth(condition)
  const actorAt = width + 1 + idLength(resource)
  const parts: Parts = {
    ...partsOf(width),
    id: `substr(caller.value, ${width + 1}, ${idLength(resource)})`,
    actor: `substr(caller.value, ${actorAt})`,
  }
  const sql = new SqlText(dialect, ({ from }) => parts[from] ?? null)
  const pairs = dialect.keyTable(sql.parameter({ from: 'keys' }), 'caller')
  const alias = sql.alias()
  const id = sql.parameter({ from: 'id' })
  const test = `${alias}."id" = ${id} and ${sql.notDeleted(alias)} and ${conditionSql(condition, alias, sql)}`
  return sql.query(
    `select caller.value from ${pairs} where exists (select 1 from ${quote(resource.table)} ${alias} where ${test})`,
  )
}
const idLength = ({ prefix }: ResourceModel): number => prefix.length + 27

/** Characters of the codes that it depends on. */
const codeWidth = (condition: Condition): number =>
  condition.is === 'code'
    ? condition.isAmong
      ? accessCodesMax * (hashLength + 1)
      : hashLength
    : Math.max(0, ...innerConditions(condition).map(codeWidth))

const columnsOf = (condition: Condition): readonly Column[] =>
  'column' in condition ? [condition.column] : innerConditions(condition).flatMap(columnsOf)
