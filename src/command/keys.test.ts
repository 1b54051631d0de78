// Keys are rotated by the command while the service runs. (contract 5.2.2)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../reference/service.ts'
import { assertRefused, runCommand } from '../../test/support/process/command.ts'
import { createDatabase, forEachEngine } from '../../test/support/server/databases.ts'
import { start } from '../index.ts'
import { keysCommand } from './keys.ts'

describe('duet keys', () => {
  forEachEngine((engine) => {
    test('shows the first key, publishes the next one, withdraws one', async (t) => {
      const database = await createDatabase(engine)
      t.after(() => database.drop())
      let now = new Date('2026-11-20T09:30:00.000Z')
      const environment = { PORT: '0', DATABASE_URL: database.url }
      await (await start(api, { environment, clock: () => now })).stop()
      const variables = { DATABASE_URL: database.url }
      const run = (...args: readonly string[]) => runCommand(keysCommand, args, { variables, now: () => now })

      const [, first] = /^(\S+) {2}signs\n$/.exec(await run()) ?? assert.fail('one key signs')
      const [, second] =
        /^(\S+) is published, and signs from 2026-11-20T09:35:00\.000Z\./.exec(await run('rotate')) ?? []
      assert.equal(await run('list'), `${first}  signs\n${second}  signs from 2026-11-20T09:35:00.000Z\n`)
      assert.match(await run('rotate'), new RegExp(`^${second} `), 'one that waits is enough')

      now = new Date('2026-11-20T09:35:00.000Z')
      assert.equal(await run(), `${first}  verifies\n${second}  signs\n`)
      assert.match(await run('remove', first!), /is withdrawn/)
      assert.equal(await run(), `${second}  signs\n`)
      await assertRefused(run('remove', first!), /^There is no key /)
    })
  })

  test('is told what it cannot do', async () => {
    const run = (args: readonly string[], variables = {}) => runCommand(keysCommand, args, { variables })
    await assertRefused(run(['turn']), /^Say list, rotate or remove, not "turn"\.$/, 2)
    await assertRefused(run(['remove']), /^The kid is missing\.$/, 2)
    const secret = { JWT_ALGORITHM: 'HS256', JWT_SECRET: 'x'.repeat(32) }
    await assertRefused(run(['rotate'], secret), /^HS256 has one secret/)
  })
})
