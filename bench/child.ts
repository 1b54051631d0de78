// The processes that are measured: started on the first core, ended whatever happens, and what they have taken so far.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { youngObjectsFlag } from '../src/service/start/young-objects.ts'
import { inChunks } from './chunks.ts'
import { onCore } from './load.ts'
import { sized } from './scale.ts'
import type { Ids } from './workloads.ts'

/** As in the script `start`, and with PostgreSQL as in deploy/compose.yaml, with the flag that `main` sets. */
export const asShipped = (database = ''): readonly string[] => [
  `--max-semi-space-size=${database.startsWith('postgres') ? 16 : 8}`,
  youngObjectsFlag,
]
const running = new Set<ChildProcess>()
const folder = mkdtempSync(join(tmpdir(), 'duet-bench-compiled-'))
/** What Node has compiled, for all of them to find at their next start. Duet's own programs see to that by themselves. */
const compiled = sized(folder, process.env['NODE_COMPILE_CACHE'] ?? folder)
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a program of this folder on the first core; the load comes from the second. */
export function start(
  program: string,
  parameters: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const [execPath, ...execArgv] = onCore(0, [process.execPath])
  const source = new URL(program, import.meta.url)
  const isDuet = /\/duet(-\w+)?\.ts$/.test(program)
  // Some hosts are found from where the sources are.
  const isInChunks = isDuet && environment['BENCH_HOST'] === undefined
  const child = fork(isInChunks ? inChunks(source) : source, parameters, {
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...environment },
    execPath: execPath!,
    execArgv: [
      ...execArgv,
      ...(isDuet ? asShipped(environment['BENCH_DATABASE_URL']) : []),
      ...(isInChunks ? [] : ['--conditions=duet-source']),
    ],
  })
  running.add(child)
  return child
}

/** Resolves with what the process says first. */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const [said] = (await once(child, 'message')) as [T]
  return said
}

/** Starts it for the second time, as it starts ever after: the first one compiles it. Resolves with what it says first. */
export async function startAgain<T>(
  ...how: Parameters<typeof start>
): Promise<{ readonly child: ChildProcess; readonly said: T }> {
  for (let time = 0; time < sized(1, 0); time++) {
    const first = start(...how)
    await messageOf(first)
    await stop(first)
  }
  const child = start(...how)
  return { child, said: await messageOf<T>(child) }
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
  running.delete(child)
}

/** Resident memory in megabytes; 0 where the system does not tell. */
export function megabytes({ pid }: ChildProcess): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)
  } catch {
    // Only Linux tells it here.
    return 0
  }
}

/** Time on a processor so far, user and system, in milliseconds, to a hundredth of a second; 0 where the system does not tell. */
export function cpuMs({ pid }: { readonly pid?: number | undefined }): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    // Only Linux tells it here.
    return 0
  }
}

/** Starts the reference service on this database; the first one fills it. */
export function startDuet(database: string): ChildProcess {
  return start('contenders/duet.ts', [], { BENCH_DATABASE_URL: database })
}

/** A process of its own fills the database, so that the memory of the one that is measured is what serving takes. */
export async function fill(database: string): Promise<Ids> {
  const filler = startDuet(database)
  const { postIds, authorIds } = await messageOf<Ids>(filler)
  await stop(filler)
  return { postIds, authorIds }
}
