// Migrates a database at the start: adds and renames, and refuses to lose data.

import { Failure } from '../../failure/failure.ts'
import { isFoldedName } from '../../resource/naming/casing.ts'
import { createReferences, createTable, type Schema, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { literal, quote } from '../sql/text/dialect.ts'
import { dropElements } from '../sql/text/elements.ts'
import { type Derived, isDerived, uniqueName } from '../sql/text/names.ts'
import { bind, command, type Engine, type Program, query, type Store } from '../store.ts'
import { alterTable } from './alter-table.ts'
import { batchOf } from './batch.ts'
import { canLeave, leaveFollowing } from './folded.ts'
import { checkForms, formsOf } from './form.ts'
import { instanceSeconds, lockSchema, otherInstances } from './instances.ts'
import { introspect } from './introspect.ts'
import { forget, notedNames } from './notes.ts'
import { removedName, restoreSentence } from './removed.ts'
import { incompatibilities, isFormer, rememberFormer, type Situation } from './rolling-deploy.ts'
import { collisions, exclusionSentence, overlaps } from './violation.ts'
import { type Forms, fillKey, readPairs, runStep, type Step, UnfitDatabase, unfit, type Work } from './work.ts'

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

/** A plan: what a start or `apply` would do, and why it cannot. */
export interface Plan extends Work {
  readonly desired: Schema
  /** The fingerprint of the version before; null in a new database. */
  readonly former: string | null
  /** Only what it derives: a newer version runs. */
  readonly isBesideNewer: boolean
}

/** Changes nothing. The version before may run next to all but a start: on SQLite nothing shows it. */
export function* planMigration(desired: Schema, isStart = false): Program<Plan> {
  const { engine } = desired
  const applied = yield* appliedSchema(engine)
  const existing = yield* introspect(engine)
  const isReturn = applied?.fingerprint !== desired.fingerprint && (yield* isFormer(desired, existing))
  const forms = applied?.tables ?? {}
  const unfilled = yield* notedNames('fill', existing)
  const stale = yield* notedNames('stale', existing)
  const isOnly = yield* isAlone(desired)
  const pairs = yield* readPairs(existing)
  const isKnownAlone = isOnly && (engine === 'postgres' || isStart)
  const found = { engine, existing, forms, isReturn, unfilled, stale, isAlone: isKnownAlone, pairs }
  const work: Work = { ...found, steps: [], refusals: [], last: [] }
  const plan = { ...work, desired, former: applied?.fingerprint ?? null, isBesideNewer: false }
  if (isReturn) {
    requireFit(desired, work, { isOnly, isStart })
    if (!isOnly) {
      planMissing(work, desired)
      if (!isStart) leaveComputed(work, desired)
      return { ...plan, isBesideNewer: true }
    }
  }
  planInternal(work, desired)
  dropDerived(work, desired)
  for (const table of desired.tables) {
    const current = existing.get(table.name)
    if (current !== undefined) yield* alterTable(work, table, current)
    else planTable(work, table)
  }
  if (!isReturn) forgetTables(work, desired, applied)
  for (const table of desired.tables) {
    if (existing.has(table.name) && !isReturn) yield* checkForms(work, table)
  }
  for (const table of desired.tables) {
    if (engine === 'sqlite' || isKnown(work, table)) continue
    const step = { change: 'new resource', about: table.resource ?? quote(table.name), table: table.name } as const
    for (const statement of createReferences(table)) work.steps.push({ ...step, statements: [statement] })
  }
  for (const table of desired.tables) yield* createDerived(work, table)
  const depthOf = ({ fill }: Step) => fill?.depth ?? Number.MAX_SAFE_INTEGER
  work.steps.push(...work.last.toSorted((one, other) => depthOf(one) - depthOf(other)))
  return plan
}

const isKnown = ({ existing }: Work, { name }: Table): boolean => existing.has(name) || existing.has(removedName(name))

function planTable(work: Work, table: Table): void {
  const step = { about: table.resource ?? quote(table.name), table: table.name }
  if (!work.existing.has(removedName(table.name)))
    return void work.steps.push({ change: 'new resource', ...step, statements: [createTable(table, work.engine)] })
  const statements = [`alter table ${quote(removedName(table.name))} rename to ${quote(table.name)}`]
  work.steps.push({ change: 'restored values', ...step, statements, refusal: restoreSentence(step.about) })
}

const createSchemaTable = 'create table if not exists duet_schema (fingerprint text not null, tables text not null)'

function planInternal(work: Work, { internal, internalColumns }: Schema): void {
  const missing = internalColumns.flatMap(({ table, name, type }) => {
    const columns = work.existing.get(table)?.columns
    return columns === undefined || columns.has(name) ? [] : [`alter table ${table} add column ${name} ${type}`]
  })
  const statements = [createSchemaTable, ...internal, ...missing]
  work.steps.push({ change: 'bookkeeping', about: 'tables of Duet', table: null, statements })
}

/** In the transaction of the caller: all of it, or nothing. */
function* migration(desired: Schema): Program<readonly string[]> {
  const { engine } = desired
  // SQLite has a single writer.
  if (engine === 'postgres') yield bind(lockSchema)
  if (yield* isMigrated(desired)) return []
  const plan = yield* planMigration(desired, true)
  yield* requireStart(plan)
  const statements: string[] = []
  for (const step of plan.steps) if (!isForFinish(step, plan)) statements.push(...(yield* runStep(step)))
  for (const key of plan.unfilled) yield bind(command(forget('fill', key)))
  if (!plan.isBesideNewer) yield* noteApplied(plan)
  return statements
}

/** The end of a change that both versions tolerate: a start leaves it. */
export const isForFinish = (
  { loss, refusal, isLate = false }: Step,
  { isAlone }: Pick<Work, 'isAlone'> = { isAlone: false },
): boolean => (loss !== undefined && refusal === undefined) || (isLate && !isAlone)

/** Fails with UnfitDatabase for what a start does not do. */
function* requireStart(plan: Plan): Program<void> {
  const { desired, steps, refusals } = plan
  const needAlone = steps.flatMap((step) =>
    step.alone === undefined || step.refusal !== undefined || isForFinish(step, plan) ? [] : [step.alone],
  )
  const canBegin = needAlone.length === 0 || (yield* isAlone(desired))
  const refused = steps.flatMap(({ refusal }) => refusal ?? [])
  const all = [...refusals, ...refused, ...(canBegin ? [] : needAlone.map(aloneSentence))]
  if (all.length > 0) throw unfit(all)
}

export const aloneSentence = (what: string): string =>
  `${what}, and instances of another version are running: stop them before this one starts. One that was killed counts for ` +
  `${instanceSeconds} seconds.`

function* isAlone({ engine, fingerprint }: Schema): Program<boolean> {
  return (yield* otherInstances(engine, fingerprint)) === 0
}

/** Afterwards a start of this version changes nothing. */
export function* noteApplied({ desired, former, forms, isReturn, steps }: Plan): Program<void> {
  yield* rememberFormer(desired, former === desired.fingerprint ? null : former, isReturn)
  yield bind(command('delete from duet_schema'))
  // What is not put aside yet is still to be found.
  const left = new Set(steps.flatMap(({ loss }) => loss ?? []))
  const kept = isReturn ? forms : Object.fromEntries(Object.entries(forms).filter(([table]) => left.has(table)))
  const tables = JSON.stringify(formsOf(desired, kept, isReturn))
  const values = `(${literal(desired.fingerprint)}, ${literal(tables)})`
  yield bind(command(`insert into duet_schema (fingerprint, tables) values ${values}`))
}

function requireFit(desired: Schema, work: Work, situation: Situation): void {
  const problems = incompatibilities(desired, work, situation)
  if (problems.length === 0) return
  const why = 'A newer version of this service has changed the database, and this one cannot run on it any more.'
  throw new UnfitDatabase([why, ...problems].join('\n'))
}

/** Next to a newer version, only this one's indexes are restored. */
function planMissing(work: Work, desired: Schema): void {
  for (const table of desired.tables)
    for (const each of table.derived)
      if (each.unique === null && !hasDerived(work, table, each)) work.steps.push(indexStep(work, table, each))
}

/** `apply` lets this version run next to a newer one that computes more. */
function leaveComputed(work: Work, desired: Schema): void {
  for (const { name, columns } of desired.tables)
    for (const [column, existing] of work.existing.get(name)?.columns ?? [])
      if (canLeave(column) && columns.every((each) => each.name !== column))
        leaveFollowing(work, name, column, existing)
}

function forgetTables(work: Work, desired: Schema, applied: Applied | null): void {
  const names = new Set(desired.tables.map((each) => each.name))
  for (const name of Object.keys(applied?.tables ?? {})) {
    if (names.has(name) || !work.existing.has(name)) continue
    const refusal =
      `No resource keeps its records in the table ${quote(name)} any more. To keep them for a resource of another ` +
      `name, run: alter table ${quote(name)} rename to <name>; to lose them, run: drop table ${quote(name)}`
    const statements = [`alter table ${quote(name)} rename to ${quote(removedName(name))}`]
    const step = { about: quote(name), table: name, statements, loss: name, refusal }
    work.steps.push({ change: 'removed resource', ...step, alone: `${quote(name)} is removed` })
  }
}

function dropDerived(work: Work, desired: Schema): void {
  const dropped = desired.tables.filter(({ name, columns }) =>
    [...(work.existing.get(name)?.columns.keys() ?? [])].some(
      (column) => isFoldedName(column) && columns.every((each) => each.name !== column),
    ),
  )
  const isOfDropped = (name: string) => dropped.some((each) => name.startsWith(`${each.name}_`))
  const names = new Set(desired.tables.flatMap((each) => each.derived.map(({ name }) => name)))
  const drop = (about: string, statements: readonly string[]) =>
    work.steps.push({ change: 'removed index', about, table: null, statements })
  for (const { name, columns } of desired.tables) {
    const current = work.existing.get(name)
    if (current === undefined) continue
    const unique = new Set([...current.columns.keys()].map((column) => uniqueName(name, [column])))
    const paired = [
      ...columns.flatMap(({ former }) => former?.column ?? []),
      ...work.pairs.flatMap((each) => (each.table === name ? [each.column, each.former] : [])),
    ]
    // The other version reads by it.
    const isOfPair = (definition: string | null) =>
      paired.some((column) => definition !== null && new RegExp(`\\b${column}\\b`).test(definition))
    for (const [index, { isValid, definition }] of current.indexes) {
      const isOurs = (isDerived(index) || unique.has(index)) && !isOfPair(definition)
      if (isOurs && (!names.has(index) || !isValid)) drop(quote(name), [`drop index ${quote(index)}`])
    }
  }
  for (const name of work.existing.keys()) {
    if (!isDerived(name) || names.has(name)) continue
    const step = { change: 'removed index', about: quote(name), table: null } as const
    // The version before reads it, unless columns that its triggers name are dropped.
    work.steps.push({ ...step, statements: dropElements(name), isLate: !isOfDropped(name) })
  }
}

function* createDerived(work: Work, table: Table): Program<void> {
  const isRestored = !work.existing.has(table.name) && isKnown(work, table)
  for (const each of isRestored ? [] : table.derived) {
    if (hasDerived(work, table, each)) continue
    const step = indexStep(work, table, each)
    const sentence = step.check !== undefined && isStored(work, table, each) ? yield* step.check() : null
    if (sentence !== null) work.refusals.push(sentence)
    else work.steps.push(step)
  }
}

const derivedKey = (table: Table, name: string): string => `${table.name}.${name}`

const hasDerived = ({ existing, unfilled }: Work, table: Table, { name }: Derived): boolean =>
  existing.get(table.name)?.indexes.get(name)?.isValid === true ||
  (existing.has(name) && !unfilled.has(derivedKey(table, name)))

function indexStep(work: Work, table: Table, { name, create, fill, unique, exclusion }: Derived): Step {
  const about = table.resource ?? quote(table.name)
  if (!work.existing.has(table.name)) return { change: 'new resource', about, table: table.name, statements: create }
  const step = { about, table: table.name, statements: create }
  if (unique !== null) return { change: 'unique values', ...step, check: () => collisions(table, unique) }
  if (fill !== undefined) {
    const key = derivedKey(table, name)
    const batch = batchOf(work.engine, table.name, (range) => fill(range.replaceAll('"id"', 't."id"')))
    const statements = work.existing.has(name) ? [] : create
    return { change: 'new index', ...step, statements, marks: key, fill: { key, batch, last: [], verdict: null } }
  }
  if (exclusion === undefined) return { change: 'new index', ...step }
  const alone = exclusionSentence(table, exclusion)
  return { change: 'no overlaps', ...step, alone, check: () => overlaps(table, exclusion) }
}

/** Whether what it tests can be read before the migration: no column that is added, renamed or to be filled. */
function isStored({ existing, unfilled }: Work, table: Table, { create, unique, exclusion }: Derived): boolean {
  const { name, columns } = table
  const text = [...create, ...(unique?.columns ?? exclusion?.columns ?? []).map(quote)].join()
  const stored = existing.get(name)?.columns
  const isReady = (each: TableColumn) => stored?.has(each.name) === true && !unfilled.has(fillKey(table, each))
  return columns.every((each) => isReady(each) || !text.includes(quote(each.name)))
}
