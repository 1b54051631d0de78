// How long changes take: by the rows per second of this database once an `apply` has measured them, before that of an ordinary machine.

import { quote } from '../../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query } from '../../store.ts'
import type { Change } from '../change.ts'
import type { Existing } from '../introspect.ts'
import { note, notesOf } from '../notes.ts'
import type { Step } from '../work.ts'

type Key = Change | `${Change} by SQL`
/** Rows per second. */
export type Rates = ReadonlyMap<string, number>

const onBoth = {
  'new index': 1_000_000,
  'unique values': 500_000,
  'no overlaps': 400_000,
  'required field': 5_000_000,
  'other type': 300_000,
  'narrower field': 500_000,
}
const usual: Readonly<Record<Engine, Readonly<Partial<Record<Key, number>>>>> = {
  postgres: { ...onBoth, 'former kind': 50_000, 'numbers to fill': 45_000, 'numbers to fill by SQL': 60_000 },
  sqlite: {
    ...onBoth,
    'former kind': 300_000,
    'numbers to fill': 60_000,
    'numbers to fill by SQL': 150_000,
    'numbers that go': 500_000,
  },
}
/** Fewer rows measure the round trips. */
const rowsMin = 1_000

export interface Duration {
  readonly seconds: number
  /** Whether an `apply` has measured such changes on this database. */
  readonly isMeasured: boolean
}

export function durationOf(engine: Engine, step: Step, rows: number, measured: Rates): Duration {
  const rate = isPreparing(step) ? undefined : (measured.get(keyOf(step)) ?? usual[engine][keyOf(step)])
  const seconds =
    rate === undefined ? 0 : Number(((passesOf(step) * rows) / (step.isLate ? againFactor * rate : rate)).toFixed(1))
  return { seconds, isMeasured: measured.has(keyOf(step)) }
}

/** To compute again reads, and seldom writes. */
const againFactor = 2.5

/** Another step fills what it adds. */
const isPreparing = ({ marks, fill }: Step): boolean => marks !== undefined && fill === undefined

/** SQL counts numbers, and code makes texts. */
const keyOf = ({ change, fill }: Step): Key => (fill?.depth === undefined ? change : `${change} by SQL`)

/** Statements that read the whole table. */
const passesOf = ({ change, statements }: Step): number => (change === 'new index' ? Math.max(1, statements.length) : 1)

export function* measuredRates(existing: Existing): Program<Rates> {
  return new Map((yield* notesOf('rate', existing)).map(([change, rate]) => [change, Number(rate)]))
}

/** Remembers how fast a change of a large table was. */
export function* noteRate(engine: Engine, step: Step, seconds: number): Program<void> {
  if (
    usual[engine][keyOf(step)] === undefined ||
    step.table === null ||
    step.isLate ||
    isPreparing(step) ||
    seconds === 0
  )
    return
  const rows = yield* rowsIn(engine, step.table)
  if (rows < rowsMin) return
  const rate = Math.round((passesOf(step) * rows) / seconds)
  yield bind(command(note(engine, 'rate', keyOf(step), String(rate), true)))
}

const countMax = 100_000

/** PostgreSQL's estimate for large tables. */
export function* rowsIn(engine: Engine, table: string): Program<number> {
  if (engine === 'postgres') {
    const estimate = query(`select reltuples::bigint from pg_class where oid = to_regclass('${quote(table)}')`)
    const [[rows]] = (yield bind(estimate)) as unknown as [[number]]
    if (rows >= countMax) return rows
  }
  const [[rows]] = (yield bind(query(`select count(*) from ${quote(table)}`))) as unknown as [[number]]
  return rows
}
