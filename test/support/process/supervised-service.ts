// The reference service as an operator runs it: a process on a fixed port, in production's mode and with demo accounts, that
// is started again whenever it has ended.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { dataKey } from '../server/data-key.ts'
import { freePort } from '../server/free-port.ts'
import { repository } from './command.ts'
import { programArguments } from './program.ts'

/** A line of its log, with the moment at which it was read. */
export interface LogMessage {
  readonly at: number
  readonly level: string
  readonly msg: string
  readonly line: string
}

export interface Supervised {
  readonly url: string
  /** The latest process; a number that a restart changes. */
  readonly pid: number
  /** Everything that all its processes said. */
  readonly messages: readonly LogMessage[]
  /** When a process ended that nobody had ended, and how. */
  readonly crashes: readonly string[]
  /** Starts it, as often as it takes: without a database it cannot start. Resolves once it answers. */
  start(): Promise<void>
  /** Sends the signal and waits for the end; answers the exit code, null where the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** What its demo accounts sign in with: production refuses the published password. */
export const supervisedPassword = 'words of these tests alone'

/** Longer than anything that a start may wait for. */
const startMs = 60_000

export async function createSupervised(environment: Readonly<Record<string, string>>): Promise<Supervised> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const messages: LogMessage[] = []
  const crashes: string[] = []
  let child: ChildProcess | null = null
  let wanted = false
  let ended: Promise<number | null> = Promise.resolve(null)

  const lastWords = () =>
    messages
      .slice(-5)
      .map(({ line }) => line)
      .join('\n')
  function spawnOnce(): ChildProcess {
    const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
    const own = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: `${port}`,
      DATA_KEY: dataKey,
      DRAIN_SECONDS: '1',
      DEMO_DATA: 'on',
      DEMO_PASSWORD: supervisedPassword,
    }
    const env = { ...inherited, ...own, ...environment }
    const started = spawn(process.execPath, programArguments('reference/main.ts'), { cwd: repository, env })
    for (const stream of [started.stdout, started.stderr]) {
      createInterface(stream).on('line', (line) => messages.push({ at: Date.now(), ...read(line), line }))
    }
    ended = once(started, 'close').then(([code]) => code as number | null)
    return started
  }
  /** False where it ended before it answered. Fails where it does neither. */
  async function answers(started: ChildProcess): Promise<boolean> {
    const giveUpAt = Date.now() + startMs
    while (started.exitCode === null && started.signalCode === null) {
      if (Date.now() > giveUpAt) throw new Error(`It neither answers nor ends:\n${lastWords()}`)
      const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
      await answer?.body?.cancel()
      if (answer?.status === 200) return true
      await wait(50)
    }
    return false
  }

  return {
    url,
    messages,
    crashes,
    get pid() {
      return child?.pid ?? 0
    },
    async start() {
      wanted = true
      for (let attempt = 0; wanted; attempt++) {
        if (attempt === 100) throw new Error(`It does not start:\n${lastWords()}`)
        const started = spawnOnce()
        child = started
        if (await answers(started)) {
          started.once('exit', (code, signal) => {
            if (wanted) crashes.push(`${url} ended by itself with ${code ?? signal}`)
          })
          return
        }
        await wait(200)
      }
    },
    async end(signal) {
      wanted = false
      child?.kill(signal)
      return ended
    },
  }
}

function read(line: string): Pick<LogMessage, 'level' | 'msg'> {
  try {
    const { level, msg } = JSON.parse(line) as Record<string, unknown>
    return { level: String(level), msg: String(msg) }
  } catch {
    // Why it could not start is told in words.
    return { level: 'text', msg: line }
  }
}
