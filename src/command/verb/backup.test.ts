// A backup that is taken beside a service that writes, and what becomes of a restored one.

import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { api } from '../../../reference/service.ts'
import { assertRefused, runCommand } from '../../../test/support/process/command.ts'
import { start } from '../../index.ts'
import { backupCommand } from './backup.ts'

describe('duet backup', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'duet-backup-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const variables = { DATABASE_URL: 'sqlite:live.db' }
  const backup = (...args: readonly string[]) => runCommand(backupCommand, args, { folder, variables })
  const startHere = (file: string) =>
    start(api, { environment: { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: `sqlite:${join(folder, file)}` } })
  const countOf = (file: string): unknown => {
    const database = new Sqlite(join(folder, file), { readonly: true })
    try {
      return database.prepare('select count(*) from filler').pluck().get()
    } finally {
      database.close()
    }
  }

  test('copies what is committed at one moment, while others go on writing', async () => {
    const service = await startHere('live.db')
    const writer = new Sqlite(join(folder, 'live.db'))
    try {
      writer.exec('create table filler (number integer primary key, text text)')
      const insert = writer.prepare('insert into filler (text) values (?)')
      const fill = writer.transaction((count: number) => {
        for (let at = 0; at < count; at++) insert.run('x'.repeat(1_000))
      })
      // More than is copied in one turn, so that something is written in between.
      fill(2_000)
      let isRunning = true
      const copied = backup('copy.db').finally(() => {
        isRunning = false
      })
      let writes = 0
      for (; isRunning; writes++) {
        fill(10)
        await new Promise((resolve) => setImmediate(resolve))
      }
      assert.match(await copied, /copy\.db has everything that was committed: [\d,]+ bytes\.\n$/)
      assert(writes > 2, `only ${writes} writes beside it`)
      const count = Number(countOf('copy.db'))
      assert(count >= 2_000 && count < 2_000 + 10 * writes && count % 10 === 0, `${count} of ${writes}`)
      assert.equal(statSync(join(folder, 'copy.db')).mode & 0o777, 0o600)
    } finally {
      writer.close()
      await service.stop()
    }
    await (await startHere('copy.db')).stop()
  })

  test('overwrites nothing, and copies no damage', async () => {
    await (await startHere('live.db')).stop()
    writeFileSync(join(folder, 'there.db'), 'somebody else')
    await assertRefused(backup('there.db'), /there\.db is there already, and is not overwritten\.$/)
    await assertRefused(backup('nowhere/copy.db'), /copy\.db\.partial cannot be made: ENOENT/)
    await assertRefused(backup(), /^The file is missing\.$/, 2)

    const database = new Sqlite(join(folder, 'live.db'))
    database.exec('create table filler (text text)')
    const insert = database.prepare('insert into filler values (hex(randomblob(500)))')
    for (let at = 0; at < 50; at++) insert.run()
    const page = database.prepare(`select max(pageno) from dbstat where name = 'filler'`).pluck().get() as number
    database.close()
    const file = openSync(join(folder, 'live.db'), 'r+')
    writeSync(file, Buffer.alloc(4096, 0xee), 0, 4096, (page - 1) * 4096)
    closeSync(file)
    await assertRefused(backup('copy.db'), /^The database is damaged, and so would be its copy: /)
    for (const left of ['copy.db', 'copy.db.partial']) assert.throws(() => statSync(join(folder, left)))
  })

  test('names the tool of a database that has its own', async () => {
    const running = runCommand(backupCommand, ['copy.db'], {
      folder,
      variables: { DATABASE_URL: 'postgres://duet:secret@db.example.com/duet' },
    })
    await assertRefused(running, /^PostgreSQL makes its own backups: pg_dump /)
  })

  test('cannot reach what another process has in memory', async () => {
    const running = runCommand(backupCommand, ['copy.db'], { folder, variables: { DATABASE_URL: 'sqlite::memory:' } })
    await assertRefused(running, /^DATABASE_URL names a database in memory/)
  })

  test('makes no database where there is none', async () => {
    await assertRefused(backup('copy.db'), /live\.db is not there/)
    assert.throws(() => statSync(join(folder, 'live.db')))
  })
})
