import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachMigration } from '../../../test/support/server/migration.ts'
import { bind, query } from '../store.ts'
import { beginInstance, lockSchema, otherInstances, runningInstances } from './instances.ts'

const waiting = query(
  `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`,
)

forEachMigration(({ engine, run, store }) => {
  /** It never renews its row. */
  const begin = (fingerprint: string) => beginInstance(store(), fingerprint, { instanceRenewMs: 2 ** 31 - 1 })
  const others = () => store().read(otherInstances(engine, 'mine'))

  test('18.1.9 counts instances of other versions until they end', async () => {
    const own = await begin('mine')
    assert.equal(await others(), 0)
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => begin(`other ${at % 2}`)))
    assert.equal(await others(), engine === 'sqlite' ? 0 : 20)
    assert.equal(await store().read(runningInstances(engine)), engine === 'sqlite' ? 0 : 21)
    await Promise.all(all.map((each) => each.end()))
    assert.equal(await others(), 0)
    await own.end()
  })

  if (engine === 'sqlite') return
  for (const [seconds, count] of [
    [10, 1],
    [20, 0],
    [30, 0],
  ] as const)
    test(`18.1.9 counts ${count} whose last sign of life was ${seconds} seconds ago`, async () => {
      const instance = await begin('other')
      await run(`update duet_instance set at = clock_timestamp() - interval '${seconds} seconds'`)
      assert.equal(await others(), count)
      await instance.end()
    })

  test('18.1.9 counts one again that renews its row, also a row that was removed', async () => {
    const instance = await beginInstance(store(), 'other', { instanceRenewMs: 1 })
    await run(`update duet_instance set at = clock_timestamp() - interval '30 seconds'`)
    while ((await others()) === 0);
    await run('delete from duet_instance')
    while ((await others()) === 0);
    await instance.end()
  })

  test('18.1.9 begins after a change of the schema, or before it', async () => {
    await (await begin('other')).end()
    const order: string[] = []
    let beginning: Promise<unknown> | undefined
    await store().write(function* () {
      yield bind(lockSchema)
      beginning = begin('other').then((instance) => {
        order.push('begun')
        return instance.end()
      })
      while ((yield bind(waiting)).length === 0);
      assert.equal(yield* otherInstances(engine, 'mine'), 0)
      order.push('changed')
    })
    await beginning
    assert.deepEqual(order, ['changed', 'begun'])
  })
})
