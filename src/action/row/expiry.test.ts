// Keys are forgotten when they are old, so many at a time, and not before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { openTestStore } from '../../../test/support/server/test-store.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import { onceTable } from '../code/once.ts'
import { deleteOlder } from './expiry.ts'
import { idempotencyTable } from './idempotency.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 1, hour))

forEachEngine((engine) => {
  for (const table of [idempotencyTable, onceTable])
    test(`rows of ${table.name} are deleted when they are older, and no other`, async (t) => {
      const database = await createDatabase(engine)
      const store = await openTestStore(t, database)
      const dialect = dialectOf(engine)
      const others = table === idempotencyTable ? ['fingerprint', 'ids'] : []
      const columns = [table.key, table.moment, ...others]
      const values = columns.map((_, index) => dialect.parameter(index + 1)).join(', ')
      await store.write(function* () {
        for (const sql of table.create[engine]) yield bind(command(sql))
        const insert = command(`insert into ${table.name} (${columns.join(', ')}) values (${values})`)
        for (const hour of [1, 2, 3, 4, 5])
          yield bind(insert, `key-${hour}`, dialect.encode(at(hour), 'timestamp'), ...others.map(() => ''))
      })
      const forget = () => store.write(() => deleteOlder(table, at(4), 2, dialect))
      function* keys(): Program<readonly unknown[]> {
        return (yield bind(query(`select ${table.key} from ${table.name} order by ${table.key}`))).map(([key]) => key)
      }
      assert.equal(await forget(), true)
      assert.equal((await store.read(keys())).length, 3)
      assert.equal(await forget(), false)
      assert.deepEqual(await store.read(keys()), ['key-4', 'key-5'])
    })
})
