// A field that is of another kind has a column more: triggers fill each of the two from the other, so that versions that know one
// of them run side by side. (contract 18.4)

import { hash } from 'node:crypto'
import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { literal, quote } from '../sql/text/dialect.ts'
import { pairName } from '../sql/text/names.ts'
import { bind, type Engine, type Program, query } from '../store.ts'
import { batchOf } from './batch.ts'
import { conversion, type Held, heldBy } from './conversion.ts'
import type { ExistingColumn } from './introspect.ts'
import { lostValue } from './lost-value.ts'
import { note } from './notes.ts'
import { removedName } from './removed.ts'
import { fillKey, label, type Pair, pairOf, type Work } from './work.ts'

/** Plans nothing for a pair that is there and filled. */
export function* addPair(
  work: Work,
  table: Table,
  column: TableColumn,
  columns: ReadonlyMap<string, ExistingColumn>,
): Program<void> {
  const { engine, unfilled } = work
  const former = column.former!
  const key = fillKey(table, column)
  const previous = pairOf(work, table.name, column.name)
  const existing = columns.get(former.column)!
  const version = hash('sha256', JSON.stringify([column.type, column.form, former])).slice(0, 8)
  if (previous?.version === version && !unfilled.has(key)) return
  const about = label(table, column)
  const form = work.forms[table.name]?.[former.column] ?? null
  const from = previous?.from ?? heldBy(existing.type, form)
  // An integer of SQLite may be a decimal.
  const isUnknown = engine === 'sqlite' && existing.type === 'integer' && previous === undefined && form === null
  if (isUnknown && (former.to ?? former.back) === undefined)
    return void work.refusals.push(
      `${about}: what ${quote(former.column)} holds is not known. Give was its to and back.`,
    )
  const sides = sidesOf(engine, column, from)
  const [of, own, other] = [quote(table.name), quote(column.name), quote(former.column)]
  if (former.to === undefined && sides.to.lost(other) !== null) {
    const [[count]] = (yield bind(query(`select count(*) from ${of} where ${sides.to.lost(other)}`))) as [[number]]
    if (Number(count) > 0)
      return void work.refusals.push(
        `${about} is of another kind than the column ${other} of ${of}, and ${count} of its values do not convert. ` +
          `Give was its to, or run: update ${of} set ${other} = <value> where ${sides.to.lost(other)}`,
      )
  }
  const pair: Pair = { table: table.name, column: column.name, former: former.column, from, version }
  const statements = [
    ...(columns.has(column.name) ? [] : [addColumn(table, { ...column, nullable: true, initial: null })]),
    ...(existing.nullable ? [] : [`alter table ${of} alter column ${other} drop not null`]),
    ...(existing.hasDefault && engine === 'postgres' ? [`alter table ${of} alter column ${other} drop default`] : []),
    ...(previous === undefined ? [] : dropPair(engine, previous)),
    ...(engine === 'postgres' ? postgresTrigger : sqliteTriggers)(table, column, sides),
    note(engine, 'pair', `${pair.table}.${pair.column}`, JSON.stringify(pair), true),
  ]
  // The trigger of PostgreSQL converts, and that of SQLite cannot change the row that is written.
  const set = engine === 'postgres' ? `${other} = ${other}` : `${own} = ${sides.to.sql(other)}`
  const isMissing = former.to === undefined && column.initial === null ? ` and ${other} is not null` : ''
  work.steps.push({
    change: 'former kind',
    about,
    table: table.name,
    statements,
    marks: key,
    fill: {
      key,
      batch: batchOf(
        engine,
        table.name,
        (range) => `update ${of} set ${set} where ${own} is null${isMissing} and ${range}`,
      ),
      last: [],
      verdict: () => requireValues(table, column),
    },
  })
}

/** Ends the pair, when no instance needs the column that goes. */
export function endPair(work: Work, table: Table, pair: Pair, gone: string): void {
  const partner = table.columns.find(({ name }) => name !== gone && (name === pair.column || name === pair.former))
  if (partner !== undefined && work.unfilled.has(fillKey(table, partner))) return
  const of = quote(table.name)
  const loss = `${table.name}.${gone}`
  const rename = `alter table ${of} rename column ${quote(gone)} to ${quote(removedName(gone))}`
  work.steps.push({
    change: 'removed field',
    about: `${of}.${quote(gone)}`,
    table: table.name,
    statements: [...dropPair(work.engine, pair), forget(pair), rename],
    loss,
    alone: `${loss} is removed`,
    ...(partner === undefined ? {} : { check: () => requireValues(table, partner) }),
  })
}

function* requireValues(table: Table, column: TableColumn): Program<string | null> {
  if (column.nullable) return null
  const [of, name] = [quote(table.name), quote(column.name)]
  const [[count]] = (yield bind(query(`select count(*) from ${of} where ${name} is null`))) as [[number]]
  if (Number(count) === 0) return null
  return (
    `${label(table, column)} is required, but ${Number(count) === 1 ? 'one value does' : `${count} values do`} not ` +
    `convert. Change them, or run: update ${of} set ${name} = <value> where ${name} is null`
  )
}

