// Chooses few indexes that serve all declared questions. A merge costs reads next to nothing, and saves every write an entry.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { quote } from '../text/dialect.ts'

/** An index of records that are not deleted, for a declared question. */
export interface WantedIndex {
  /** In words of the definition, such as `sort number`. */
  readonly question: string
  /** Names or sort expressions of columns, with `desc` if opposite to the first sort column. */
  readonly columns: readonly string[]
  /** How many columns, from the first on, have one value each. The others are an order. */
  readonly fixed: number
  /** Besides that records are not deleted. */
  readonly conditions: readonly string[]
}
export interface PlannedIndex extends Omit<WantedIndex, 'question'> {
  readonly questions: Set<string>
  /** A unique index, which exists anyway. */
  readonly isUnique: boolean
}

/** The unique indexes have no nulls and no conditions. */
export function planIndexes(
  wanted: readonly WantedIndex[],
  uniques: readonly (readonly string[])[],
  resource: Pick<ResourceModel, 'columns' | 'counters'>,
): readonly PlannedIndex[] {
  const distinctValues = distinctColumns(resource)
  const all = [...uniques.map(ofUnique), ...distinct(wanted)]
  let kept: readonly PlannedIndex[] = all
  for (const each of all) {
    const others = kept.filter((other) => other !== each)
    const server = each.isUnique ? undefined : others.find((other) => serves(other, each, distinctValues))
    if (server === undefined) continue
    for (const question of each.questions) server.questions.add(question)
    kept = others
  }
  return kept
}

const ofUnique = (columns: readonly string[]): PlannedIndex => ({
  columns,
  fixed: columns.length,
  conditions: [],
  questions: new Set(),
  isUnique: true,
})

function distinct(wanted: readonly WantedIndex[]): Iterable<PlannedIndex> {
  const byKey = new Map<string, PlannedIndex>()
  for (const { question, columns, fixed, conditions } of wanted) {
    const key = JSON.stringify([columns, conditions])
    const fresh = () => ({ columns, fixed, conditions, questions: new Set<string>(), isUnique: false })
    const first = getOrInsert(byKey, key, fresh)
    first.questions.add(question)
    if (fixed < first.fixed) byKey.set(key, { ...first, fixed })
  }
  return byKey.values()
}

function serves(index: PlannedIndex, wanted: PlannedIndex, distinctValues: ReadonlySet<string>): boolean {
  const { columns } = index
  const { length } = wanted.columns
  // A join may know the first column alone, and SQLite takes any other index that begins with a known one.
  if (columns[0] !== wanted.columns[0]) return false
  // At most one record has the values, which needs no order. Other columns answer rules without the record.
  const isOrdered = wanted.columns.slice(columns.length).every((each) => each === 'created_at' || each === 'id')
  if (index.isUnique && columns.length <= length && isOrdered && isArranged(columns, wanted)) return true
  if (!findsTogether(index, wanted)) return false
  if (columns.length >= length && isArranged(columns.slice(0, length), wanted)) return true
  // The few records with one value are sorted by their time.
  const isOnlyTimed = wanted.fixed === length - 2 && wanted.columns[length - 2] === 'created_at'
  return (
    isOnlyTimed &&
    distinctValues.has(wanted.columns[length - 3]!) &&
    columns.join() === [...wanted.columns.slice(0, -2), 'id'].join()
  )
}

/** Whether it has no other records, or has them before or after those that are wanted. */
function findsTogether(index: PlannedIndex, { columns, fixed, conditions }: PlannedIndex): boolean {
  const ends = [
    ...columns.slice(0, fixed).map((each) => `${quote(each)} is null`),
    ...columns.slice(fixed, fixed + 1).map((each) => `${quote(each)} is not null`),
  ]
  return (
    index.conditions.every((each) => conditions.includes(each)) &&
    conditions.every((each) => index.conditions.includes(each) || ends.includes(each))
  )
}

/** Values of fixed columns are found in any order. */
function isArranged(columns: readonly string[], { columns: wanted, fixed }: PlannedIndex): boolean {
  const head = new Set(wanted.slice(0, fixed))
  return columns.every((column, at) => (at < fixed ? head.has(column) : wanted[at] === column))
}

/** Columns in which hardly any value is that of several records, and none is missing: times, and numbers that create gives. */
function distinctColumns({ columns, counters }: Parameters<typeof planIndexes>[2]): ReadonlySet<string> {
  const numbers = counters.filter(({ on, within }) => on === null && within === null)
  const times = columns.filter(({ type, nullable }) => type === 'timestamp' && !nullable)
  return new Set([...times, ...numbers.map(({ column }) => column)].map(({ name }) => name))
}
