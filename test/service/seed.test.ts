// What a new, empty database begins with, when several instances find it empty.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { User } from '../../reference/user.ts'
import { authenticationTables } from '../../src/authentication/authentication.ts'
import { defaultLimits } from '../../src/limits.ts'
import { silentLog } from '../../src/observation/log.ts'
import { compileService } from '../../src/service/compile-service.ts'
import { openStore } from '../../src/service/open-store.ts'
import { seedWhenEmpty } from '../../src/service/seed.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { dialectOf } from '../../src/store/sql/dialect.ts'
import { desiredSchema } from '../../src/store/sql/schema.ts'
import { createDatabase, forEachEngine, postgresMissing } from '../support/server/databases.ts'

forEachEngine((engine) => {
  test('what it begins with is held to its fields, or nothing is stored', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const store = await openStore(database.url, { limits: defaultLimits, log: silentLog })
    t.after(() => store.close())
    const model = compileService(api)
    await migrate(store, desiredSchema(model, dialectOf(engine), [...authenticationTables]))
    const createdAt = new Date(0)
    const ann = { name: 'Ann', email: 'ann@example.com', emailVerified: true, password: 'hash', createdAt }
    const fill = (name: string) =>
      seedWhenEmpty({ model, store, cipher: null }, (seed) => {
        seed.create(User, ann)
        seed.create(User, { ...ann, name, email: 'Bob@Example.com' })
      })
    await assert.rejects(fill('x'.repeat(101)), (error: Error) => {
      assert.equal(
        error.message,
        "The service's own code gave User.name a value that it cannot hold: At most 100 characters.",
      )
      return true
    })
    assert.equal(await fill('Bob'), true, 'it was still empty')
  })
})

test('2.10.1 of instances that start at once, one fills the database and all of them start', {
  skip: postgresMissing,
}, async (t) => {
  const database = await createDatabase('postgres')
  t.after(() => database.drop())
  const open = () => openStore(database.url, { limits: defaultLimits, log: silentLog })
  const stores = await Promise.all([open(), open(), open(), open()])
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const model = compileService(api)
  await migrate(stores[0], desiredSchema(model, dialectOf('postgres'), [...authenticationTables]))
  const filled = await Promise.all(
    stores.map((store) => seedWhenEmpty({ model, store, cipher: null }, (seed) => fillDemo(seed, 'hash'))),
  )
  assert.deepEqual(filled.toSorted(), [false, false, false, true])
})
