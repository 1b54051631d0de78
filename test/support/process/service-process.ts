// A service in a process of its own, for tests that kill it, or start it as its users do.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ServiceProcess {
  /** Where it listens; asked again, where it listens after the next restart. Rejects with all it printed where it ends. */
  listening(): Promise<string>
  /** Resolves once it has printed this. Rejects like `listening`. */
  printing(text: string): Promise<void>
  /** Sends the signal and waits for the end; answers the exit code, or null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** All that it printed so far. */
  readonly printed: () => string
}

export interface ProcessOptions {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Another runtime than this one. */
  readonly program?: string
  /** How many files it may have open; as many as this process unless said. */
  readonly openFiles?: number
}

/** Starts Node with these arguments. The service must listen on port 0 and print its welcome. */
export function startProcess(
  args: readonly string[],
  { folder, environment, program = process.execPath, openFiles }: ProcessOptions,
): ServiceProcess {
  // The runner's own variables would make a test of what this process starts.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const options = { cwd: folder, env: { ...inherited, PORT: '0', ...environment } }
  const child =
    openFiles === undefined
      ? spawn(program, args, options)
      : spawn('sh', ['-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, program, ...args], options)
  const closed = once(child, 'close') as Promise<[number | null]>
  let printed = ''
  let lineCount = 0
  let changed = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      changed.resolve()
      changed = Promise.withResolvers()
    })
  }

  async function listening(): Promise<string> {
    let isOver = false
    const over = closed.then(() => {
      isOver = true
    })
    for (;;) {
      const addresses = [...printed.matchAll(/Duet is listening on (\S+)\n/g)]
      const address = addresses[lineCount]?.[1]
      if (address !== undefined) {
        lineCount++
        return address
      }
      if (isOver) throw new Error(`The service has ended:\n${printed}`)
      await Promise.race([changed.promise, over])
    }
  }

  async function printing(text: string): Promise<void> {
    let isOver = false
    const over = closed.then(() => {
      isOver = true
    })
    while (!printed.includes(text)) {
      if (isOver) throw new Error(`The service has ended:\n${printed}`)
      await Promise.race([changed.promise, over])
    }
  }

  return {
    listening,
    printing,
    printed: () => printed,
    async end(signal) {
      child.kill(signal)
      const [code] = await closed
      return code
    },
  }
}
