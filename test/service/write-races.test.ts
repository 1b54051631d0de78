// Races of 20 writers: none is refused for another one's sake, PostgreSQL ends no deadlock, and rules, numbers and additions are kept.
// A sample of them; `RACES=all` runs every kind of write alone and in pairs, at every depth, with one and two instances.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allRaces, canRace, hookSample, sample } from '../support/race/kinds.ts'
import { type ArenaPlace, openArena } from '../support/race/race.ts'
import { depths } from '../support/race/tenants.ts'
import { forEachEngine } from '../support/server/databases.ts'

const isComplete = process.env['RACES'] === 'all'
const only = process.env['RACE'] ?? ''

const sampled: Readonly<Record<string, readonly ArenaPlace[]>> = {
  sqlite: [{ depth: 0, instances: 1, hook: false }],
  postgres: [
    { depth: 2, instances: 2, hook: false },
    { depth: 1, instances: 1, hook: true },
  ],
}

forEachEngine((engine) => {
  const arenas = isComplete
    ? depths.flatMap((depth) =>
        ([1, 2] as const)
          .filter((instances) => engine === 'postgres' || instances === 1)
          .flatMap((instances) => [false, true].map((hook): ArenaPlace => ({ depth, instances, hook }))),
      )
    : sampled[engine]!
  for (const arena of arenas)
    describe(`${arena.depth} deep in a tenant, ${arena.instances} instances${arena.hook ? ', with a hook' : ''}`, () => {
      test('5.4.5, 13.2.4, 13.3.9, 13.4.2 writes at once lose nothing, keep what rules ask, and wait for each other in one order', {
        timeout: isComplete ? 3_600_000 : 120_000,
      }, async (t) => {
        const { race, service, deadlocks, stop } = await openArena(engine, arena)
        t.after(stop)
        const races = (isComplete ? allRaces() : arena.hook ? hookSample : sample).filter((names) =>
          names.join(' / ').includes(only),
        )
        const problems: string[] = []
        for (const names of races) if (canRace(names, arena)) problems.push(...(await race(names)))
        service.assertLog()
        assert.deepEqual({ problems, deadlocks: await deadlocks() }, { problems: [], deadlocks: 0 })
      })
    })
})
