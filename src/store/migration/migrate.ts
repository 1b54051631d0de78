// Migrates a database at the start: adds and renames, and refuses to lose data.

import { Failure } from '../../failure/failure.ts'
import { createReferences, createTable, type InternalColumn, type Schema, type Table } from '../sql/schema/schema.ts'
import { literal, quote } from '../sql/text/dialect.ts'
import { dropElements } from '../sql/text/elements.ts'
import { isDerived, uniqueName } from '../sql/text/names.ts'
import { bind, command, type Engine, type Program, query, type Store } from '../store.ts'
import { alterTable } from './alter-table.ts'
import { collisions } from './collision.ts'
import { checkForms, formsOf } from './form.ts'
import { isOnlyInstance } from './instance-lock.ts'
import { type Existing, introspect } from './introspect.ts'
import { overlaps } from './overlap.ts'
import { incompatibilities, isFormer, rememberFormer } from './rolling-deploy.ts'
import { apply, type Forms, UnfitDatabase, type Work } from './work.ts'

/**
 * Returns the statements that were run; none if the schema is current, which takes two small reads. Concurrent starts wait. An
 * older version may start next to a newer one that only added something. Rejects with an UnfitDatabase, with nothing changed,
 * if data would be lost or a running version could not continue; its message names each field and a remedy.
 */
export async function migrate(store: Store, desired: Schema): Promise<readonly string[]> {
  if (await store.read(isMigrated(desired))) return []
  return store
    .write(() => migration(desired), { withoutTimeout: true })
    .catch((error: unknown) => {
      throw error instanceof Failure && error.cause instanceof Error ? unwritable(error.cause) : error
    })
}

/** The same error as for a first start on a standby server. */
const unwritable = (cause: Error): UnfitDatabase =>
  new UnfitDatabase(
    `DATABASE_URL names a database that has to be brought to the definitions, and cannot be: ${cause.message}. ` +
      'Where its server stands by, name the one that takes writes.',
    { cause },
  )

interface Applied {
  readonly fingerprint: string
  /** All others are foreign. */
  readonly tables: Forms
}

const isThere: Readonly<Record<Engine, ReturnType<typeof query>>> = {
  sqlite: query(`select 1 from sqlite_schema where name = 'duet_schema'`),
  postgres: query(`select 1 where to_regclass('duet_schema') is not null`),
}
const selectApplied = query('select fingerprint, tables from duet_schema')

function* appliedSchema(engine: Engine): Program<Applied | null> {
  if (!(yield* hasSchema(engine))) return null
  const [row] = yield bind(selectApplied)
  return row === undefined ? null : { fingerprint: String(row[0]), tables: tablesIn(String(row[1])) }
}

/** Early versions stored a list of names. */
function tablesIn(text: string): Forms {
  let tables: Forms | readonly string[]
  try {
    tables = JSON.parse(text)
  } catch (cause) {
    throw new UnfitDatabase(
      'The table duet_schema has a form that this release does not know. Start the later release that wrote it.',
      { cause },
    )
  }
  return Array.isArray(tables) ? Object.fromEntries(tables.map((name) => [name, {}])) : (tables as Forms)
}

/** True if a start would change nothing. */
export function* isMigrated({ engine, fingerprint }: Schema): Program<boolean> {
  return (yield* appliedSchema(engine))?.fingerprint === fingerprint
}

export function* hasSchema(engine: Engine): Program<boolean> {
  return (yield bind(isThere[engine])).length > 0
}

const columnIsThere: Readonly<Record<Engine, (table: string, name: string) => string>> = {
  sqlite: (table, name) => `select 1 from pragma_table_info('${table}') where name = '${name}'`,
  postgres: (table, name) =>
    'select 1 from information_schema.columns where table_schema = current_schema() ' +
    `and table_name = '${table}' and column_name = '${name}'`,
}

function* addInternalColumn(work: Work, { table, name, type }: InternalColumn): Program<void> {
  const isThere = (yield bind(query(columnIsThere[work.engine](table, name)))).length > 0
  if (!isThere) yield* apply(work, `alter table ${table} add column ${name} ${type}`)
}

