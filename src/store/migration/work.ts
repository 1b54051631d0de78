// What the steps of a migration share.

import type { Table, TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import type { Form } from '../sql/text/form.ts'
import { bind, command, type Engine, type Program } from '../store.ts'
import type { Change } from './change.ts'
import type { Held } from './conversion.ts'
import type { Existing } from './introspect.ts'
import { notesOf } from './notes.ts'

/** Its message has a line per problem, for the operator. */
export class UnfitDatabase extends Error {}

/** By table and column: the known form of all records that are not deleted; null if unknown. */
export type Forms = Readonly<Record<string, Readonly<Record<string, Form | null>>>>

/** One change, in the order in which they are made. */
export interface Step {
  readonly change: Change
  /** `Thing.title`, or a table in quotes. */
  readonly about: string
  readonly table: string | null
  readonly statements: readonly string[]
  /** Why no instance of another version may run: a clause of a sentence. */
  readonly alone?: string
  /** It may also be made next to instances of another version, in another way. */
  readonly isTolerant?: boolean
  /** The new version runs before it is made. */
  readonly isLate?: boolean
  /** Why a start does not make it, with a remedy. */
  readonly refusal?: string
  /** The name of what is lost, as `--accept-loss` takes it. */
  readonly loss?: string
  /** What existing records say against it, where that cannot be known before the steps before. */
  readonly check?: () => Program<string | null>
  /** A fill that it makes necessary, by its key. */
  readonly marks?: string
  readonly fill?: Fill
}

/** Values of existing records, in batches by primary key. */
export interface Fill {
  readonly key: string
  /** Lower ones are filled before, and all others at the end. */
  readonly depth?: number
  /** Fills up to so many records after the id, and returns the last one; null at the end. */
  batch(after: string, size: number): Program<string | null>
  /** Run with the last batch. */
  readonly last: readonly string[]
  /** What its values say against it in the end. */
  readonly verdict: (() => Program<string | null>) | null
}

/** A migration being planned. Nothing is changed meanwhile. */
export interface Work {
  readonly engine: Engine
  /** Before the migration. */
  readonly existing: Existing
  readonly forms: Forms
  /** This version was applied before; additions of a newer one stay. */
  readonly isReturn: boolean
  /** Keys of fills that were begun and not ended. */
  readonly unfilled: ReadonlySet<string>
  /** Keys of computed columns that an older version did not maintain. */
  readonly stale: ReadonlySet<string>
  /** No instance of another version runs, for certain. */
  readonly isAlone: boolean
  readonly pairs: readonly Pair[]
  readonly steps: Step[]
  /** Why no step may run. */
  readonly refusals: string[]
  /** Follow when all tables and indexes exist. */
  readonly last: Step[]
}

/** Two columns of one field, which triggers fill from each other, remembered in the database. (contract 18.4) */
export interface Pair {
  readonly table: string
  /** The newer one. */
  readonly column: string
  readonly former: string
  readonly from: Held
  /** Changes with the triggers. */
  readonly version: string
}

export function* readPairs(existing: Existing): Program<readonly Pair[]> {
  return (yield* notesOf('pair', existing)).map(([, pair]) => JSON.parse(pair))
}

export const pairOf = ({ pairs }: Work, table: string, column: string): Pair | undefined =>
  pairs.find((each) => each.table === table && (each.column === column || each.former === column))

/** All at once, in the transaction of the caller. Fails with UnfitDatabase. */
export function* runStep(step: Step): Program<readonly string[]> {
  yield* runStatements(step, step.statements)
  return step.fill === undefined ? step.statements : [...step.statements, ...(yield* runFill(step.fill))]
}

/** Not the fill. */
export function* runStatements({ check }: Step, statements: readonly string[]): Program<void> {
  const problem = check === undefined ? null : yield* check()
  if (problem !== null) throw unfit([problem])
  for (const each of statements) yield bind(command(each))
}

function* runFill({ batch, last, verdict }: Fill): Program<readonly string[]> {
  for (let after: string | null = ''; after !== null; ) after = yield* batch(after, batchSize)
  const problem = verdict === null ? null : yield* verdict()
  if (problem !== null) throw unfit([problem])
  for (const each of last) yield bind(command(each))
  return last
}

/** Records per batch in memory. */
export const batchSize = 1_000

export const unfit = (refusals: readonly string[]): UnfitDatabase =>
  new UnfitDatabase(['The database does not fit the definitions. Details: duet migrate plan', ...refusals].join('\n'))

export const label = (table: Table, { name, field }: TableColumn): string =>
  table.resource === null || field === null ? `${quote(table.name)}.${quote(name)}` : `${table.resource}.${field}`

export function storedName({ existing }: Work, table: Table, { name, was }: TableColumn): string {
  const columns = existing.get(table.name)?.columns
  return was !== null && columns?.has(name) === false && columns.has(was) ? was : name
}

/** What an operator runs. A refusal undoes the renaming, so it comes first. */
export function remedyOf(work: Work, table: Table, column: TableColumn, statements: string): string {
  const [name, stored] = [column.name, storedName(work, table, column)]
  const rename = `alter table ${quote(table.name)} rename column ${quote(stored)} to ${quote(name)}; `
  return `${stored === name ? '' : rename}${statements}`
}

export const fillKey = (table: Table, { name }: TableColumn): string => `${table.name}.${name}`

/** Whether the column is still to be added. */
export const isNew = ({ existing }: Work, table: Table, { name }: TableColumn): boolean =>
  existing.get(table.name)?.columns.has(name) !== true
