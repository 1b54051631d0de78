// Combines statements that wait at the same time, or that one program runs together. Without batching: the same answers, and one statement for each: a list of
// one author takes 1.5 times as long under load, a page that all ask for twice, a nested query 3 times.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { Batching, Bound, Program, Statement, StoredRow, Value } from './store.ts'

type Rows = readonly StoredRow[]

/** Statements that are sent as one: their places among those that wait, and what becomes of the rows. */
export interface Group {
  readonly places: readonly number[]
  readonly bound: Bound
  /** The rows of each, in the order of the places. */
  readonly split: (rows: Rows) => readonly Rows[]
}

/**
 * How statements that wait become groups. `areReads` where none of them changes anything; only equal ones are combined of what is
 * slow.
 */
export type Combine = (
  waiting: readonly Bound[],
  areReads: boolean,
  isSlow?: (batching: Batching) => boolean,
) => readonly Group[]

/**
 * All that wait, in the order of the first of each group. Identical ones are sent once where they are reads.
 */
export const combined: Combine = (waiting, areReads, isSlow = () => false) => {
  const batchingOf = ({ statement: { batching } }: Bound) => (batching === null || isSlow(batching) ? null : batching)
  const groups: Group[] = []
  for (const places of placesByKey(waiting, areReads, batchingOf)) {
    const batching = batchingOf(waiting[places[0]!]!)
    for (let next = 0; next < places.length; ) {
      const rest = places.length - next
      const count = batching?.maxSize(rest) ?? rest
      groups.push(groupOf(places.slice(next, next + count), waiting, batching))
      next += count
    }
  }
  return groups
}

/** Every statement by itself, for where batching is off. */
export const separate: Combine = (waiting) =>
  waiting.map((bound, place) => ({ places: [place], bound, split: (rows) => [rows] }))

/** Runs these statements of one program, combined where they can be; the rows of each, in their order. */
export function* executeTogether(bounds: readonly Bound[]): Program<readonly Rows[]> {
  const answers = new Array<Rows>(bounds.length)
  for (const { places, bound, split } of combined(bounds, false)) {
    const rows = split(yield bound)
    for (const [index, place] of places.entries()) answers[place] = rows[index]!
  }
  return answers
}

/** The places of those that can be combined. */
function placesByKey(
  waiting: readonly Bound[],
  areReads: boolean,
  batchingOf: (bound: Bound) => Batching | null,
): Iterable<readonly number[]> {
  if (waiting.length === 1) return [[0]]
  const byKind = new Map<Statement | string, Map<string, number[]>>()
  const all: number[][] = []
  for (const [place, bound] of waiting.entries()) {
    const { statement, values, counter } = bound
    const batching = batchingOf(bound)
    if (counter !== undefined || (batching === null && !areReads)) {
      all.push([place])
      continue
    }
    const key = textOf(batching === null ? values : batching.key(values))
    const byKey = getOrInsert(byKind, batching?.kind ?? statement, () => new Map<string, number[]>())
    const places = getOrInsert(byKey, key, () => {
      const made: number[] = []
      all.push(made)
      return made
    })
    places.push(place)
  }
  return all
}

/** Different for different values. */
export function textOf(values: readonly Value[]): string {
  let all = ''
  for (const value of values) {
    const text = String(value)
    all += `${typeof value} ${text.length} ${text}`
  }
  return all
}

function groupOf(places: readonly number[], waiting: readonly Bound[], batching: Batching | null): Group {
  if (places.length === 1 || batching === null) {
    return { places, bound: waiting[places[0]!]!, split: (rows) => places.map(() => rows) }
  }
  const all = places.map((place) => waiting[place]!.values)
  return { places, bound: batching.combine(all), split: (rows) => batching.split(rows, all) }
}
