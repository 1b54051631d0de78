// A migration of an author is made once, however often `duet migrate apply` is killed. `MIGRATED=100000` changes that many records.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { repository, startsNothing } from '../../../test/support/process/command.ts'
import { runProcess } from '../../../test/support/process/run-process.ts'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { loggingFails, openTestStore } from '../../../test/support/server/test-store.ts'
import { start } from '../../main.ts'
import { bind, command, query, rowsOf } from '../../store/store.ts'
import { migrateCommand } from './migrate.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-test-'))
after(() => rmSync(folder, { recursive: true }))
const count = Number(process.env['MIGRATED'] ?? 600)
const kills = 5

const file = join(folder, 'service.ts')
writeFileSync(
  file,
  `import { anyone, migration, resource, service, text } from '${repository}/src/index.ts'
  import { accounts, User } from '${repository}/test/support/domain/account.ts'
  const actions = { read: { allow: anyone }, create: { allow: anyone, accept: ['title'] }, update: { allow: anyone, accept: ['title'] } }
  const Task = resource('Task', { prefix: 'task', fields: { title: text({ max: 50 }) }, actions })
  const mark = migration('2026-12-mark', async ({ asService: { records } }) => {
    let batch = []
    let batches = 0
    const make = async () => {
      const now = batch
      batch = []
      if (now.length === 0) return
      const isLast = ++batches === Number(process.env.KILLED_AT)
      await records.once('mark ' + now[0].id, async (own) => {
        for (const { id, title } of now) await own.change(Task, id, { title: title + '!' })
        if (isLast && batches % 2 === 1) process.kill(process.pid, 'SIGKILL')
      })
      if (isLast) process.kill(process.pid, 'SIGKILL')
    }
    for await (const task of records.each(Task, {})) {
      batch.push({ id: task.id, title: task.title })
      if (batch.length === 50) await make()
    }
    await make()
  })
  export default service({ resources: { User, Task }, roles: { ANY: 'everything' }, accounts, migrations: [mark] })`,
)

/** False if it was killed: amid its batch of this number, or after it if that is even. */
async function apply(url: string, killedAt?: number): Promise<boolean> {
  const entry = join(repository, 'src/command/main.ts')
  const args = ['--conditions=duet-source', entry, 'migrate', 'apply', '--service', file]
  const { code, printed } = await runProcess(process.execPath, args, folder, {
    ...process.env,
    DATABASE_URL: url,
    KILLED_AT: String(killedAt),
  })
  assert.notEqual(code, 1, printed)
  return code === 0
}

forEachEngine((engine) => {
  test('18.3.1, 18.3.2 a migration changes each record once, over kills', { timeout: 120_000 + count }, async (t) => {
    const database = await createDatabase(engine)
    const { default: definition } = await import(file)
    const running = await start(definition, { environment: { PORT: '0', DATABASE_URL: database.url } })
    await running.stop()
    const store = await openTestStore(t, database, loggingFails)
    const moment = '2026-11-20T09:30:00.000Z'
    const rows = Array.from(
      { length: count },
      (_, at) => `('task_${String(at).padStart(8, '0')}', 'T', '${moment}', '${moment}')`,
    )
    await store.write(function* () {
      while (rows.length > 0)
        yield bind(
          command(`insert into tasks (id, title, created_at, updated_at) values ${rows.splice(0, 1_000).join(', ')}`),
        )
    })
    const plan = async () => {
      const printed: string[] = []
      const variables = { DATABASE_URL: database.url }
      const write = (text: string) => void printed.push(text)
      const environment = { folder, variables, now: () => new Date(), write, note: () => {}, ...startsNothing }
      return [await migrateCommand(['plan', '--service', file], environment), printed.join('')] as const
    }
    assert.deepEqual(await plan(), [2, 'migration 2026-12-mark: to be made\n'])
    for (let kill = 1; kill <= kills; kill++) assert.equal(await apply(database.url, kill), false)
    assert.equal((await plan())[0], 2)
    assert.equal(await apply(database.url), true)
    assert.deepEqual(await plan(), [0, 'The database fits the definition: nothing to do.\n'])
    assert.equal(await apply(database.url, 1), true, 'not again')
    const titles = rowsOf(query('select title, count(*) from tasks group by title'))
    assert.deepEqual(await store.read(titles), [['T!', count]])
  })
})
