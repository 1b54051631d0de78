// The tables, indexes and constraints that follow from a model. Pure: what a database holds is migrate.ts's business.

import { hash } from 'node:crypto'
import { defaultValue, kindOf } from '../../resource/field/registry.ts'
import type { Column, FoldedColumn } from '../../resource/model/column.ts'
import type { Link, Model, ResourceModel } from '../../resource/model/model.ts'
import { snake, tallyName } from '../../resource/naming/casing.ts'
import type { Engine } from '../store.ts'
import { encodeValue } from './column-value.ts'
import { type Dialect, literal, quote } from './dialect.ts'
import { type Form, formOf } from './form.ts'
import { indexesOf, linkIndexes } from './indexes.ts'
import { type Recount, recountOf } from './kept-number.ts'
import { type Derived, referenceName } from './names.ts'
import { pathIndexes } from './path-indexes.ts'
import type { WantedIndex } from './query-indexes.ts'
import { ruleIndexes } from './rule-indexes.ts'

export interface Schema {
  readonly engine: Engine
  readonly tables: readonly Table[]
  /** Statements that make the internal tables where they are missing. */
  readonly internal: readonly string[]
  /** Columns of internal tables that databases of before may lack. */
  readonly internalColumns: readonly InternalColumn[]
  /** Changes with everything above. */
  readonly fingerprint: string
}
export interface Table {
  readonly name: string
  /** `Post`, or null for a join table. */
  readonly resource: string | null
  readonly columns: readonly TableColumn[]
  readonly primaryKey: readonly string[]
  readonly derived: readonly Derived[]
}
export interface TableColumn {
  readonly name: string
  /** The engine's own type, such as `text collate "C"`. */
  readonly type: string
  readonly nullable: boolean
  /** As the definition calls it, or null for what every table has. */
  readonly field: string | null
  /** The name that the column had before. */
  readonly was: string | null
  /** What records get that were there before the column, as SQL; null where the definition gives nothing. */
  readonly initial: string | null
  /** The table whose records it names. */
  readonly references: string | null
  /** The form of its values, where the type does not say it all. */
  readonly form: Form | null
  /** What it is the folded form of, where it is that: then whoever starts fills it. */
  readonly folds?: FoldedColumn
  /** What it is worked out of, where it is a number that records keep of others. */
  readonly keeps?: Recount
  /** Within which column its numbers are counted, where they are, and whether every record has one. */
  readonly counts?: { readonly within: string | null; readonly always: boolean }
}

/** Internal tables of other parts: in each engine's SQL, statements that do nothing where the table is there. */
export interface TableDefinition {
  readonly create: Readonly<Record<Engine, readonly string[]>>
  /** What `create` has and did not have at first. */
  readonly added?: readonly InternalColumn[]
}
export interface InternalColumn {
  readonly table: string
  readonly name: string
  readonly type: string
}

/** Raised when the same model makes other statements than before, so that databases are looked at again. */
const derivation = 1

/** Everything that the database of this model holds. */
export function desiredSchema(model: Model, dialect: Dialect, extra: readonly TableDefinition[] = []): Schema {
  const wanted = [ruleIndexes(model), pathIndexes(model, dialect)]
  const wantedOf = (resource: ResourceModel) => wanted.flatMap((indexes) => indexes.get(resource) ?? [])
  const tables = [
    ...[...model.resources, ...model.unlisted].map((resource) => resourceTable(resource, dialect, wantedOf(resource))),
    ...model.links.map((link) => linkTable(link, dialect)),
  ]
  const internal = extra.flatMap((each) => each.create[dialect.engine])
  const fingerprint = hash('sha256', JSON.stringify([derivation, dialect.engine, tables, internal]))
  const internalColumns = extra.flatMap(({ added = [] }) => added)
  return { engine: dialect.engine, tables, internal, internalColumns, fingerprint }
}

const plain = { nullable: false, field: null, was: null, initial: null, references: null, form: null }

