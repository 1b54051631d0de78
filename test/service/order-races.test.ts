// Races of 20 writers whose effects write several of the same records, each in an order of its own: none is refused, nothing is
// lost, and PostgreSQL ends no deadlock.

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { argument, integer, one, resource, type Service, service, signedIn, text } from 'duet-api'
import { query, rowsOf } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createRandom } from '../support/oracle/random.ts'
import { areaOf, areaTenants, sender } from '../support/race/area.ts'
import { deadlocksOf } from '../support/race/race.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { startInstance } from '../support/server/instance.ts'
import { startTestService } from '../support/server/service.ts'

const writers = 20
const patient = { writeWaitMs: 60_000, effectTimeoutMs: 60_000 }

/** In no tenant, or in a record within a tenant. */
function stockService(isInTenant: boolean): Service<unknown> {
  const define = resource as unknown as (name: string, definition: object) => never
  const place = isInTenant ? { fields: { area: one('Area') }, within: { within: 'area' } } : { fields: {}, within: {} }
  const placed = Object.keys(place.fields)
  const Ware: unknown = define('Ware', {
    prefix: 'war',
    ...place.within,
    fields: { ...place.fields, code: text({ max: 40 }), taken: integer({ default: 0 }) },
    keys: [['code']],
    actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: [...placed, 'code'] } },
  })
  const writer = (name: string, prefix: string, effect: (moment: Moment) => Promise<void>) =>
    define(name, {
      prefix,
      ...place.within,
      fields: { ...place.fields, names: argument(text({ max: 2_000 })) },
      actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: [...placed, 'names'], effect } },
    })
  const placeOf = ({ area }: Moment['input']) => (isInTenant ? { area } : {})
  /** Takes one of each ware. */
  const Order = writer('Order', 'ord', async ({ input, records }) => {
    for (const id of input.names.split(',')) await records.change(Ware, id, ({ taken }) => ({ taken: taken + 1 }))
  })
  /** Takes one of each ware, whether it is there or not. */
  const Delivery = writer('Delivery', 'dlv', async ({ input, records }) => {
    for (const code of input.names.split(',')) {
      const { id } = await records.upsert(Ware, { code }, placeOf(input))
      await records.change(Ware, id, ({ taken }) => ({ taken: taken + 1 }))
    }
  })
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, Ware, Order, Delivery, ...(isInTenant ? areaTenants() : {}) },
    accounts,
    roles: { ANY: {} },
  })
}
interface Moment {
  readonly input: { readonly area?: string; readonly names: string }
  readonly records: {
    upsert(of: unknown, key: object, values: object): Promise<{ readonly id: string }>
    change(of: unknown, id: string, to: (ware: { readonly taken: number }) => object): Promise<void>
  }
}

forEachEngine((engine) => {
  for (const isInTenant of [false, true])
    for (const instances of engine === 'postgres' ? [1, 2] : [1])
      describe(`${isInTenant ? 'two levels deep in a tenant' : 'in no tenant'}, ${instances} instances`, () => {
        async function open(t: TestContext) {
          const definition = stockService(isInTenant)
          const main = await startTestService(engine, { definition, limits: patient })
          const other = instances === 2 ? await startInstance(main, { definition, limits: patient }) : null
          t.after(async () => {
            await other?.stop()
            await main.stop()
          })
          const send = await sender(main, [main.client, ...(other === null ? [] : [other.client])])
          const place = isInTenant ? { area_id: await areaOf(main) } : {}
          /** Each writes some of them. Returns how many are written in all. */
          async function race(path: string, names: readonly string[], seed: number): Promise<number> {
            const random = createRandom(seed)
            const writes = Array.from({ length: writers }, () => random.some(names, names.length))
            const answers = await Promise.all(
              writes.map((each) => send(`POST ${path}`, { ...place, names: each.join() })),
            )
            assert.deepEqual(
              answers.filter(({ status }) => status !== 201).map(({ text }) => text),
              [],
            )
            return writes.flat().length
          }
          async function requireTaken(total: number): Promise<void> {
            const [row] = await main.store.read(rowsOf(query('select sum(taken) from wares')))
            assert.equal(Number(row![0]), total)
            main.assertLog()
            assert.equal(await deadlocksOf(engine, main.databaseUrl), 0)
          }
          return { send, place, race, requireTaken }
        }

        test('13.3.9, 13.3.12 each changes all it names, whatever the others lock', { timeout: 600_000 }, async (t) => {
          const { send, place, race, requireTaken } = await open(t)
          const make = async (_: unknown, at: number) => (await send('POST wares', { ...place, code: `${at}` })).id
          const ids = await Promise.all(Array.from({ length: 12 }, make))
          let total = 0
          for (let seed = 1; seed <= samples(1); seed++) total += await race('orders', ids, seed)
          await requireTaken(total)
        })

        test('13.3.16 each creates what is missing or finds it, whatever the others create', {
          timeout: 600_000,
        }, async (t) => {
          const { send, place, race, requireTaken } = await open(t)
          let total = 0
          for (let seed = 1; seed <= samples(1); seed++) {
            const codes = Array.from({ length: 6 }, (_, at) => `${seed}-${at}`)
            const creates = codes.map((code) => send('POST wares', { ...place, code }))
            total += await race('deliveries', codes, seed)
            for (const { status } of await Promise.all(creates)) assert.ok(status === 201 || status === 409)
          }
          await requireTaken(total)
        })
      })
})
