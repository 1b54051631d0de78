// An apply that is killed at any step goes on where it was. `KILLS=50` kills that many on each database.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { type Definition, modelFor } from '../../../../test/support/process/applying-process.ts'
import { programArguments } from '../../../../test/support/process/program.ts'
import { forEachMigration } from '../../../../test/support/server/migration.ts'
import { migrationTables } from '../notes.ts'

const kills = Number(process.env['KILLS'] ?? 5)
const program = programArguments('test/support/process/applying-process.ts')

/** Kills it when it has printed so many lines; returns whether it ended before. */
async function applyUntil(url: string, definition: Definition, linesMax: number): Promise<boolean> {
  const child = spawn(process.execPath, [...program, url, definition], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let lines = 0
  let isDone = false
  for await (const line of createInterface(child.stdout)) {
    if (line === 'done') isDone = true
    if (++lines === linesMax) child.kill('SIGKILL')
  }
  assert.notEqual(await ended, 1, 'it has failed')
  return isDone
}

forEachMigration(({ database, insert, moment, run, start }) => {
  test(`18.1.6 goes on after ${kills} kills`, { timeout: 30_000 + kills * 4_000 }, async () => {
    await start(modelFor('former'), [migrationTables])
    const rows = Array.from(
      { length: 2_500 },
      (_, at) => `('thing_${at}', 'Ship ${at}', 'N${at}', '${moment}', '${moment}')`,
    )
    await run(`insert into things (id, title, note, created_at, updated_at) values ${rows.join(', ')}`)
    let definition: Definition = 'next'
    let ends = 0
    for (let kill = 0, linesMax = 1; kill < kills || ends === 0; kill++, linesMax++) {
      const isDone = await applyUntil(
        database().url,
        definition,
        kill < kills ? linesMax * 2 : Number.POSITIVE_INFINITY,
      )
      if (!isDone) continue
      ends++
      linesMax = 0
      assert.deepEqual(await start(modelFor(definition), [migrationTables]), [])
      if (definition === 'next') {
        const missing = `select count(*) from things where title__words not like '% ship %' or note__folded <> lower(note)`
        assert.deepEqual(await run(missing), [[0]])
        await assert.rejects(
          insert('thing_x', { title: 'X', title__words: ' x ', note: 'n7', note__folded: 'n7' }),
          /has this value already/,
        )
      }
      definition = definition === 'next' ? 'former' : 'next'
    }
    assert.deepEqual(await run('select count(*) from things'), [[2_500]])
  })
})