function resourceTable(resource: ResourceModel, dialect: Dialect, wanted: readonly WantedIndex[]): Table {
  const [integer, text, timestamp] = [dialect.codec('integer'), dialect.codec('text'), dialect.codec('timestamp')]
  return {
    name: resource.table,
    resource: resource.name,
    columns: [
      ...resource.columns.map((column) => resourceColumn(column, resource, dialect)),
      ...resource.folded.map((column) => ({ ...plain, name: column.name, type: text.declared, folds: column })),
      { ...plain, name: 'version', type: integer.declared, initial: '1' },
      ...(resource.keptNumbers.length === 0
        ? []
        : [{ ...plain, name: tallyName, type: integer.declared, initial: '0' }]),
      { ...plain, name: 'deleted_at', type: timestamp.declared, nullable: true },
    ],
    primaryKey: ['id'],
    derived: indexesOf(resource, dialect, wanted),
  }
}

function resourceColumn(column: Column, resource: ResourceModel, dialect: Dialect): TableColumn {
  const { name, field, spec, type, nullable } = column
  const number = resource.keptNumbers.find((each) => each.column === column)
  if (number !== undefined) {
    const { declared } = dialect.codec(type)
    return {
      ...plain,
      name,
      field,
      type: declared,
      form: formOf(column, dialect.engine),
      keeps: recountOf(number, dialect),
    }
  }
  // `id` is no kind of field, and nobody adds it later.
  const initial = nullable || spec.kind === 'id' ? undefined : (defaultValue(spec) ?? kindOf(spec).initial?.(spec))
  const former = spec.was ?? newestOlderName(field, resource)
  const relation = resource.relations.get(field)
  const counter = resource.counters.find((each) => each.column === column)
  return {
    name,
    type: dialect.codec(type).declared,
    nullable,
    field,
    // `author` is kept as `author_id`: an older name of the field had the same ending.
    was: former === undefined ? null : snake(former) + name.slice(snake(field).length),
    initial: initial === undefined || initial === null ? null : literal(encodeValue(column, initial, dialect)),
    references: relation?.kind === 'one' ? relation.target.table : null,
    form: formOf(column, dialect.engine),
    ...(counter === undefined ? {} : { counts: { within: counter.within?.name ?? null, always: counter.on === null } }),
  }
}

/** What the last version that called a field otherwise called it: so was its column. */
const newestOlderName = (field: string, { olderNames }: ResourceModel): string | undefined =>
  [...olderNames.values()].findLast((names) => names.has(field))?.get(field)

function linkTable(link: Link, dialect: Dialect): Table {
  const [text, timestamp] = [dialect.codec('text'), dialect.codec('timestamp')]
  return {
    name: link.table,
    resource: null,
    columns: [
      { ...plain, name: 'source_id', type: text.declared, references: link.source.table },
      { ...plain, name: 'target_id', type: text.declared, references: link.target.table },
      { ...plain, name: 'source_created_at', type: timestamp.declared },
      { ...plain, name: 'target_created_at', type: timestamp.declared },
    ],
    primaryKey: ['source_id', 'target_id'],
    derived: linkIndexes(link),
  }
}

/** The statement that makes the table, without what is derived, and on PostgreSQL without its references. */
export function createTable(table: Table, engine: Engine): string {
  const columns = table.columns.map((column) => {
    const references = column.references === null || engine === 'postgres' ? '' : referencesSql(column.references)
    const initial = column.name === 'version' || column.name === tallyName ? ` default ${column.initial}` : ''
    return columnSql(column) + initial + references
  })
  const key = `primary key (${table.primaryKey.map(quote).join(', ')})`
  // SQLite then refuses values of the wrong type, as PostgreSQL does.
  const strict = engine === 'sqlite' ? ' strict' : ''
  return `create table ${quote(table.name)} (${[...columns, key].join(', ')})${strict}`
}

/** PostgreSQL's references of a new table, once every table is there: relations may run in rings. */
export function createReferences(table: Table): readonly string[] {
  return table.columns.flatMap(({ name, references }) => {
    if (references === null) return []
    const constraint = quote(referenceName(table.name, name))
    return [
      `alter table ${quote(table.name)} add constraint ${constraint} foreign key (${quote(name)})${referencesSql(references)}`,
    ]
  })
}

/** Adds a column, with what the records that are there get. */
export function addColumn(table: Table, column: TableColumn): string {
  const initial = column.initial === null ? '' : ` default ${column.initial}`
  const references = column.references === null ? '' : referencesSql(column.references)
  return `alter table ${quote(table.name)} add column ${columnSql(column)}${initial}${references}`
}

const columnSql = ({ name, type, nullable }: TableColumn): string =>
  `${quote(name)} ${type}${nullable ? '' : ' not null'}`
const referencesSql = (table: string): string => ` references ${quote(table)} ("id")`
