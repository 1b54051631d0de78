// A service in a process of its own, for tests that kill it, or start it as its users do.

import { type ChildProcess, spawn } from 'node:child_process'
import { dataKey } from '../server/data-key.ts'
import { outputOf } from './output.ts'

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

const running = new Set<ChildProcess>()
// None outlives the tests, however they end.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts Node with these arguments. The service must listen on port 0 and print its welcome. */
export function startProcess(
  args: readonly string[],
  { folder, environment, program = process.execPath, openFiles }: ProcessOptions,
): ServiceProcess {
  // The runner's own variables would make a test of what this process starts.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const options = { cwd: folder, env: { ...inherited, PORT: '0', DATA_KEY: dataKey, ...environment } }
  const child =
    openFiles === undefined
      ? spawn(program, args, options)
      : spawn('sh', ['-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, program, ...args], options)
  running.add(child)
  child.on('exit', () => running.delete(child))
  const output = outputOf(child)
  let lineCount = 0
  return {
    async listening() {
      const address = await output.find(
        (text) => [...text.matchAll(/Duet is listening on (\S+)\n/g)][lineCount]?.[1] ?? null,
      )
      lineCount++
      return address
    },
    async printing(text) {
      await output.find((all) => all.includes(text) || null)
    },
    printed: output.text,
    async end(signal) {
      child.kill(signal)
      return output.end
    },
  }
}
