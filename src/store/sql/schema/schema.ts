// Tables, indexes and constraints derived from a model. Pure.

import { hash } from 'node:crypto'
import type { FormerKind } from '../../../resource/field/field.ts'
import { defaultValue, kindOf } from '../../../resource/field/registry.ts'
import type { Column, FoldedColumn, StoredValue } from '../../../resource/model/column.ts'
import type { Link, Model, ResourceModel, TimedMove } from '../../../resource/model/model.ts'
import { snake, tallyName } from '../../../resource/naming/casing.ts'
import type { Engine } from '../../store.ts'
import { encodeValue } from '../text/column-value.ts'
import { type Dialect, literal, quote } from '../text/dialect.ts'
import { type Form, formOf } from '../text/form.ts'
import { type Derived, referenceName } from '../text/names.ts'
import { copySql } from '../write/due.ts'
import { type Recount, recountOf } from '../write/kept-number.ts'
import { treeIndex } from '../write/tree.ts'
import type { planIndexes } from './index-plan.ts'
import { type IndexUse, indexesOf, linkIndexes } from './indexes.ts'
import { pathIndexes } from './path-indexes.ts'
import { ruleIndexes } from './rule-indexes.ts'

export interface Schema {
  readonly engine: Engine
  readonly tables: readonly Table[]
  readonly internal: readonly string[]
  /** Columns missing in older databases. */
  readonly internalColumns: readonly InternalColumn[]
  readonly fingerprint: string
}
export interface Table {
  readonly name: string
  readonly resource: string | null
  readonly columns: readonly TableColumn[]
  readonly primaryKey: readonly string[]
  readonly derived: readonly Derived[]
}
export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** In the definition; null for columns of every table. */
  readonly field: string | null
  readonly was: string | null
  /** SQL for existing records; null without a default. */
  readonly initial: string | null
  readonly references: string | null
  /** Null if the type determines it. */
  readonly form: Form | null
  /** The source of a folded form, which the start fills in. */
  readonly folds?: FoldedColumn
  readonly keeps?: Recount
  readonly stores?: StoredValue
  readonly counts?: { readonly within: string | null; readonly always: boolean }
  /** Kept as well, and each filled from the other. */
  readonly former?: FormerKind
}

/** Internal tables of other parts, per engine; idempotent. */
export interface TableDefinition {
  readonly create: Readonly<Record<Engine, readonly string[]>>
  readonly added?: readonly InternalColumn[]
}
export interface InternalColumn {
  readonly table: string
  readonly name: string
  readonly type: string
}

/** Increment when the same model produces other statements. */
const derivation = 1

export function desiredSchema(model: Model, dialect: Dialect, extra: readonly TableDefinition[] = []): Schema {
  const uses = indexUses(model, dialect)
  const tables = [
    ...[...uses].map(([resource, indexes]) => resourceTable(resource, dialect, indexes)),
    ...model.links.map((link) => linkTable(link, dialect)),
  ]
  const internal = extra.flatMap((each) => each.create[dialect.engine])
  const fingerprint = hash('sha256', JSON.stringify([derivation, dialect.engine, tables, internal]))
  const internalColumns = extra.flatMap(({ added = [] }) => added)
  return { engine: dialect.engine, tables, internal, internalColumns, fingerprint }
}

export function indexUses(model: Model, dialect: Dialect): ReadonlyMap<ResourceModel, readonly IndexUse[]> {
  const usesOf = indexPlanner(model, dialect)
  return new Map([...model.resources, ...model.unlisted].map((each) => [each, usesOf(each)]))
}

/** With other declarations of the resource, if these are given. */
export function indexPlanner(model: Model, dialect: Dialect, planned?: typeof planIndexes) {
  const indexesByResource = [ruleIndexes(model, dialect), pathIndexes(model, dialect)]
  return (resource: ResourceModel, others: Partial<ResourceModel> = {}): readonly IndexUse[] => {
    const ofOthers = indexesByResource.flatMap((indexes) => indexes.get(resource) ?? [])
    return indexesOf({ ...resource, ...others }, dialect, ofOthers, planned)
  }
}

const plain = { nullable: false, field: null, was: null, initial: null, references: null, form: null }

function resourceTable(resource: ResourceModel, dialect: Dialect, uses: readonly IndexUse[]): Table {
  const [integer, text, timestamp] = [dialect.codec('integer'), dialect.codec('text'), dialect.codec('timestamp')]
  return {
    name: resource.table,
    resource: resource.name,
    columns: [
      ...resource.columns.map((column) => resourceColumn(column, resource, dialect)),
      ...resource.timedMoves.flatMap((move) => timedColumns(move, dialect)),
      ...resource.folded.map((column) => ({ ...plain, name: column.name, type: text.declared, folds: column })),
      { ...plain, name: 'version', type: integer.declared, initial: '1' },
      ...(resource.keptNumbers.length === 0
        ? []
        : [{ ...plain, name: tallyName, type: integer.declared, initial: '0' }]),
      { ...plain, name: 'deleted_at', type: timestamp.declared, nullable: true },
    ],
    primaryKey: ['id'],
    derived: uses.map(({ index }) => index),
  }
}

