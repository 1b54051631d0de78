// On SQLite, list elements are kept in a table by triggers, which gives `contains` an index. It includes createdAt, which never
// changes, and so has the default order too.

import { quote } from './dialect.ts'
import { type Derived, elementsTable } from './names.ts'

export const triggers = (elements: string): readonly [string, string, string] => [
  quote(`${elements}_insert`),
  quote(`${elements}_update`),
  quote(`${elements}_delete`),
]

/** Reverses `elements`. */
export const dropElements = (elements: string): readonly string[] => [
  ...triggers(elements).map((trigger) => `drop trigger ${trigger}`),
  `drop table ${quote(elements)}`,
]

/** The table, its triggers, and the statement that fills it, next to the triggers. */
export function elements(table: string, column: string, part: string | null): Derived {
  const name = elementsTable(table, column, part)
  const [inserted, updated, deleted] = triggers(name)
  const value = part === null ? 'e.value' : `e.value ->> '$.${part}'`
  const each = (row: string) => `select distinct ${value}, ${row}."created_at", ${row}."id"`
  const list = (row: string) => `json_each(${row}.${quote(column)}) e`
  const fill = (row: string) =>
    `insert into ${quote(name)} (value, created_at, id) ${each(row)} from ${list(row)} where ${value} is not null`
  const clear = `delete from ${quote(name)} where id = old."id" and value in (select ${value} from ${list('old')})`
  return {
    name,
    create: [
      `create table ${quote(name)} (value any not null, created_at text not null, id text not null, ` +
        'primary key (value, created_at, id)) strict, without rowid',
      `create trigger ${inserted} after insert on ${quote(table)} when new."deleted_at" is null begin ${fill('new')}; end`,
      `create trigger ${updated} after update of ${quote(column)}, "deleted_at" on ${quote(table)} begin ` +
        `${clear}; ${fill('new')} and new."deleted_at" is null; end`,
      `create trigger ${deleted} after delete on ${quote(table)} begin ${clear}; end`,
    ],
    fill: (condition) =>
      `insert or ignore into ${quote(name)} (value, created_at, id) ${each('t')} from ${quote(table)} t, ${list('t')} ` +
      `where t."deleted_at" is null and ${value} is not null and ${condition}`,
    unique: null,
  }
}
