// What constraints and what is derived are called, in PostgreSQL's own manner, on both engines.

import { hash } from 'node:crypto'

/** PostgreSQL cuts longer names without a word. Every name here consists of ASCII letters, digits and _. */
const nameLengthMax = 63

/** `users_email_key`. */
export const uniqueName = (table: string, columns: readonly string[]): string =>
  shortened(`${table}_${columns.join('_')}`, '_key')

/** `users_pkey`. */
export const primaryKeyName = (table: string): string => shortened(table, '_pkey')

/** `posts_author_id_fkey`. */
export const referenceName = (table: string, column: string): string => shortened(`${table}_${column}`, '_fkey')

/** An index, or a table that is kept like one: made anew whenever its definition changes, since its name then does. */
export interface Derived {
  readonly name: string
  readonly create: readonly string[]
  /** What must not be alike in two records that are there; null where they may be whatever they are. */
  readonly unique: UniqueIndex | null
}
export interface UniqueIndex {
  /** The columns of fields. */
  readonly columns: readonly string[]
  /** What is compared for each: the column itself, or its folded form. */
  readonly stored: readonly string[]
  /** Which records are compared, as SQL. */
  readonly condition: string
}

/** A name for what is derived from definitions: it changes with whatever `definition` says. */
export const derivedName = (base: string, definition: string, kind: 'idx' | 'key' | 'elements' | 'search'): string => {
  const ending = `_${shortHash(definition)}_${kind}`
  return base.slice(0, nameLengthMax - ending.length) + ending
}
/** True for names that `derivedName` makes: what we may drop without asking. */
export const isDerived = (name: string): boolean => /_[0-9a-f]{8}_(idx|key|elements|search)$/.test(name)

/** On SQLite, the table `(value, created_at, id)` of a list column: one row for each different element of each living record. */
export const elementsTable = (table: string, column: string, part: string | null): string =>
  derivedName(`${table}_${column}${part === null ? '' : `_${part}`}`, `${table} ${column} ${part} in order`, 'elements')

const shortHash = (text: string): string => hash('sha256', text).slice(0, 8)

const shortened = (base: string, ending: string): string => {
  if (base.length + ending.length <= nameLengthMax) return base + ending
  const hashed = `_${shortHash(base)}${ending}`
  return base.slice(0, nameLengthMax - hashed.length) + hashed
}
