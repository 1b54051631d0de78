// Existing records that violate a new unique index.

import type { Table } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import type { UniqueIndex } from '../sql/text/names.ts'
import { bind, type Program, query } from '../store.ts'
import { label } from './work.ts'

/** Values listed in a message. */
const valuesMax = 5

/** Why the index cannot be created: the number of collisions and a query that finds them; null if it can. */
export function* collisions(table: Table, unique: UniqueIndex): Program<string | null> {
  const columns = unique.columns.map((name) => table.columns.find((each) => each.name === name)!)
  const groups = groupsOf(table.name, unique)
  const [[count]] = (yield bind(query(`select count(*) from (${groups}) g`))) as [[number]]
  if (count === 0) return null
  const fields = columns.map((column) => label(table, column)).join(', ')
  const verb = columns.length === 1 ? 'is unique' : 'are unique together'
  const often = count === 1 ? 'one value that' : `${count}values that`
  // Values of a choice are public; others may be secret.
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

/** The repeated values and their counts. */
function groupsOf(table: string, { columns, stored, condition }: UniqueIndex): string {
  const values = columns.map((name) => (stored.includes(name) ? quote(name) : `min(${quote(name)})`))
  const present = columns.map((name) => ` and ${quote(name)} is not null`).join('')
  return (
    `select ${values.join(', ')}, count(*) from ${quote(table)} where ${condition}${present} ` +
    `group by ${stored.map(quote).join(', ')} having count(*) > 1`
  )
}
