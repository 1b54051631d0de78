// What a run creates, written down before it is created, so that it can be removed even if the run is killed.

import { appendFileSync, readFileSync } from 'node:fs'

export interface Entry {
  readonly target: string
  readonly as: string
}

export class Journal {
  readonly #path: string
  readonly #entries: Entry[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** Before a request that creates records, whose addresses are known only afterwards. */
  begin(target: string, marks: unknown): void {
    appendFileSync(this.#path, `${JSON.stringify({ creating: target, marks })}\n`)
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`)
  }

  /** The newest first: what refers to another record comes before that. */
  entries(): readonly Entry[] {
    return this.#entries.toReversed()
  }
}

/** Returns what the journal of an earlier run has, the newest first. */
export function readJournal(path: string): readonly Entry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"target"'))
    .map((line) => JSON.parse(line) as Entry)
    .toReversed()
}
