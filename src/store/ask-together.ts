// Asks statements that wait at the same time, those of one kind as one statement.

import type { Bound, Statement, StoredRow, Together, Value } from './store.ts'

type Rows = readonly StoredRow[]

/**
 * Answers each of these with its own rows. Where they are `harmless`, for they change nothing, those that are the same have
 * the same rows. `send` is called in the order of the first of each kind, with the places of those whose statement it
 * sends; what it rejects with, all of them reject with.
 */
export function askTogether(
  waiting: readonly Bound[],
  harmless: boolean,
  send: (bound: Bound, places: readonly number[]) => Promise<Rows>,
): readonly Promise<Rows>[] {
  const answers = new Array<Promise<Rows>>(waiting.length)
  for (const places of alike(waiting, harmless)) {
    const { together } = waiting[places[0]!]!.statement
    for (let next = 0; next < places.length; ) {
      const rest = places.length - next
      const count = together?.atOnce(rest) ?? rest
      askSome(places.slice(next, next + count), waiting, together, send, answers)
      next += count
    }
  }
  return answers
}

/** The places of those that can be asked as one. */
function alike(waiting: readonly Bound[], harmless: boolean): Iterable<readonly number[]> {
  if (waiting.length === 1) return [[0]]
  const kinds = new Map<Statement, Map<string, number[]>>()
  const found: number[][] = []
  for (const [place, { statement, values }] of waiting.entries()) {
    const { together } = statement
    if (together === null && !harmless) {
      found.push([place])
      continue
    }
    const kind = together === null ? textOf(values) : together.alike(values)
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

function askSome(
  places: readonly number[],
  waiting: readonly Bound[],
  together: Together | null,
  send: (bound: Bound, places: readonly number[]) => Promise<Rows>,
  answers: Promise<Rows>[],
): void {
  const [first] = places
  if (places.length === 1 || together === null) {
    const sent = send(waiting[first!]!, places)
    for (const place of places) answers[place] = sent
    return
  }
  const all = places.map((place) => waiting[place]!.values)
  const sent = send(together.ask(all), places).then((rows) => together.answers(rows, all))
  for (const [index, place] of places.entries()) answers[place] = sent.then((each) => each[index]!)
}
