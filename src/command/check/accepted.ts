// Accepted findings: a file with one id per line, `*` for any part, a reason after `#`.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError } from '../service/command.ts'

export class Accepted {
  readonly #patterns: readonly { readonly text: string; readonly matches: RegExp }[]
  readonly #used = new Set<string>()

  constructor(text: string) {
    const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim())
    this.#patterns = lines.filter((line) => line !== '').map((line) => ({ text: line, matches: patternOf(line) }))
  }

  has(id: string): boolean {
    const found = this.#patterns.filter(({ matches }) => matches.test(id))
    for (const { text } of found) this.#used.add(text)
    return found.length > 0
  }

  /** Ids without a finding: obsolete or misspelt. */
  get unused(): readonly string[] {
    return this.#patterns.flatMap(({ text }) => (this.#used.has(text) ? [] : [text]))
  }
}

const patternOf = (line: string): RegExp =>
  new RegExp(`^${line.replaceAll(/[^\w*]/g, String.raw`\$&`).replaceAll('*', '.*')}$`)

/** Fails with CommandError if the file cannot be read. */
export async function readAccepted(file: string | undefined, folder: string): Promise<Accepted> {
  if (file === undefined) return new Accepted('')
  try {
    return new Accepted(await readFile(resolve(folder, file), 'utf8'))
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${(cause as Error).message}.`, { exitCode: 2, cause })
  }
}
