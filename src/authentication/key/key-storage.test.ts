// Signing keys in the database, on both engines: they outlive the process, and one first key is made by many instances.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { defaultLimits } from '../../limits.ts'
import { silentLog } from '../../observation/log.ts'
import { openStore } from '../../service/open/open-store.ts'
import { bind, command, type Engine, type Program, type Store } from '../../store/store.ts'
import { openKeyRing } from './key-ring.ts'
import { createKeyStorage, keyTable } from './key-storage.ts'

const now = new Date('2026-11-20T09:00:00.123Z')
const key = { sequence: 1, kid: 'one', algorithm: 'ES256', jwk: '{"kty":"EC"}', publishedAt: now } as const

async function withStores(engine: Engine, count: number, use: (stores: readonly Store[]) => Promise<void>) {
  const database = await createDatabase(engine)
  const opening = Array.from({ length: count }, () =>
    openStore(database.url, { limits: defaultLimits, log: silentLog }),
  )
  const stores = await Promise.all(opening)
  try {
    await stores[0]?.write(createTables)
    await use(stores)
  } finally {
    await Promise.all(stores.map((store) => store.close()))
    await database.drop()
  }
  function* createTables(): Program<void> {
    for (const statement of keyTable.create[engine]) yield bind(command(statement))
  }
}
const withStorage = (engine: Engine, use: (storage: ReturnType<typeof createKeyStorage>) => Promise<void>) =>
  withStores(engine, 1, ([store = assert.fail()]) => use(createKeyStorage(store)))

forEachEngine((engine) => {
  it('keeps a key as it is, to the millisecond', () =>
    withStorage(engine, async (storage) => {
      assert.deepEqual(await storage.load(), [])
      await storage.add(key)
      assert.deepEqual(await storage.load(), [key])
    }))

  it('lets the first writer of a sequence win, without an error for the second', () =>
    withStorage(engine, async (storage) => {
      await storage.add(key)
      await storage.add({ ...key, kid: 'other' })
      await storage.add({ ...key, sequence: 2 })
      await storage.add({ ...key, sequence: 2, kid: 'two' })
      assert.deepEqual(
        (await storage.load()).map(({ kid, sequence }) => [kid, sequence]),
        [
          ['one', 1],
          ['two', 2],
        ],
      )
    }))

  it('removes the key that is named and no other', () =>
    withStorage(engine, async (storage) => {
      await storage.add(key)
      await storage.add({ ...key, sequence: 2, kid: 'two' })
      await storage.remove('one')
      await storage.remove('unknown')
      assert.deepEqual(
        (await storage.load()).map(({ kid }) => kid),
        ['two'],
      )
    }))

  it('gives many instances that start at once one key, and the next process the same', () =>
    withStores(engine, 4, async (stores) => {
      const open = (store: Store) =>
        openKeyRing({ algorithm: 'ES256', storage: createKeyStorage(store), limits: defaultLimits }, now)
      const rings = await Promise.all([...stores, ...stores, ...stores].map(open))
      const kids = new Set(rings.map((ring) => ring.signingKey(now).kid))
      assert.equal(kids.size, 1)
      assert.equal((await open(stores[0] ?? assert.fail())).signingKey(now).kid, [...kids][0])
      const rotated = await Promise.all(rings.map((ring) => ring.rotate(now)))
      assert.equal(new Set(rotated).size, 1)
    }))
})