/** Records whose value is in one of the columns alone: the other version cannot read it. */
export function* unconverted({ table, column, former }: Pair, max: number): Program<readonly string[]> {
  const where = `(${quote(column)} is null) <> (${quote(former)} is null)`
  const rows = yield bind(query(`select "id" from ${quote(table)} where ${where} order by "id" limit ${max}`))
  return rows.map(([id]) => String(id))
}

interface Side {
  /** The value of this column, of that of the other. */
  sql(value: string): string
  /** A condition for values that are not converted; null if all are. */
  lost(value: string): string | null
  /** A conversion of the author, which may fail. */
  readonly mayFail: boolean
}

/** How each is filled from the other. */
function sidesOf(engine: Engine, { type, form, former, nullable, initial }: TableColumn, from: Held) {
  const to = heldBy(type, form)
  const side = (sql: string | undefined, one: Held, other: Held, otherwise: string | null): Side => {
    const lost = (value: string) => lostValue(engine, value, one, other)
    const own = (value: string) =>
      `case when ${lost(value) ?? 'false'} then null else ${conversion(engine, value, one, other)} end`
    const written = (value: string) => `(select ${sql} from (select ${value} as value) given)`
    const converted = sql === undefined ? own : written
    return {
      sql: (value) => (otherwise === null ? converted(value) : `coalesce(${converted(value)}, ${otherwise})`),
      lost,
      mayFail: sql !== undefined,
    }
  }
  return {
    to: side(former!.to, from, to, nullable ? null : initial),
    back: side(former!.back, to, from, null),
  }
}
type Sides = ReturnType<typeof sidesOf>

/** It changes the row before it is written, so that nothing recurs. A new version never writes the former column. */
function postgresTrigger(table: Table, column: TableColumn, { to, back }: Sides): readonly string[] {
  const name = quote(pairName(table.name, column.name))
  const [own, other] = [quote(column.name), quote(column.former!.column)]
  const isChanged = (each: string) =>
    `tg_op = 'UPDATE' and to_jsonb(new.${each}) is distinct from to_jsonb(old.${each})`
  const set = (target: string, { sql, mayFail }: Side, source: string) => {
    const assign = `new.${target} := ${sql(`new.${source}`)};`
    if (!mayFail) return assign
    return `begin ${assign} exception when data_exception then new.${target} := null; end;`
  }
  return [
    `create or replace function ${name}() returns trigger language plpgsql as $duet$ begin ` +
      `if ${isChanged(own)} then ${set(other, back, own)} ` +
      `elsif new.${own} is null or (${isChanged(other)}) then ${set(own, to, other)} ` +
      `elsif tg_op = 'INSERT' then ${set(other, back, own)} end if; return new; end $duet$`,
    `create trigger ${name} before insert or update of ${own}, ${other} on ${quote(table.name)} for each row execute function ${name}()`,
  ]
}

/** A value that already is the converted one of the other was written by a trigger, or needs none. */
function sqliteTriggers(table: Table, column: TableColumn, { to, back }: Sides): readonly string[] {
  const of = quote(table.name)
  const [own, other] = [quote(column.name), quote(column.former!.column)]
  const trigger = (kind: PairTrigger, on: string, when: string, target: string, { sql }: Side, source: string) =>
    `create trigger ${quote(`${pairName(table.name, column.name)}_${kind}`)} after ${on} on ${of} when ${when} ` +
    `begin update ${of} set ${target} = ${sql(`new.${source}`)} where "id" = new."id"; end`
  const differs = (one: string, { sql }: Side, source: string) => `new.${one} is not ${sql(`new.${source}`)}`
  const isFilled = `new.${own} is null and new.${other} is not null`
  return [
    trigger('insert_to', 'insert', `new.${own} is null`, own, to, other),
    trigger('insert_back', 'insert', `new.${own} is not null`, other, back, own),
    trigger(
      'update_to',
      `update of ${other}`,
      `(new.${other} is not old.${other} or ${isFilled}) and ${differs(other, back, own)}`,
      own,
      to,
      other,
    ),
    trigger(
      'update_back',
      `update of ${own}`,
      `new.${own} is not old.${own} and ${differs(own, to, other)}`,
      other,
      back,
      own,
    ),
  ]
}
const pairTriggers = ['insert_to', 'insert_back', 'update_to', 'update_back'] as const
type PairTrigger = (typeof pairTriggers)[number]

/** What is not there is no problem. */
export function dropPair(engine: Engine, { table, column }: Pair): readonly string[] {
  const name = pairName(table, column)
  if (engine === 'sqlite') return pairTriggers.map((kind) => `drop trigger if exists ${quote(`${name}_${kind}`)}`)
  return [`drop trigger if exists ${quote(name)} on ${quote(table)}`, `drop function if exists ${quote(name)}()`]
}

const forget = ({ table, column }: Pair): string =>
  `delete from duet_migration where kind in ('pair', 'fill') and name = ${literal(`${table}.${column}`)}`
