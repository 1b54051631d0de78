// Combines waiting statements. Gain: docs/decisions/optimisations.md.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { Batching, Bound, Program, Statement, StoredRow, Value } from './store.ts'

type Rows = readonly StoredRow[]

/** Statements sent as one, by their indexes. */
export interface Group {
  readonly places: readonly number[]
  readonly bound: Bound
  /** The rows of each statement. */
  readonly split: (rows: Rows) => readonly Rows[]
}

/** `areReads`: no statement changes anything. */
export type Combine = (waiting: readonly Bound[], areReads: boolean) => readonly Group[]

/** In the order of each group's first statement. Identical reads are sent once. */
export const combined: Combine = (waiting, areReads) => {
  const groups: Group[] = []
  for (const places of placesByKey(waiting, areReads)) {
    const { batching } = waiting[places[0]!]!.statement
    for (let next = 0; next < places.length; ) {
      const rest = places.length - next
      const count = batching?.maxSize(rest) ?? rest
      groups.push(groupOf(places.slice(next, next + count), waiting, batching))
      next += count
    }
  }
  return groups
}

/** For when batching is off. */
export const separate: Combine = (waiting) =>
  waiting.map((bound, place) => ({ places: [place], bound, split: (rows) => [rows] }))

/** Runs statements of one program, combined if possible; returns the rows of each. */
export function* executeTogether(bounds: readonly Bound[]): Program<readonly Rows[]> {
  if (bounds.length === 1) return [yield bounds[0]!]
  const answers = new Array<Rows>(bounds.length)
  for (const { places, bound, split } of combined(bounds, false)) {
    const rows = split(yield bound)
    for (const [index, place] of places.entries()) answers[place] = rows[index]!
  }
  return answers
}

function placesByKey(waiting: readonly Bound[], areReads: boolean): Iterable<readonly number[]> {
  if (waiting.length === 1) return [[0]]
  const byKind = new Map<Statement | string, Map<string, number[]>>()
  const all: number[][] = []
  for (const [place, bound] of waiting.entries()) {
    const { statement, values, counter } = bound
    const { batching } = statement
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
