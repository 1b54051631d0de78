// On SQLite, the elements of a list column in a table of their own, kept by triggers, so that `contains` has an index,
// and lists that are filtered by it have their usual order from that index too: createdAt never changes.

import { quote } from './dialect.ts'
import { type Derived, elementsTable } from './names.ts'

export const triggers = (elements: string): readonly [string, string, string] => [
  quote(`${elements}_insert`),
  quote(`${elements}_update`),
  quote(`${elements}_delete`),
]

/** The statements that undo `elements`. */
export const dropElements = (elements: string): readonly string[] => [
  ...triggers(elements).map((trigger) => `drop trigger ${trigger}`),
  `drop table ${quote(elements)}`,
]

/** The table, the triggers that keep it, and what fills it with the records that are there. */
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
      `insert into ${quote(name)} (value, created_at, id) ${each('t')} from ${quote(table)} t, ${list('t')} ` +
        `where t."deleted_at" is null and ${value} is not null`,
    ],
    unique: null,
  }
}
