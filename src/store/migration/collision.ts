// Records that are there and have alike what shall be unique now.

import { quote } from '../sql/dialect.ts'
import type { UniqueIndex } from '../sql/names.ts'
import type { Table } from '../sql/schema.ts'
import { bind, type Program, query } from '../store.ts'
import { label } from './work.ts'

/** Values that a sentence names. */
const valuesMax = 5

/** Why the index cannot be made, with how many collide and how to find them; null where it can. */
export function* collisions(table: Table, unique: UniqueIndex): Program<string | null> {
  const columns = unique.columns.map((name) => table.columns.find((each) => each.name === name)!)
  const groups = groupsOf(table.name, unique)
  const [[count]] = (yield bind(query(`select count(*) from (${groups}) g`))) as [[number]]
  if (count === 0) return null
  const fields = columns.map((column) => label(table, column)).join(', ')
  const verb = columns.length === 1 ? 'is unique' : 'are unique together'
  const often = count === 1 ? 'one value of which' : `${count} values of which`
  // Words of a choice are the author's own; anything else may be somebody's secret.
  const words = columns.every(({ form }) => form?.words !== undefined) ? yield* wordsOf(groups) : ''
  return (
    `${fields} ${verb}, but several records have the same value: ${often} stand${count === 1 ? 's' : ''} in more ` +
    `than one${words}. They are found by: ${groups}`
  )
}

function* wordsOf(groups: string): Program<string> {
  const rows = yield bind(query(`${groups} order by 1 limit ${valuesMax}`))
  const values = rows.map((row) => `${row.slice(0, -1).join(' ')} (${String(row.at(-1))})`)
  return `: ${[...values, ...(rows.length === valuesMax ? ['…'] : [])].join(', ')}`
}

/** The values that several records have, and how many. */
function groupsOf(table: string, { columns, stored, condition }: UniqueIndex): string {
  const values = columns.map((name) => (stored.includes(name) ? quote(name) : `min(${quote(name)})`))
  const present = columns.map((name) => ` and ${quote(name)} is not null`).join('')
  return (
    `select ${values.join(', ')}, count(*) from ${quote(table)} where ${condition}${present} ` +
    `group by ${stored.map(quote).join(', ')} having count(*) > 1`
  )
}
