// What a new, empty database begins with, when several instances find it empty.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { anyone, choice, email, integer, optional, password, resource, secret, self, service, state } from 'duet-api'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { User } from '../../reference/user.ts'
import { authenticationTables } from '../../src/authentication/authentication.ts'
import { createDataCipher } from '../../src/encryption/data-cipher.ts'
import { defaultLimits } from '../../src/limits.ts'
import { silentLog } from '../../src/observation/log.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { seedWhenEmpty } from '../../src/service/start/seed.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { query, rowsOf } from '../../src/store/store.ts'
import { createDatabase, forEachEngine, postgresMissing } from '../support/server/databases.ts'
import { patientLimits } from '../support/server/patient-limits.ts'

const Account = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: self } },
})
const Hook = resource('Hook', {
  prefix: 'hook',
  fields: { key: secret(), spare: optional(secret()) },
  actions: { read: { allow: anyone } },
})
const hooks = service({
  resources: { User: Account, Hook },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})

const Slot = resource('Slot', {
  prefix: 'slo',
  fields: { room: integer(), first: integer(), after: integer() },
  exclude: [{ fields: ['room'], overlap: ['first', 'after'] }],
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['room', 'first', 'after'] } },
})
const slots = service({
  resources: { User: Account, Slot },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})

forEachEngine((engine) => {
  test('what it begins with is held to its fields, or nothing is stored', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const store = await openStore(database.url, { limits: defaultLimits, log: silentLog })
    t.after(() => store.close())
    const model = compileService(api)
    await migrate(store, desiredSchema(model, dialectOf(engine), authenticationTables(model)))
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
    const fillWithout = (field: 'name' | 'email') =>
      seedWhenEmpty({ model, store, cipher: null }, (seed) => {
        const { [field]: _, ...rest } = ann
        // @ts-expect-error: a field that every record has
        seed.create(User, rest)
      })
    for (const field of ['name', 'email'] as const)
      await assert.rejects(fillWithout(field), {
        message: `The service's own code seeds User without ${field}, which every User has.`,
      })
    const twice = seedWhenEmpty({ model, store, cipher: null }, (seed) => {
      for (const name of ['Ann', 'Bob']) seed.create(User, { ...ann, name })
    })
    await assert.rejects(twice, {
      message: "The service's own code seeds two records of User with the same email.",
    })
    assert.equal(await fill('Bob'), true, 'it was still empty')
  })

  test('11.5.2 records that it begins with do not overlap, or nothing is stored', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const store = await openStore(database.url, { limits: defaultLimits, log: silentLog })
    t.after(() => store.close())
    const model = compileService(slots)
    await migrate(store, desiredSchema(model, dialectOf(engine), authenticationTables(model)))
    const createdAt = new Date(0)
    const fill = (...intervals: readonly (readonly [number, number])[]) =>
      seedWhenEmpty({ model, store, cipher: null }, (seed) => {
        seed.create(Account, { email: 'ann@example.com', password: 'hash', createdAt })
        for (const [first, after] of intervals) seed.create(Slot, { room: 1, first, after, createdAt })
      })
    await assert.rejects(fill([1, 3], [2, 4]), {
      message: "The service's own code seeds two records of Slot that overlap.",
    })
    await assert.rejects(fill([3, 3]), {
      message: "The service's own code seeds a record of Slot whose first is not before its after.",
    })
    assert.equal(await fill([1, 3], [3, 4]), true, 'it was still empty')
  })

  test('11.4.1 secrets that it begins with are stored encrypted, each for its record', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const store = await openStore(database.url, { limits: defaultLimits, log: silentLog })
    t.after(() => store.close())
    const model = compileService(hooks)
    await migrate(store, desiredSchema(model, dialectOf(engine), authenticationTables(model)))
    const keys = [randomBytes(32), randomBytes(32)] as const
    const createdAt = new Date(0)
    const seeded = await seedWhenEmpty({ model, store, cipher: createDataCipher([keys[1]]) }, (seed) => {
      seed.create(Account, { email: 'ann@example.com', password: 'hash', createdAt })
      for (const spare of ['geheim', null]) seed.create(Hook, { key: 'geheim', spare, createdAt })
    })
    assert.equal(seeded, true)
    const rows = await store.read(rowsOf(query('select id, key, spare from hooks order by spare is null')))
    const [[id, key, spare], [otherId, otherKey, none]] = rows as unknown as string[][] & [string[], string[]]
    assert.equal(none, null)
    assert.equal(new Set([key, spare, otherKey]).size, 3, 'no two are alike')
    // A new key before it changes nothing for what is stored.
    const cipher = createDataCipher([keys[0], keys[1]])
    assert.equal(cipher.decrypt(key!, `key of ${id}`), 'geheim')
    assert.equal(cipher.decrypt(spare!, `spare of ${id}`), 'geheim')
    assert.equal(cipher.decrypt(otherKey!, `key of ${otherId}`), 'geheim')
    assert.throws(() => cipher.decrypt(key!, `key of ${otherId}`))
  })
})

test('2.10.1 of instances that start at once, one fills the database and all of them start', {
  skip: postgresMissing,
}, async (t) => {
  const database = await createDatabase('postgres')
  t.after(() => database.drop())
  const open = () => openStore(database.url, { limits: { ...defaultLimits, ...patientLimits }, log: silentLog })
  const stores = await Promise.all([open(), open(), open(), open()])
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const model = compileService(api)
  await migrate(stores[0], desiredSchema(model, dialectOf('postgres'), authenticationTables(model)))
  const filled = await Promise.all(
    stores.map((store) => seedWhenEmpty({ model, store, cipher: null }, (seed) => fillDemo(seed, 'hash'))),
  )
  assert.deepEqual(filled.toSorted(), [false, false, false, true])
})
