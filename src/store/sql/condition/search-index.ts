// Search indexes: on SQLite an FTS5 table kept by triggers, on PostgreSQL a GIN index. Both use the stored words unchanged.
// (contract 12.2.11)

import type { FoldedColumn } from '../../../resource/model/column.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { triggers } from '../text/elements.ts'
import { type Derived, derivedName } from '../text/names.ts'

export function searchIndex(resource: ResourceModel, columns: readonly FoldedColumn[], dialect: Dialect): Derived {
  return dialect.engine === 'sqlite' ? fullText(resource, columns) : inverted(resource, columns)
}

export function searchTable({ table }: ResourceModel, columns: readonly FoldedColumn[]): string {
  const names = namesOf(columns)
  return derivedName(`${table}_${names.join('_')}`, `search ${table} ${names.join()}`, 'search')
}

export function vectorSql(columns: readonly FoldedColumn[], alias: string | null): string {
  const text = namesOf(columns)
    .map((name) => (alias === null ? quote(name) : `${alias}.${quote(name)}`))
    .join(' || ')
  return `array_to_tsvector(array_remove(string_to_array(${text}, ' '), ''))`
}

/** Lengths of the indexed time spans, as powers of two in milliseconds: 4.7 hours to 199 days, each four times the previous. */
export const spanBits = [24, 26, 28, 30, 32, 34] as const

export const millisecondsSql = (moment: string): string =>
  `(extract(epoch from ${moment} at time zone 'UTC') * 1000)::bigint`

/** `bits` and `number` identify a span. bigint, because extensions define their own operators for integer arrays. */
export const spanKeySql = (bits: number | string, number: string): string => `((${number}) * 64 + ${bits})::bigint`

/** The time spans of a record, in PostgreSQL's index. */
export function spansSql(alias: string | null): string {
  const created = millisecondsSql(alias === null ? '"created_at"' : `${alias}."created_at"`)
  return `array[${spanBits.map((bits) => spanKeySql(bits, `${created} >> ${bits}`)).join(', ')}]`
}

/** True if records themselves are searched by these columns, not only their parents. */
const isOwnDocument = ({ search }: ResourceModel, columns: readonly FoldedColumn[]): boolean =>
  search?.documents.some(
    ({ relation, words, parts }) =>
      relation === null && namesOf([...words, ...parts].map(({ column }) => column)).join() === namesOf(columns).join(),
  ) ?? false

const namesOf = (columns: readonly FoldedColumn[]): readonly string[] => columns.map(({ name }) => name).toSorted()

function inverted(resource: ResourceModel, columns: readonly FoldedColumn[]): Derived {
  const { table } = resource
  // No pending list, which every search would scan.
  const spans = isOwnDocument(resource, columns) ? `, (${spansSql(null)})` : ''
  const definition = `on ${quote(table)} using gin ((${vectorSql(columns, null)})${spans}) with (fastupdate = off) where "deleted_at" is null`
  const name = derivedName(`${table}_${namesOf(columns).join('_')}`, definition, 'idx')
  return { name, create: [`create index ${quote(name)} ${definition}`], unique: null }
}

/** An index without texts or positions: the words are in the records. */
function fullText(resource: ResourceModel, columns: readonly FoldedColumn[]): Derived {
  const table = quote(resource.table)
  const name = searchTable(resource, columns)
  const names = namesOf(columns).map(quote)
  const [inserted, updated, deleted] = triggers(name)
  const texts = (row: string) => names.map((each) => `${row}.${each}`).join(' || ')
  const add = (row: string) => `insert into ${quote(name)} (rowid, words) values (${row}.rowid, ${texts(row)})`
  const remove = `delete from ${quote(name)} where rowid = old.rowid`
  const differs = [...names, '"deleted_at"'].map((each) => `old.${each} is not new.${each}`).join(' or ')
  return {
    name,
    create: [
      `create virtual table ${quote(name)} using fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
      `create trigger ${inserted} after insert on ${table} when new."deleted_at" is null begin ${add('new')}; end`,
      `create trigger ${updated} after update of ${[...names, '"deleted_at"'].join(', ')} on ${table} when ${differs} begin ` +
        `${remove}; insert into ${quote(name)} (rowid, words) select new.rowid, ${texts('new')} where new."deleted_at" is null; end`,
      `create trigger ${deleted} after delete on ${table} begin ${remove}; end`,
    ],
    // Its order of rowid is the one that FTS5 adds in at once.
    fill: (condition) =>
      `insert or replace into ${quote(name)} (rowid, words) select rowid, ${texts('t')} from ${table} t ` +
      `where t."deleted_at" is null and ${condition} order by rowid`,
    unique: null,
  }
}
