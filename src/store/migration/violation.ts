// Existing records that violate a new unique index, or overlap where a definition excludes it.

import type { Table } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import type { ExclusionIndex, UniqueIndex } from '../sql/text/names.ts'
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

/** Why the exclusion cannot begin: the number of records and a query that finds them; null if it can. */
export function* overlaps(table: Table, exclusion: ExclusionIndex): Program<string | null> {
  const records = overlappingSql(table.name, exclusion)
  const [[count]] = (yield bind(query(`select count(*) from (${records}) g`))) as [[number]]
  if (Number(count) === 0) return null
  const begin = count === 1 ? 'one begins' : `${count} begin`
  return (
    `${exclusionSentence(table, exclusion)}, but ${begin} before an earlier one ends, or after ` +
    `${count === 1 ? 'its' : 'their'} own end. They are found by: ${records}`
  )
}

export function exclusionSentence(table: Table, { columns, start, end }: ExclusionIndex): string {
  const named = (name: string) => label(table, table.columns.find((each) => each.name === name)!)
  const fields = columns.map(named).join(', ')
  return `Records with the same ${fields} must not overlap from ${named(start)} to ${named(end)}`
}

/** One pass in the order of the starts, instead of comparing each record with each. */
function overlappingSql(table: string, { stored, start, end, condition }: ExclusionIndex): string {
  const [from, until] = [quote(start), quote(end)]
  const earlier = `over (partition by ${stored.map(quote).join(', ')} order by ${from}, "id" rows between unbounded preceding and 1 preceding)`
  const present = stored.map((name) => ` and ${quote(name)} is not null`).join('')
  const selected = ['"id"', ...new Set([...stored, start, end].map(quote))].join(', ')
  return (
    `select ${selected} from (select ${selected}, max(${until}) ${earlier} latest, ` +
    `max(case when ${until} is null then 1 else 0 end) ${earlier} endless ` +
    `from ${quote(table)} where ${condition}${present}) r ` +
    `where latest > ${from} or endless = 1 or ${until} <= ${from}`
  )
}
