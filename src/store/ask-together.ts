// Asks statements that wait at the same time, those of one kind as one statement.

import type { Bound, StoredRow, Together } from './store.ts'

type Rows = readonly StoredRow[]

/**
 * Answers each of these with its own rows. `send` is called in the order of the first of each kind, with the places of
 * those whose statement it sends; what it rejects with, all of them reject with.
 */
export function askTogether(
  waiting: readonly Bound[],
  send: (bound: Bound, places: readonly number[]) => Promise<Rows>,
): readonly Promise<Rows>[] {
  const answers = new Array<Promise<Rows>>(waiting.length)
  for (const places of alike(waiting)) {
    const { together } = waiting[places[0]!]!.statement
    for (let next = 0; next < places.length; ) {
      const count = together?.atOnce(places.length - next) ?? 1
      askSome(places.slice(next, next + count), waiting, together, send, answers)
      next += count
    }
  }
  return answers
}

/** The places of those that can be asked as one. */
function alike(waiting: readonly Bound[]): Iterable<readonly number[]> {
  if (waiting.length === 1) return [[0]]
  const kinds = new Map<unknown, Map<string, number[]>>()
  const found: number[][] = []
  for (const [place, { statement, values }] of waiting.entries()) {
    if (statement.together === null) {
      found.push([place])
      continue
    }
    const ofStatement = kinds.getOrInsertComputed(statement, () => new Map<string, number[]>())
    const same = ofStatement.getOrInsertComputed(statement.together.alike(values), () => {
      const places: number[] = []
      found.push(places)
      return places
    })
    same.push(place)
  }
  return found
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
    answers[first!] = send(waiting[first!]!, places)
    return
  }
  const all = places.map((place) => waiting[place]!.values)
  const sent = send(together.ask(all), places).then((rows) => together.answers(rows, all))
  for (const [index, place] of places.entries()) answers[place] = sent.then((each) => each[index]!)
}
