// Runs a program to its end.

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export interface Ended {
  /** What it printed, then what it complained of. */
  readonly printed: string
  readonly code: number | null
}

export async function runProcess(
  command: string,
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  // The runner's own variables would make a test of what runs here.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = environment
  const child = spawn(command, args, { cwd: folder, env })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, problems, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { printed: out + problems, code }
}
