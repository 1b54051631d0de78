// Which of the statements that wait at the same time can be asked as one.

import type { Batching, Bound, Statement, StoredRow, Value } from '../store.ts'

type Rows = readonly StoredRow[]

/** Statements that are asked as one: their places among those that wait, and what becomes of the rows. */
export interface Group {
  readonly places: readonly number[]
  readonly bound: Bound
  /** The rows of each, in the order of the places. */
  readonly divide: (rows: Rows) => readonly Rows[]
}

/**
 * All that wait, in the order of the first of each kind. Of those that are `harmless`, for they change nothing, the ones that
 * are the same are asked once.
 */
export function groupsOf(waiting: readonly Bound[], harmless: boolean): readonly Group[] {
  const groups: Group[] = []
  for (const places of alike(waiting, harmless)) {
    const { batching } = waiting[places[0]!]!.statement
    for (let next = 0; next < places.length; ) {
      const rest = places.length - next
      const count = batching?.maxSize(rest) ?? rest
      groups.push(asOne(places.slice(next, next + count), waiting, batching))
      next += count
    }
  }
  return groups
}

/** The places of those that can be asked as one. */
function alike(waiting: readonly Bound[], harmless: boolean): Iterable<readonly number[]> {
  if (waiting.length === 1) return [[0]]
  const kinds = new Map<Statement, Map<string, number[]>>()
  const found: number[][] = []
  for (const [place, { statement, values }] of waiting.entries()) {
    const { batching } = statement
    if (batching === null && !harmless) {
      found.push([place])
      continue
    }
    const kind = textOf(batching === null ? values : batching.key(values))
    const same = kinds
      .getOrInsertComputed(statement, () => new Map<string, number[]>())
      .getOrInsertComputed(kind, () => {
        const places: number[] = []
        found.push(places)
        return places
      })
    same.push(place)
  }
  return found
}

/** Different for different values. */
function textOf(values: readonly Value[]): string {
  let all = ''
  for (const value of values) {
    const text = String(value)
    all += `${typeof value} ${text.length} ${text}`
  }
  return all
}

function asOne(places: readonly number[], waiting: readonly Bound[], batching: Batching | null): Group {
  if (places.length === 1 || batching === null) {
    return { places, bound: waiting[places[0]!]!, divide: (rows) => places.map(() => rows) }
  }
  const all = places.map((place) => waiting[place]!.values)
  return { places, bound: batching.combine(all), divide: (rows) => batching.split(rows, all) }
}
