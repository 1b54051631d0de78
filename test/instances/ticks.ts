// Kills instances whose clocks are wrong, and counts what the clock did.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { defaultLimits } from '../../src/limits.ts'
import { openForReading } from '../../src/service/open/open-store.ts'
import { bind, type Engine, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { until } from '../support/check/until.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { createDatabase } from '../support/server/databases.ts'

/** By how much the clocks of instances are wrong. On PostgreSQL the database's clock decides; SQLite has one process. */
const shiftsMs = { postgres: [0, 300_000, -300_000], sqlite: [300_000] } as const satisfies Record<Engine, object>
const tickMs = 1_000

export interface ClockWork {
  readonly moves: number
  readonly ticks: number
}

/** Fails if a move or a tick happened twice, or not at all. Returns how many there were. */
export async function killClocks(engine: Engine, kills: number): Promise<ClockWork> {
  const database = await createDatabase(engine)
  const shifts = shiftsMs[engine]
  const start = (place: number, makes = place === 0) =>
    startOne(database.url, { SHIFT_MS: String(shifts[place]), ...(makes ? { MAKES: 'yes' } : {}) })
  const running: ChildProcess[] = []
  try {
    for (const place of shifts.keys()) running.push(await start(place))
    for (let kill = 0; kill < kills; kill++) {
      await new Promise((resolve) => setTimeout(resolve, randomInt(100, 1_500)))
      const place = randomInt(shifts.length)
      await end(running[place]!)
      running[place] = await start(place)
    }
    const count = async (question: string) => Number((await readRows(database.url, question))[0]![0])
    await until(async () => (await count('select count(*) from jobs')) > 5 * kills)
    // Without the one that makes more.
    await end(running[0]!)
    running[0] = await start(0, false)
    const unfinished = `select (select count(*) from jobs where status = 'waiting') + (select count(*) from duet_reaction_task)`
    await until(async () => (await count(unfinished)) === 0)
    const jobs = await readRows(database.url, 'select id, runs from jobs')
    const traces = (await readRows(database.url, 'select what from traces')).map(([what]) => String(what))
    return countOnce(
      jobs.map(([id, runs]) => ({ id: String(id), runs: Number(runs) })),
      traces,
    )
  } finally {
    for (const child of running) if (child.exitCode === null) child.kill('SIGKILL')
    await database.drop()
  }
}

function countOnce(
  jobs: readonly { readonly id: string; readonly runs: number }[],
  traces: readonly string[],
): ClockWork {
  const counts = Map.groupBy(traces, (what) => what)
  for (const { id, runs } of jobs) assert.deepEqual([runs, counts.get(id)?.length], [1, 1], id)
  const ticks = [...counts.keys()].filter((what) => !what.startsWith('job')).sort()
  for (const tick of ticks) assert.equal(counts.get(tick)!.length, 1, tick)
  const times = ticks.map((tick) => Date.parse(tick))
  for (const [index, time] of times.entries())
    assert(index === 0 || time === times[index - 1]! + tickMs, `a tick is missing before ${ticks[index]}`)
  return { moves: jobs.length, ticks: ticks.length }
}

async function startOne(
  url: string,
  environment: Readonly<Record<string, string>>,
  attempts = 5,
): Promise<ChildProcess> {
  const args = programArguments('test/support/process/clock-main.ts')
  const env = { ...process.env, ...environment, DATABASE_URL: url, NODE_ENV: 'test' }
  const child = spawn(process.execPath, args, { cwd: repository, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const isListening = await Promise.race([
    once(child.stdout!, 'data').then(() => true),
    once(child, 'exit').then(() => false),
  ])
  // On a busy machine, a database answers too late: what supervises instances starts another one.
  if (!isListening) return attempts > 1 ? startOne(url, environment, attempts - 1) : assert.fail('no instance starts')
  child.stdout!.resume()
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function readRows(url: string, text: string): Promise<readonly StoredRow[]> {
  const store = await openForReading(url, { limits: defaultLimits, log: { warn() {}, error() {} } })
  try {
    return await store.read(
      (function* (): Program<readonly StoredRow[]> {
        return yield bind(query(text))
      })(),
    )
  } finally {
    await store.close()
  }
}
