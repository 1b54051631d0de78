// Another instance in a process of its own, on the database of a test service, its clock standing where that one's stands.
// Started by node itself, this file is that process.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startInstance } from '../server/instance.ts'
import type { TestService } from '../server/service.ts'
import { programArguments } from './program.ts'

export interface InstanceProcess {
  readonly url: string
  stop(): Promise<void>
  /** As `kill -9`: in the middle of whatever it does. */
  kill(): Promise<void>
}

export async function startInstanceProcess({ databaseUrl, now }: TestService): Promise<InstanceProcess> {
  const args = [...programArguments('test/support/process/instance-process.ts'), databaseUrl, now().toISOString()]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for await (const line of createInterface(child.stdout)) {
    return {
      url: line,
      async stop() {
        // It goes when its input has ended, also when this process is gone.
        child.stdin.end()
        await exited
      },
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
  }
  throw new Error('The instance did not start.')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , databaseUrl, start] = process.argv as [string, string, string, string]
  const instance = await startInstance({ databaseUrl, now: () => new Date(start) })
  process.stdout.write(`${instance.url}\n`)
  process.stdin.resume().once('end', () => void instance.stop())
}