function* migration(desired: Schema): Program<readonly string[]> {
  const { engine } = desired
  // SQLite has a single writer.
  if (engine === 'postgres') yield bind(lock)
  const applied = yield* appliedSchema(engine)
  if (applied?.fingerprint === desired.fingerprint) return []

  const existing = yield* introspect(engine)
  const isReturn = yield* isFormer(desired)
  const forms = applied?.tables ?? {}
  const work: Work = { engine, existing, forms, isReturn, statements: [], refusals: [], last: [] }
  if (isReturn) {
    const isOnly = yield* isOnlyInstance(engine)
    requireFit(desired, work, isOnly)
    if (!isOnly) return yield* deriveMissing(work, desired)
  }
  if (!isReturn) work.refusals.push(...forgotten(existing, desired, applied))
  yield* apply(work, 'create table if not exists duet_schema (fingerprint text not null, tables text not null)')
  for (const statement of desired.internal) yield* apply(work, statement)
  for (const each of desired.internalColumns) yield* addInternalColumn(work, each)
  yield* dropDerived(work, desired)
  for (const table of desired.tables) {
    const current = existing.get(table.name)
    if (current === undefined) yield* apply(work, createTable(table, engine))
    else yield* alterTable(work, table, current)
  }
  refuse(work)
  for (const table of desired.tables) {
    if (existing.has(table.name) && !isReturn) yield* checkForms(work, table)
  }
  for (const table of desired.tables) {
    if (engine === 'sqlite' || existing.has(table.name)) continue
    for (const statement of createReferences(table)) yield* apply(work, statement)
  }
  for (const table of desired.tables) yield* createDerived(work, table)
  refuse(work)
  for (const each of work.last) yield* each()
  refuse(work)

  yield* rememberFormer(desired, applied?.fingerprint ?? null, isReturn)
  yield bind(command('delete from duet_schema'))
  const tables = JSON.stringify(formsOf(desired, isReturn ? forms : {}, isReturn))
  const values = `(${literal(desired.fingerprint)}, ${literal(tables)})`
  yield bind(command(`insert into duet_schema (fingerprint, tables) values ${values}`))
  return work.statements
}

function requireFit(desired: Schema, work: Work, isOnly: boolean): void {
  const problems = incompatibilities(desired, work, isOnly)
  if (problems.length === 0) return
  const why = 'A newer version of this service has changed the database, and this one cannot run on it any more.'
  throw new UnfitDatabase([why, ...problems].join('\n'))
}

/** Next to a newer version, only this one's are restored. */
function* deriveMissing(work: Work, desired: Schema): Program<readonly string[]> {
  for (const table of desired.tables) {
    yield* createDerived(work, { ...table, derived: table.derived.filter(({ unique }) => unique === null) })
  }
  return work.statements
}

/** Arbitrary application-specific advisory-lock key: "duet" in ASCII. */
const lock = query(`select 1 from (select pg_advisory_xact_lock(${0x64756574})) locked`)

function refuse({ refusals }: Work): void {
  if (refusals.length > 0)
    throw new UnfitDatabase(['The database does not fit the definitions.', ...refusals].join('\n'))
}

function forgotten(existing: Existing, desired: Schema, applied: Applied | null): string[] {
  const names = new Set(desired.tables.map((each) => each.name))
  return Object.keys(applied?.tables ?? {})
    .filter((name) => !names.has(name) && existing.has(name))
    .map(
      (name) =>
        `No resource keeps its records in the table ${quote(name)} any more. To keep them for a resource of another ` +
        `name, run: alter table ${quote(name)} rename to <name>; to lose them, run: drop table ${quote(name)}`,
    )
}

function* dropDerived(work: Work, desired: Schema): Program<void> {
  const names = new Set(desired.tables.flatMap((each) => each.derived.map(({ name }) => name)))
  for (const { name } of desired.tables) {
    const current = work.existing.get(name)
    if (current === undefined) continue
    const unique = new Set([...current.columns.keys()].map((column) => uniqueName(name, [column])))
    for (const index of current.indexes.keys()) {
      if ((isDerived(index) || unique.has(index)) && !names.has(index)) yield* apply(work, `drop index ${quote(index)}`)
    }
  }
  for (const name of work.existing.keys()) {
    if (isDerived(name) && !names.has(name)) for (const each of dropElements(name)) yield* apply(work, each)
  }
}

function* createDerived(work: Work, table: Table): Program<void> {
  const current = work.existing.get(table.name)
  for (const { name, create, unique, exclusion } of table.derived) {
    if (current?.indexes.has(name) || work.existing.has(name)) continue
    if (current !== undefined) {
      const collision = unique === null ? null : yield* collisions(table, unique)
      const overlap = exclusion === undefined ? null : yield* overlaps(work, table, exclusion)
      const sentence = collision ?? overlap
      if (sentence !== null) {
        work.refusals.push(sentence)
        continue
      }
    }
    for (const statement of create) yield* apply(work, statement)
  }
}
