// What the steps of a migration share.

import type { Table, TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import type { Form } from '../sql/text/form.ts'
import { bind, command, type Engine, type Program } from '../store.ts'
import { isOnlyInstance } from './instance-lock.ts'
import type { Existing } from './introspect.ts'

/** Its message has a line per problem, for the operator. */
export class UnfitDatabase extends Error {}

/** By table and column: the known form of all records that are not deleted; null if unknown. */
export type Forms = Readonly<Record<string, Readonly<Record<string, Form | null>>>>

/** A running migration: its statements, and why it must be rolled back. */
/** Before the migration. */
export interface Work {
  readonly engine: Engine
  readonly existing: Existing
  readonly forms: Forms
  /** This version was applied before; additions of a newer one stay. */
  readonly isReturn: boolean
  readonly statements: string[]
  readonly refusals: string[]
  /** Runs once all tables and indexes exist. */
  readonly last: (() => Program<void>)[]
}

export function* apply(work: Work, statement: string): Program<void> {
  yield bind(command(statement))
  work.statements.push(statement)
}

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

/** It would break running instances of another version; returns whether it did. */
export function* isRefused(work: Work, what: string): Program<boolean> {
  if (yield* isOnlyInstance(work.engine)) return false
  work.refusals.push(`${what}, and instances of another version are running: stop them before this one starts.`)
  return true
}