/** Hidden columns of a move that the clock makes. */
function timedColumns(move: TimedMove, dialect: Dialect): readonly TableColumn[] {
  const timestamp = { ...plain, type: dialect.codec('timestamp').declared, nullable: true }
  return [
    { ...timestamp, name: move.made },
    { ...plain, name: move.parked, type: dialect.codec('integer').declared, nullable: true },
    ...(move.copy === null
      ? []
      : [{ ...timestamp, name: move.copy, keeps: { sql: copySql(move), excess: null, depth: 0 } }]),
  ]
}

function resourceColumn(column: Column, resource: ResourceModel, dialect: Dialect): TableColumn {
  const { name, field, spec, nullable } = column
  const own = {
    ...plain,
    name,
    field,
    type: dialect.codec(column.type).declared,
    form: formOf(column, dialect.engine),
  }
  const number = resource.keptNumbers.find((each) => each.column === column)
  if (number !== undefined) return { ...own, keeps: recountOf(number, dialect) }
  const stored = resource.storedValues.find((each) => each.column === column)
  // Null until it is worked out.
  if (stored !== undefined) return { ...own, nullable: true, stores: stored }
  // `id` exists from the start.
  const initial = nullable || spec.kind === 'id' ? undefined : (defaultValue(spec) ?? kindOf(spec).initial?.(spec))
  const formerKind = typeof spec.was === 'object' ? spec.was : undefined
  const isRenamed = spec.column === undefined && formerKind === undefined
  const former = typeof spec.was === 'string' ? spec.was : isRenamed ? newestOlderName(field, resource) : undefined
  const relation = resource.relations.get(field)
  const counter = resource.counters.find((each) => each.column === column)
  return {
    name,
    type: own.type,
    nullable,
    field,
    // `author` is stored as `author_id`: the former name has the same suffix.
    was: former === undefined ? null : snake(former) + name.slice(snake(field).length),
    initial: initial === undefined || initial === null ? null : literal(encodeValue(column, initial, dialect)),
    references: relation?.kind === 'one' ? relation.target.table : null,
    form: own.form,
    ...(formerKind === undefined ? {} : { former: formerKind }),
    ...(counter === undefined ? {} : { counts: { within: counter.within?.name ?? null, always: counter.on === null } }),
  }
}

/** The newest older version's name was that of the column. */
const newestOlderName = (field: string, { olderNames }: ResourceModel): string | undefined =>
  [...olderNames.values()].findLast((names) => names.has(field))?.get(field)

function linkTable(link: Link, dialect: Dialect): Table {
  const [text, timestamp] = [dialect.codec('text'), dialect.codec('timestamp')]
  if (link.parent !== null) return treeTable(link, text.declared)
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

/** Its rows follow from the records, so no foreign key is checked per level. */
const treeTable = (link: Link, type: string): Table => ({
  name: link.table,
  resource: null,
  columns: ['source_id', 'target_id'].map((name) => ({ ...plain, name, type })),
  primaryKey: ['source_id', 'target_id'],
  derived: [treeIndex(link)],
})

/** Without derived objects, and on PostgreSQL without foreign keys. */
export function createTable(table: Table, engine: Engine): string {
  const columns = table.columns.map((column) => {
    const references = column.references === null || engine === 'postgres' ? '' : referencesSql(column.references)
    const initial = column.name === 'version' || column.name === tallyName ? ` default ${column.initial}` : ''
    return columnSql(column) + initial + references
  })
  const key = `primary key (${table.primaryKey.map(quote).join(', ')})`
  // Makes SQLite check types as PostgreSQL does.
  const strict = engine === 'sqlite' ? ' strict' : ''
  return `create table ${quote(table.name)} (${[...columns, key].join(', ')})${strict}`
}

/** Added after all tables, because relations may be cyclic. */
export function createReferences(table: Table): readonly string[] {
  return table.columns.flatMap(({ name, references }) => {
    if (references === null) return []
    const constraint = quote(referenceName(table.name, name))
    return [
      `alter table ${quote(table.name)} add constraint ${constraint} foreign key (${quote(name)})${referencesSql(references)}`,
    ]
  })
}

export function addColumn(table: Table, column: TableColumn): string {
  const initial = column.initial === null ? '' : ` default ${column.initial}`
  const references = column.references === null ? '' : referencesSql(column.references)
  return `alter table ${quote(table.name)} add column ${columnSql(column)}${initial}${references}`
}

const columnSql = ({ name, type, nullable }: TableColumn): string =>
  `${quote(name)} ${type}${nullable ? '' : ' not null'}`
const referencesSql = (table: string): string => ` references ${quote(table)} ("id")`
