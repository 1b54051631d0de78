// Whose rights a changed definition widens or narrows, and for how many records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  anyOf,
  anyone,
  atLeast,
  bigint,
  choice,
  date,
  decimal,
  may,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  text,
  timestamp,
  when,
} from 'duet-api'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { loggingFails, openTestStore } from '../../../test/support/server/test-store.ts'
import { start } from '../../main.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { bind, command } from '../../store/store.ts'
import { compileService } from '../start/compile-service.ts'
import { recordedRights } from '../start/recorded-definition.ts'
import { compareRights, rightsSentence } from './compare-rights.ts'

interface Rules {
  readonly read?: unknown
  readonly update?: unknown
  readonly remove?: unknown
  readonly note?: unknown
  readonly verbs?: readonly string[]
  readonly fields?: object
}
const role = choice(['ANY', 'STAFF'], { default: 'ANY' })
const usual = {
  title: text({ max: 50 }),
  note: text({ max: 50 }),
  status: choice(['DRAFT', 'PUBLIC']),
  owner: one('User'),
}

function definitionOf({ read, update, remove, note, verbs = ['edit'], fields = usual }: Rules) {
  const User = resource('User', {
    prefix: 'usr',
    fields: { ...accountFields, role },
    actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['email', 'password'] } },
  })
  const Task = resource('Task', {
    prefix: 'task',
    fields,
    ...(note === undefined ? {} : { protect: { note: { read: note } } }),
    actions: {
      read: { allow: read ?? own('owner') },
      create: { allow: signedIn, accept: ['title', 'note', 'status', 'owner'].filter((each) => each in fields) },
      update: { allow: update ?? may('edit'), accept: ['title'] },
      ...(remove === undefined ? {} : { delete: { allow: remove } }),
    },
  } as never)
  const roles = { ANY: {}, STAFF: { tasks: verbs } }
  return service({ resources: { User, Task }, roles, accounts } as never)
}

forEachEngine((engine) => {
  test('18.2.1, 18.2.2 names each rule that changes, for whom, and for how many records', async (t) => {
    const database = await createDatabase(engine)
    const former = definitionOf({})
    const running = await start(former, { environment: { PORT: '0', DATABASE_URL: database.url } })
    const { records } = running.asService as never as {
      records: { create(of: unknown, values: object): Promise<{ id: string }> }
    }
    const { User, Task } = (former as never as { resources: { User: unknown; Task: unknown } }).resources
    const owner = (await records.create(User, { email: 'a@example.com', password: 'secret secret' })).id
    for (const status of ['DRAFT', 'PUBLIC', 'PUBLIC'])
      await records.create(Task, { title: status, note: '-', status, owner })
    await running.stop()
    const store = await openTestStore(t, database, loggingFails)
    const changes = async (rules: Rules, now?: () => number) => {
      const recorded = await store.read(recordedRights())
      const found = await compareRights(recorded!, compileService(definitionOf(rules)), {
        store,
        dialect: dialectOf(engine),
        ...(now === undefined ? {} : { now }),
      })
      return found.map(rightsSentence)
    }
    const isPublic = when({ status: 'PUBLIC' } as never) as never
    assert.deepEqual(await changes({}), [])
    assert.deepEqual(await changes({ read: anyOf(own('owner'), isPublic) }), [
      'Task.read widens for anonymous: 2 records',
      'Task.read widens for ANY, STAFF: at most 2 records',
    ])
    assert.deepEqual(await changes({ read: anyone }), [
      'Task.read widens for anonymous: 3 records',
      'Task.read widens for ANY, STAFF: at most 3 records',
    ])
    assert.deepEqual(await changes({ update: signedIn, verbs: [] }), ['Task.update widens for ANY: 3 records'])
    assert.deepEqual(await changes({ update: own('owner'), verbs: [] }), [
      'Task.update widens for ANY: at most 3 records',
      'Task.update narrows for STAFF: at most 3 records',
    ])
    assert.deepEqual(await changes({ update: may('manage'), verbs: ['manage'] }), [])
    assert.deepEqual(await changes({ remove: isPublic }), ['Task.delete widens for anonymous, ANY, STAFF: 2 records'])
    assert.deepEqual(await changes({ note: signedIn }), ['Task.note (read) narrows for anonymous: 3 records'])
    const { owner: _, ...fields } = usual
    assert.deepEqual(await changes({ read: anyone, fields }), [
      'Task.read widens for anonymous: 3 records',
      'Task.read may widen for ANY, STAFF',
    ])

    // Counting ends after five seconds, of which each look at the clock takes two.
    const moment = `'2026-11-20T09:30:00.000Z'`
    const all = `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 45000) select`
    await store.write(
      function* () {
        yield bind(
          command(
            `insert into tasks (id, title, note, status, owner_id, created_at, updated_at) ${all} ` +
              `'task_' || n, '-', '-', 'PUBLIC', '${owner}', ${moment}, ${moment} from counted`,
          ),
        )
      },
      { withoutTimeout: true },
    )
    let looks = 0
    assert.deepEqual(await changes({ note: signedIn }), ['Task.note (read) narrows for anonymous: 45003 records'])
    assert.deepEqual(await changes({ note: signedIn }, () => 2_000 * looks++), [
      'Task.note (read) narrows for anonymous: more than 40000 records',
    ])
    assert.deepEqual(await changes({ note: signedIn }, () => 6_000 * looks++), [
      'Task.note (read) narrows for anonymous',
    ])
  })

  test('18.2.2 compares rules about every kind of value', async (t) => {
    const database = await createDatabase(engine)
    const at = new Date('2026-01-01T00:00:00Z')
    const values = {
      size: optional(bigint()),
      price: optional(decimal({ precision: 9, scale: 2 })),
      at: optional(timestamp()),
      day: optional(date()),
    }
    const test = (size: bigint) =>
      when({ size: atLeast(size), price: atLeast('1.50'), at: after(at), day: '2026-01-01' } as never)
    const made = (size: bigint) => definitionOf({ read: test(size), fields: { ...usual, ...values } })
    await (await start(made(9_007_199_254_740_993n), { environment: { PORT: '0', DATABASE_URL: database.url } })).stop()
    const store = await openTestStore(t, database, loggingFails)
    const recorded = (await store.read(recordedRights()))!
    const changes = (size: bigint) =>
      compareRights(recorded, compileService(made(size)), { store, dialect: dialectOf(engine) })
    assert.deepEqual(await changes(9_007_199_254_740_993n), [])
    const found = (await changes(7n)).map(({ right, direction, records }) => ({ right, direction, records }))
    assert.deepEqual(found, [
      { right: 'Task.read', direction: 'widens', records: 0 },
      { right: 'Task.read', direction: 'narrows', records: 0 },
    ])
  })
})
