// Types for an author's own SQL, written as templates with bound values.

import type { AnyField } from '../../field/field.ts'
import type { AnyResource } from './any-resource.ts'

/** A bound value; a list is written `in ${ids}`, at most 1,000 values. */
type SqlBound = string | number | bigint | boolean | Date | null
/** What a template may hold: a value, or a resource or field by its handle. */
export type SqlPart = SqlBound | readonly SqlBound[] | AnyResource | AnyField

/** A value from the database. Times and exact numbers have their stored form: text, or whole numbers in SQLite. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null

/**
 * A tag: `` sql`select id from ${Ticket} where ${Ticket.fields.status} = ${status}` ``. A resource becomes its table (with deleted
 * records; add `deleted_at is null`), a field its column; everything else is a bound parameter. Returns rows as objects, at most 16
 * MiB.
 */
export type Sql = <Row extends { readonly [column: string]: SqlValue } = { readonly [column: string]: SqlValue }>(
  strings: TemplateStringsArray,
  ...values: readonly SqlPart[]
) => Promise<readonly Row[]>
