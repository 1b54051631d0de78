import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { repository, startsNothing } from '../../../test/support/process/command.ts'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { start } from '../../main.ts'
import { migrateCommand } from './migrate.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-test-'))
after(() => rmSync(folder, { recursive: true }))

/** A service with these fields of a task, in a file of its own. */
let files = 0
function serviceFile(fields: string, accept: string, more = ''): string {
  const path = join(folder, `service-${files++}.ts`)
  writeFileSync(
    path,
    `import { anyone, integer, is, optional, resource, service, text } from '${repository}/src/index.ts'
    import { accounts, User } from '${repository}/test/support/domain/account.ts'
    const Task = resource('Task', { prefix: 'task', fields: { ${fields} }, actions: { read: { allow: anyone }, create: { allow: anyone, accept: ${accept} } }${more} })
    export default service({ resources: { User, Task }, roles: { ANY: 'everything' }, accounts })`,
  )
  return path
}

forEachEngine((engine) => {
  test('18.1.2, 18.1.3, 18.1.4, 18.1.5, 18.1.11 plans, applies, puts aside and purges', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    async function run(...args: readonly string[]): Promise<readonly [exitCode: number, text: string]> {
      const printed: string[] = []
      const environment = {
        folder: repository,
        variables: { DATABASE_URL: database.url },
        now: () => new Date(),
        write: (text: string) => void printed.push(text),
        note: () => {},
        ...startsNothing,
      }
      return [await migrateCommand(args, environment), printed.join('')]
    }
    const former = serviceFile('title: text({ max: 50 }), note: text({ max: 50 })', "['title', 'note']")
    const { default: definition } = await import(former)
    const running = await start(definition, { environment: { PORT: '0', DATABASE_URL: database.url } })
    await running.asService.records.create(definition.resources.Task, { title: 'One', note: 'First' })
    assert.deepEqual(await run('plan', '--service', former), [0, 'The database fits the definition: nothing to do.\n'])

    const next = serviceFile(
      'title: text({ max: 50 }), level: integer({ default: 3 })',
      "['title']",
      ", sort: ['level']",
    )
    const [exitCode, text] = await run('plan', '--service', next)
    assert.equal(exitCode, 3)
    assert.match(
      text,
      /^Task\.level: new field\n {4}alter table "tasks" add column "level" integer not null default 3;$/m,
    )
    assert.match(text, engine === 'sqlite' ? /^ {4}create index "/m : /^ {4}create index concurrently "/m)
    assert.match(text, /LOSS {4}tasks\.note: duet migrate apply --finish --accept-loss tasks\.note/)
    const [, json] = await run('plan', '--json', '--service', next)
    const { changes, problems } = JSON.parse(json)
    assert.deepEqual(problems, [])
    assert.equal(changes.find((each: { loss: string | null }) => each.loss !== null).rows, 1)

    const sql = join(folder, `sql-${engine}`)
    await run('plan', '--sql', sql, '--service', next)
    const files = readdirSync(sql)
    const [first, removal] = [files[0]!, files.find((name) => name.endsWith('-tasks-note-removed-field.sql'))!]
    assert.equal(first, '01-task-level-new-field.sql')
    assert.match(
      readFileSync(join(sql, first), 'utf8'),
      /^-- Task\.level: new field\n-- locks: .*\n-- older: .*\n-- undo: .*\nalter table "tasks" add column "level" integer not null default 3;\n$/,
    )
    assert.match(readFileSync(join(sql, removal), 'utf8'), /^-- LOSS: tasks\.note$/m)
    const [, before] = await run('status', '--service', next)
    assert.match(before, /^INDEX {4}tasks_level_\S+: not built$/m)
    if (engine === 'postgres') assert.match(before, /^0 instances of this version run, and 1 of others\.$/m)

    assert.equal((await run('apply', '--service', next))[0], 3)
    await running.asService.records.create(definition.resources.Task, { title: 'Two', note: 'Second' })
    assert.equal((await run('plan', '--service', next))[0], 3)
    await running.stop()
    const [, left] = await run('apply', '--finish', '--service', next)
    assert.match(left, /LEFT {2}"tasks"\."note": removed field\. It takes --accept-loss tasks\.note/)
    assert.equal((await run('apply', '--finish', '--accept-loss', 'tasks.note', '--service', next))[0], 0)
    assert.deepEqual(await run('plan', '--service', next), [0, 'The database fits the definition: nothing to do.\n'])
    const [, after] = await run('status', '--service', next)
    assert.match(after, /^REMOVED {2}tasks\.note: stays seven days$/m)
    assert.doesNotMatch(after, /INDEX/)
    assert.deepEqual(await run('purge', '--accept-loss', 'tasks.note', '--service', next), [
      0,
      'tasks.note was removed less than seven days ago, and stays.\n',
    ])
    const { default: newer } = await import(next)
    await (await start(newer, { environment: { PORT: '0', DATABASE_URL: database.url } })).stop()
  })
})
