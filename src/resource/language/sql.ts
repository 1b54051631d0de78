// SQL of an author's own, in templates whose values are bound.

import type { AnyField } from '../field/field.ts'
import type { AnyResource } from './any-resource.ts'

/** What is bound to a parameter; a list is written as `in ${ids}`, and holds 1,000 values at most. */
type SqlBound = string | number | bigint | boolean | Date | null
/** What may stand in a template: a value, or a resource or field by its handle. */
export type SqlPart = SqlBound | readonly SqlBound[] | AnyResource | AnyField

/** What a database answers. Moments and exact numbers are as it stores them: text, and whole numbers in SQLite. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null

/**
 * A tag: `` sql`select id from ${Ticket} where ${Ticket.fields.status} = ${status}` ``. A resource stands for its table, deleted records
 * included (`deleted_at is null` leaves them out), and a field for its column. Everything else is bound, never written into the
 * text. Answers rows as objects, 16 MiB at most.
 */
export type Sql = <Row extends { readonly [column: string]: SqlValue } = { readonly [column: string]: SqlValue }>(
  strings: TemplateStringsArray,
  ...values: readonly SqlPart[]
) => Promise<readonly Row[]>
