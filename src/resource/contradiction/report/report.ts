// Formats contradictions: one sentence with place, problem and remedy.

/** `where` is a resource, field or action; the remedy is an instruction to the author. */
export type Report = (where: string, problem: string, remedy: string) => void

export function reporter(sentences: string[]): Report {
  return (where, problem, remedy) => {
    const sentence = `${where}: ${problem}; ${remedy}.`
    if (!sentences.includes(sentence)) sentences.push(sentence)
  }
}

/** The nearest name, or all. */
export function instead(name: string, names: Iterable<string>): string {
  const all = [...names]
  const near = nearest(name, all)
  if (near !== null) return `write ${near} instead`
  return all.length === 0 ? 'strike it' : `write ${joinNames(all, 'or')} instead`
}

/** Null if none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  const [near] = names
    .map((each) => ({ each, distance: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.min(name.length, each.length) / 3))
    .sort((left, right) => left.distance - right.distance)
  return near?.each ?? null
}

export function joinNames(names: readonly string[], last: 'and' | 'or'): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`
}

export function distinct(
  claims: Iterable<readonly [name: string, owner: string]>,
  reportName: (name: string, first: string, second: string) => void,
): void {
  const owners = new Map<string, string>()
  for (const [name, owner] of claims) {
    const first = owners.get(name)
    if (first === undefined) owners.set(name, owner)
    else reportName(name, first, owner)
  }
}

/** The edit distance, counting swapped neighbours as one. */
function distance(from: string, to: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1]
    for (let at = 0; at < to.length; at++) {
      const change = row[at]! + (from[index] === to[at] ? 0 : 1)
      const isSwapped = from[index] === to[at - 1] && from[index - 1] === to[at]
      const swap = isSwapped ? before[at - 1]! + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(change, swap, row[at + 1]! + 1, next[at]! + 1))
    }
    before = row
    row = next
  }
  return row.at(-1)!
}
