// Keys are rotated by the command while the service runs. (contract 5.2.2)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { vault } from '../../../test/support/domain/vault.ts'
import { assertRefused, runCommand } from '../../../test/support/process/command.ts'
import { dataKey } from '../../../test/support/server/data-key.ts'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { withService } from '../../../test/support/server/service.ts'
import { createDataCipher } from '../../encryption/data-cipher.ts'
import { start } from '../../index.ts'
import { keysCommand } from './keys.ts'

describe('duet keys', () => {
  forEachEngine((engine) => {
    test('shows the first key, publishes the next one, withdraws one', async (t) => {
      const database = await createDatabase(engine)
      t.after(() => database.drop())
      let now = new Date('2026-11-20T09:30:00.000Z')
      const environment = { PORT: '0', LOG_LEVEL: 'error', DATA_KEY: dataKey, DATABASE_URL: database.url }
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

  test('reports what it cannot do', async () => {
    const run = (args: readonly string[], variables = {}) => runCommand(keysCommand, args, { variables })
    await assertRefused(run(['turn']), /^Use list, rotate, remove or reencrypt, not "turn"\.$/, 2)
    await assertRefused(run(['remove']), /^The kid is missing\.$/, 2)
    const secret = { JWT_ALGORITHM: 'HS256', JWT_SECRET: 'x'.repeat(32) }
    await assertRefused(run(['rotate'], secret), /^HS256 has one secret/)
  })
})

const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]
withService(
  'duet keys reencrypt',
  (service) => {
    const run = (DATA_KEY: string | undefined) =>
      runCommand(keysCommand, ['reencrypt', '--service', 'test/support/domain/vault.ts'], {
        variables: { DATABASE_URL: service().databaseUrl, ...(DATA_KEY === undefined ? {} : { DATA_KEY }) },
      })
    const stored = async () => (await service().tables('hooks')).map((row) => row.join(' '))

    test('11.4.1 writes all secrets with the first key, so that the former one can go', async () => {
      const fixtures = service().fixtures({ ann: { User: {} } })
      const names = Array.from({ length: 203 }, (_, at) => `h${at}`)
      for (const name of names)
        await service().send('POST /api/v1/hooks', { as: '{ann}', fixtures, body: { name, key: `key of ${name}` } })
      const before = await stored()
      await assertRefused(run(undefined), /^DATA_KEY is not set/)
      await assertRefused(run(second), /^DATA_KEY lacks the key [0-9a-f]{8}, with which key of hook_/)
      assert.deepEqual(await stored(), before, 'what was refused has changed nothing')

      assert.match(await run(`${second},${first}`), /^203 values are encrypted/)
      const ids = (await stored()).map((row) => /\bhook_\w+/.exec(row)![0])
      assert.equal(new Set(ids).size, 203)
      // Once more, with the new key alone: nothing is left of the former.
      assert.match(await run(second), /^0 values are encrypted/)
      const cipher = createDataCipher([Buffer.from(second, 'base64')])
      for (const row of await stored()) {
        const [id] = /\bhook_\w+/.exec(row)!
        const [text] = /\b[0-9a-f]{8}\.[\w-]+/.exec(row)!
        assert.match(cipher.decrypt(text, `key of ${id}`), /^key of h\d+$/)
      }
    })
  },
  { definition: vault, environment: { DATA_KEY: first } },
)
