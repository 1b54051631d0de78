// A sample of `npm run ticks -- 200`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../support/server/databases.ts'
import { killClocks } from './ticks.ts'

forEachEngine((engine) => {
  test('14.1.2, 14.2.1 of instances that are killed, whose clocks are wrong, each move and tick happens once', {
    timeout: 240_000,
  }, async () => {
    const { moves, ticks } = await killClocks(engine, 4)
    assert(moves > 20 && ticks > 2, `${moves} moves, ${ticks} ticks`)
  })
})
