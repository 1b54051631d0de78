// Names of constraints and derived objects, in PostgreSQL's manner on both engines.

import { hash } from 'node:crypto'

/** PostgreSQL truncates longer names silently. All names are ASCII letters, digits and _. */
const nameLengthMax = 63

/** `users_email_key`. */
export const uniqueName = (table: string, columns: readonly string[]): string =>
  shortened(`${table}_${columns.join('_')}`, '_key')

/** `users_pkey`. */
export const primaryKeyName = (table: string): string => shortened(table, '_pkey')

/** `posts_author_id_fkey`. */
export const referenceName = (table: string, column: string): string => shortened(`${table}_${column}`, '_fkey')

/** Of the trigger that fills a column from its former one, and the other way round. */
export const pairName = (table: string, column: string): string => shortened(`${table}_${column}`, '_pair')

/** An index or a similar table. Its name changes with its definition, which recreates it. */
export interface Derived {
  readonly name: string
  readonly create: readonly string[]
  /** The statement that fills it from the records `t` of a condition, if `create` does not. */
  readonly fill?: (condition: string) => string
  /** What must be unique in existing records, or null. */
  readonly unique: UniqueIndex | null
  /** Which existing records must not overlap. */
  readonly exclusion?: ExclusionIndex
}
export interface UniqueIndex {
  readonly columns: readonly string[]
  readonly stored: readonly string[]
  readonly condition: string
}

export interface ExclusionIndex {
  readonly columns: readonly string[]
  readonly stored: readonly string[]
  readonly start: string
  readonly end: string
  readonly condition: string
}

export const derivedName = (base: string, definition: string, kind: Kind): string => {
  const ending = `_${shortHash(definition)}_${kind}`
  return base.slice(0, nameLengthMax - ending.length) + ending
}
type Kind = 'idx' | 'key' | 'excl' | 'elements' | 'search'
/** Names made by `derivedName`: objects that may be dropped. */
export const isDerived = (name: string): boolean => /_[0-9a-f]{8}_(idx|key|excl|elements|search)$/.test(name)

/** On SQLite, `(value, created_at, id)` of a list column: a row per distinct element of each undeleted record. */
export const elementsTable = (table: string, column: string, part: string | null): string =>
  derivedName(`${table}_${column}${part === null ? '' : `_${part}`}`, `${table} ${column} ${part} in order`, 'elements')

const shortHash = (text: string): string => hash('sha256', text).slice(0, 8)

const shortened = (base: string, ending: string): string => {
  if (base.length + ending.length <= nameLengthMax) return base + ending
  const hashed = `_${shortHash(base)}${ending}`
  return base.slice(0, nameLengthMax - hashed.length) + hashed
}
