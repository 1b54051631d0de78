// Counters in a table with records: existing ones are numbered in order of creation.

import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { bind, type Program, query } from '../store.ts'
import { label, storedName, type Work } from './work.ts'

/** Older versions would create records without a number. */
export function addCounter(work: Work, table: Table, column: TableColumn): void {
  const about = label(table, column)
  const numbered = column.counts!.always ? [numberAll(table.name, column)] : []
  const statements = [addColumn(table, column), ...numbered]
  work.steps.push({ change: 'numbers to fill', about, table: table.name, statements, alone: `${about} is counted now` })
}

/** Numbers records created meanwhile by an older version. */
export function* countForgotten(work: Work, table: Table, column: TableColumn): Program<void> {
  if (!column.counts!.always || work.isReturn) return
  const stored = storedName(work, table, column)
  const forgotten = `select 1 from ${quote(table.name)} where ${isDue(quote(stored))} limit 1`
  if ((yield bind(query(forgotten))).length === 0) return
  const statements = [numberAll(table.name, column)]
  work.steps.push({ change: 'numbers to fill', about: label(table, column), table: table.name, statements })
}

const isDue = (number: string): string => `${number} is null and "deleted_at" is null`

function numberAll(table: string, { name, counts }: TableColumn): string {
  const number = quote(name)
  const group = counts!.within === null ? [] : [quote(counts!.within)]
  const within = group.length === 0 ? '' : `partition by ${group.join()}`
  const alike = [...group, `${number} is null`, '"deleted_at" is null'].join(', ')
  const next =
    `coalesce(max(${number}) over (${within}), 0) + ` +
    `row_number() over (partition by ${alike} order by "created_at", "id")`
  const numbered = `select "id", ${number} as former, "deleted_at", ${next} as next from ${quote(table)}`
  return (
    `update ${quote(table)} set ${number} = counted.next from (${numbered}) counted ` +
    `where ${quote(table)}."id" = counted."id" and counted.former is null and counted."deleted_at" is null`
  )
}
