// A migration on its way: what it has run, and why it must be undone.

import { quote } from '../sql/dialect.ts'
import type { Table, TableColumn } from '../sql/schema.ts'
import { bind, command, type Engine, type Program } from '../store.ts'
import { isOnlyInstance } from './instance-lock.ts'
import type { Existing } from './introspect.ts'

/** Its message has a line for each thing that is in the way, for whoever starts the service. */
export class UnfitDatabase extends Error {}

/** A migration under way: what was run, and why all of it must be undone in the end. */
export interface Work {
  readonly engine: Engine
  /** As it was in the beginning. */
  readonly existing: Existing
  /** This version was applied before, and what a newer one has added stays. */
  readonly isReturn: boolean
  readonly statements: string[]
  readonly refusals: string[]
  /** What waits until every table and index is there. */
  readonly last: (() => Program<void>)[]
}

export function* apply(work: Work, statement: string): Program<void> {
  yield bind(command(statement))
  work.statements.push(statement)
}

/** `Post.title`, or the column's own name where no field is kept in it. */
export const label = (table: Table, { name, field }: TableColumn): string =>
  table.resource === null || field === null ? `${quote(table.name)}.${quote(name)}` : `${table.resource}.${field}`

/** Refuses a change that would break instances of another version, where any are running; answers whether it did. */
export function* isRefused(work: Work, what: string): Program<boolean> {
  if (yield* isOnlyInstance(work.engine)) return false
  work.refusals.push(`${what}, and instances of another version are running: stop them before this one starts.`)
  return true
}
