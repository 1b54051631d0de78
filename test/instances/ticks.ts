// Kills instances whose clocks are five minutes apart, and counts what the clock did: `npm run ticks -- 200`.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { defaultLimits } from '../../src/limits.ts'
import { openForReading } from '../../src/service/open/open-store.ts'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { repository } from '../support/process/command.ts'
import { createDatabase } from '../support/server/databases.ts'

/** Rows of the database at rest. */
async function readRows(url: string, ...texts: readonly string[]): Promise<readonly (readonly StoredRow[])[]> {
  const store = await openForReading(url, { limits: defaultLimits, log: { warn() {}, error() {} } })
  try {
    const all = []
    for (const text of texts)
      all.push(
        await store.read(
          (function* (): Program<readonly StoredRow[]> {
            return yield bind(query(text))
          })(),
        ),
      )
    return all
  } finally {
    await store.close()
  }
}

async function startOne(url: string, environment: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const args = ['--conditions=duet-source', 'test/support/process/clock-main.ts']
  const env = { ...process.env, ...environment, DATABASE_URL: url, NODE_ENV: 'test' }
  const child = spawn(process.execPath, args, { cwd: repository, env, stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(() => assert.fail('an instance ended at its start')),
  ])
  child.stdout!.resume()
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Fails if a move or a tick happened twice, or not at all. Returns how many there were. */
export async function killClocks(kills: number): Promise<{ readonly moves: number; readonly ticks: number }> {
  const database = await createDatabase('postgres')
  const shifts = [0, 300_000, -300_000]
  const first = Date.now()
  const start = (place: number) =>
    startOne(database.url, { SHIFT_MS: String(shifts[place]), ...(place === 0 ? { MAKES: 'yes' } : {}) })
  const running: ChildProcess[] = []
  try {
    for (const place of shifts.keys()) running.push(await start(place))
    for (let kill = 0; kill < kills; kill++) {
      await new Promise((resolve) => setTimeout(resolve, randomInt(100, 1_500)))
      const place = randomInt(shifts.length)
      await end(running[place]!)
      running[place] = await start(place)
    }
    const unfinished = `select (select count(*) from jobs where status = 'waiting') + (select count(*) from duet_reaction_task)`
    // Without the one that makes more.
    await end(running[0]!)
    running[0] = await startOne(database.url, { SHIFT_MS: String(shifts[0]) })
    for (let look = 0; Number((await readRows(database.url, unfinished))[0]![0]![0]) > 0; look++) {
      assert(look < 600, 'something is never done')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const [jobs, traces] = await readRows(database.url, 'select id, runs from jobs', 'select what from traces')
    const counts = Map.groupBy(traces!, ([what]) => String(what))
    for (const [id, runs] of jobs!) assert.deepEqual([Number(runs), counts.get(String(id))?.length], [1, 1], String(id))
    const ticks = [...counts.keys()].filter((what) => what.includes('T') && !what.startsWith('job')).sort()
    for (const tick of ticks) assert.equal(counts.get(tick)!.length, 1, tick)
    const minutes = ticks.map((tick) => Date.parse(tick) / 60_000)
    assert(
      minutes.every((minute, at) => at === 0 || minute === minutes[at - 1]! + 1),
      'a tick is missing',
    )
    assert(ticks.length <= (Date.now() - first) / 60_000 + 2)
    return { moves: jobs!.length, ticks: ticks.length }
  } finally {
    for (const child of running) if (child.exitCode === null) child.kill('SIGKILL')
    await database.drop()
  }
}

if (import.meta.main) {
  const kills = Number(process.argv[2] ?? 20)
  const { moves, ticks } = await killClocks(kills)
  process.stdout.write(`${kills} kills, ${moves} moves and ${ticks} ticks, each once.\n`)
}
