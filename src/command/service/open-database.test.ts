import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertRefused, repository, runCommand } from '../../../test/support/process/command.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../../../test/support/server/databases.ts'
import { startTestService, type TestService } from '../../../test/support/server/service.ts'
import { adminCommand } from '../verb/admin.ts'
import { explainCommand } from '../verb/explain.ts'
import { keysCommand } from '../verb/keys.ts'
import { reactionsCommand } from '../verb/reactions.ts'
import { usageCommand } from '../verb/usage.ts'
import type { Command } from './command.ts'

const service = ['--service', join(repository, 'reference/service.ts')]
/** Every command that opens a database, as it is used. */
const commands: Readonly<Record<string, readonly [Command, readonly string[]]>> = {
  admin: [adminCommand, ['admin@example.com', ...service]],
  explain: [explainCommand, ['--as', 'anonymous', 'GET', '/api/v2/posts', ...service]],
  keys: [keysCommand, []],
  reactions: [reactionsCommand, []],
  usage: [usageCommand, service],
}

describe('a command that opens a database', () => {
  for (const [name, [command, args]] of Object.entries(commands)) {
    test(`makes none where there is none: ${name}`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
      t.after(() => rm(folder, { recursive: true }))
      const notes: string[] = []
      const run = (variables: Record<string, string>) =>
        runCommand(command, args, { folder, variables, note: (text) => void notes.push(text) })
      const why = 'start the service first, or set DATABASE_URL to the database that it uses.'
      await assertRefused(run({}), new RegExp(`^The file ${folder}/data/duet\\.db is not there: ${why}$`))
      assert.deepEqual(notes, [`Database: ${folder}/data/duet.db, SQLite (DATABASE_URL is not set)\n`])
      await assertRefused(run({ DATABASE_URL: 'sqlite:other.db' }), /^The file \S+other\.db is not there: /)
      assert.deepEqual(readdirSync(folder), [])
    })
  }

  forEachEngine((engine) => {
    let running: TestService
    let empty: TestDatabase
    before(async () => {
      running = await startTestService(engine)
      empty = await createDatabase(engine)
      if (engine === 'sqlite') writeFileSync(empty.url.slice('sqlite:'.length), '')
    })
    after(async () => {
      await running.stop()
      await empty.drop()
    })

    for (const [name, [command, args]] of Object.entries(commands)) {
      test(`refuses one without tables of Duet, and makes none: ${name}`, async () => {
        const run = () => runCommand(command, args, { variables: { DATABASE_URL: empty.url } })
        await assertRefused(run(), /^The database has no tables of Duet: start the service first/)
        await assertRefused(run(), /^The database has no tables of Duet: /)
      })

      test(`names it beside the answer: ${name}`, async () => {
        const url = running.databaseUrl
        const notes: string[] = []
        const note = (text: string) => void notes.push(text)
        const answer = await runCommand(command, args, { variables: { DATABASE_URL: url }, note, now: running.now })
        const file = url.slice('sqlite:'.length)
        const shown =
          engine === 'sqlite'
            ? `${file}, SQLite`
            : `${new URL(url).pathname.slice(1)} at ${new URL(url).host}, PostgreSQL`
        assert.deepEqual(notes, [`Database: ${shown}\n`])
        assert.ok(answer !== '' && !answer.includes('Database:'))
      })
    }
  })
})

test('the name of a database reveals no user and no password', async () => {
  const notes: string[] = []
  const variables = { DATABASE_URL: 'postgres://ada:se%40cret@127.0.0.1:1/shop?password=hidden' }
  const note = (text: string) => void notes.push(text)
  await assertRefused(runCommand(keysCommand, [], { variables, note }), /^DATABASE_URL names the database shop at 127/)
  assert.deepEqual(notes, ['Database: shop at 127.0.0.1:1, PostgreSQL\n'])
})
