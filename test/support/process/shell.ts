// A shell that stays, as the terminal of somebody who follows a page: its folder and its variables last.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'

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
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  let printed = ''
  let changed = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      changed.resolve()
      changed = Promise.withResolvers()
    })
  }
  return {
    async run(lines) {
      const end = randomUUID()
      printed = ''
      child.stdin.write(`${lines}\necho "${end} $?"\n`)
      for (;;) {
        const found = new RegExp(`${end} (\\d+)\n`).exec(printed)
        if (found === null) await Promise.race([changed.promise, closed.then(() => Promise.reject(new Error(printed)))])
        else if (found[1] === '0') return printed.slice(0, found.index)
        else throw new Error(`${lines}\n${printed.slice(0, found.index)}`)
      }
    },
    async close() {
      child.stdin.end()
      await closed
    },
  }
}
