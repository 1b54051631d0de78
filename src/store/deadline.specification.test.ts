// What a deadline is to programs, on every engine: nothing begins after its end, and what has begun is whole or undone.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createDatabase, forEachEngine, type TestDatabase } from '../../test/support/server/databases.ts'
import { patientLimits } from '../../test/support/server/patient-limits.ts'
import { clientGone, type Deadline, outOfTime } from '../budget/deadline.ts'
import { defaultLimits } from '../limits.ts'
import { openStore } from '../service/open/open-store.ts'
import { bind, command, type Program, query, type Store } from './store.ts'

const list = query('select id from thing order by id')

forEachEngine((engine) => {
  const insert = command(`insert into thing (id) values (${engine === 'sqlite' ? '?1' : '$1'})`)
  let database: TestDatabase
  let store: Store
  let isGone = false
  let isOver = false
  const deadline: Deadline = {
    ended: () => (isGone ? clientGone : deadline.expired()),
    expired: () => (isOver ? outOfTime : null),
  }

  beforeEach(async () => {
    isGone = isOver = false
    database = await createDatabase(engine)
    store = await openStore(database.url, {
      limits: { ...defaultLimits, ...patientLimits },
      log: { warn: () => {}, error: () => {} },
    })
    await store.write(function* () {
      yield bind(command('create table thing (id text primary key)'))
    })
    store.counts.statements = 0
  })
  afterEach(async () => {
    await store.close()
    await database.drop()
  })

  function* put(ids: readonly string[], between: () => void = () => {}): Program<void> {
    for (const id of ids) {
      yield bind(insert, id)
      between()
    }
  }
  function* look(between: () => void = () => {}): Program<void> {
    for (let count = 0; count < 3; count++) {
      yield bind(list)
      between()
    }
  }
  function* all(): Program<readonly unknown[]> {
    return (yield bind(list)).map(([id]) => id)
  }
  const leave = () => {
    isGone = true
  }
  const runOut = () => {
    isOver = true
  }

  for (const [why, end, failure] of [
    ['its client went away', leave, clientGone],
    ['its time is over', runOut, outOfTime],
  ] as const) {
    test(`a read sends no further statement once ${why}`, async () => {
      await assert.rejects(store.read(look(end), deadline), failure)
      assert.equal(store.counts.statements, 1)
    })

    test(`a read does not begin once ${why}`, async () => {
      end()
      await assert.rejects(store.read(look(), deadline), failure)
      assert.equal(store.counts.statements, 0)
    })

    test(`a write does not begin once ${why}, alone or not`, async () => {
      end()
      for (const alone of [false, true]) {
        await assert.rejects(
          store.write(() => put(['a']), { exclusive: alone, deadline }),
          failure,
        )
      }
      assert.deepEqual(await store.read(all()), [])
    })
  }

  for (const alone of [false, true]) {
    const how = alone ? 'that is exclusive' : 'among others'
    test(`a write ${how} that has begun is finished though its client goes away`, async () => {
      await store.write(() => put(['a', 'b'], leave), { exclusive: alone, deadline })
      assert.deepEqual(await store.read(all()), ['a', 'b'])
    })

    test(`a write ${how} whose time runs out is undone, and no other`, async () => {
      const [late, other] = await Promise.allSettled([
        store.write(() => put(['a', 'b'], runOut), { exclusive: alone, deadline }),
        store.write(() => put(['c'])),
      ])
      assert.equal(late.status === 'rejected' && late.reason, outOfTime)
      assert.equal(other.status, 'fulfilled')
      assert.deepEqual(await store.read(all()), ['c'])
    })
  }
})
