// A shell that stays, as the terminal of somebody who follows a page: its folder and its variables last.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { outputOf } from './output.ts'

export interface Shell {
  /** Runs these lines; answers what they print. Rejects with it where the last of them fails. */
  run(lines: string): Promise<string>
  close(): Promise<void>
}

export function openShell(folder: string, environment: Readonly<Record<string, string>>): Shell {
  // The runner's own variables would make a test of what runs here, and those of npm would bring this repository's settings.
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/i.test(name)),
  )
  const child = spawn('bash', [], { cwd: folder, env: { ...inherited, ...environment } })
  const output = outputOf(child)
  return {
    async run(lines) {
      const [start, end] = [output.text().length, randomUUID()]
      child.stdin.write(`${lines}\necho "${end} $?"\n`)
      const [printed, code] = await output.find((text) => {
        const found = new RegExp(`${end} (\\d+)\n`).exec(text)
        return found && [text.slice(start, found.index), found[1]]
      })
      if (code !== '0') throw new Error(`${lines}\n${printed}`)
      return printed
    },
    async close() {
      child.stdin.end()
      await output.end
    },
  }
}
