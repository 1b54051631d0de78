// Races of 20 writers whose effects do several things to the same records, each in an order of its own: none is refused, nothing
// is lost, kept numbers match, and PostgreSQL ends no deadlock.

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { argument, integer, is, many, one, resource, type Service, service, signedIn, text } from 'duet-api'
import { query, rowsOf } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import { areaOf, areaTenants, openInstances, type Send } from '../support/race/area.ts'
import { deadlocksOf, wrongNumbers } from '../support/race/race.ts'
import { forEachEngine } from '../support/server/databases.ts'
import type { TestService } from '../support/server/service.ts'

const writers = 20
/** Of the wares that upserts create, within a round. */
const codes = [0, 1, 2, 3, 4, 5]
const patient = { writeWaitMs: 60_000, effectTimeoutMs: 60_000 }

type Ware = { readonly id: string; readonly taken: number }
interface Records {
  get(of: unknown, id: string): Promise<Ware>
  list(of: unknown, query: object): Promise<{ readonly records: readonly Ware[] }>
  count(of: unknown, which: object): Promise<number>
  lockExisting(of: unknown, ids: readonly string[]): Promise<unknown>
  create(of: unknown, values: object): Promise<Ware>
  upsert(of: unknown, key: object, values: object): Promise<Ware>
  change(of: unknown, id: string, to: object | ((ware: Ware) => object)): Promise<void>
  run(of: unknown, id: string, move: string): Promise<void>
  remove(of: unknown, id: string): Promise<void>
  once(key: string, work: (own: Records) => Promise<void>): Promise<boolean>
}
/** What a step names: a ware, a box, and a code that no ware or another step has. */
interface Step {
  readonly do: keyof typeof steps
  readonly ware: string
  readonly box: string
  readonly code: string
}
interface Stage {
  readonly records: Records
  readonly Ware: unknown
  readonly Box: unknown
  readonly place: object
}

const takeOne = ({ taken }: Ware) => ({ taken: taken + 1 })
/** Each step takes one of a ware, but for those that only read, lock or carry. */
const steps = {
  change: ({ records, Ware }: Stage, { ware }: Step) => records.change(Ware, ware, takeOne),
  async read({ records, Ware }: Stage, { ware }: Step) {
    await records.change(Ware, ware, takeOne(await records.get(Ware, ware)))
  },
  move: ({ records, Ware }: Stage, { ware }: Step) => records.run(Ware, ware, 'take'),
  async upsert({ records, Ware, place }: Stage, { code, box }: Step) {
    const { id } = await records.upsert(Ware, { code }, { ...place, box })
    await records.change(Ware, id, takeOne)
  },
  async create({ records, Ware, place }: Stage, { box }: Step) {
    const { id } = await records.create(Ware, { ...place, box, code: crypto.randomUUID() })
    await records.run(Ware, id, 'take')
  },
  async once({ records, Ware }: Stage, { ware }: Step) {
    await records.once(crypto.randomUUID(), (own) => own.change(Ware, ware, takeOne))
  },
  carry: ({ records, Ware }: Stage, { ware, box }: Step) => records.change(Ware, ware, { box }),
  async drop({ records, Ware, place }: Stage, { box }: Step) {
    const { id } = await records.create(Ware, { ...place, box, code: crypto.randomUUID() })
    await records.remove(Ware, id)
  },
  async lock({ records, Box }: Stage, { box }: Step) {
    await records.lockExisting(Box, [box])
  },
  async count({ records, Ware }: Stage, { box }: Step) {
    await records.count(Ware, { filter: { box } })
  },
}
const takers: readonly Step['do'][] = ['change', 'read', 'move', 'upsert', 'create', 'once']

/** In no tenant, or in a record within a tenant. */
function stockService(isInTenant: boolean): Service<unknown> {
  const define = resource as unknown as (name: string, definition: object) => never
  const place = isInTenant ? { fields: { area: one('Area') }, within: { within: 'area' } } : { fields: {}, within: {} }
  const placed = Object.keys(place.fields)
  const Box: unknown = define('Box', {
    prefix: 'box',
    ...place.within,
    fields: { ...place.fields, wares: many('Ware', 'box') },
    counts: { wares: 'wares' },
    actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: placed } },
  })
  const Ware: unknown = define('Ware', {
    prefix: 'war',
    ...place.within,
    fields: { ...place.fields, box: one('Box'), code: text({ max: 40 }), taken: integer({ default: 0 }) },
    keys: [['code']],
    filter: { box: is },
    actions: {
      read: { allow: signedIn },
      create: { allow: signedIn, accept: [...placed, 'box', 'code'] },
      take: { allow: signedIn, set: { taken: ({ record }: { readonly record: Ware }) => record.taken + 1 } },
      delete: { allow: signedIn },
    },
  })
  const Order = define('Order', {
    prefix: 'ord',
    ...place.within,
    fields: { ...place.fields, steps: argument(text({ max: 20_000 })) },
    actions: {
      read: { allow: signedIn },
      create: {
        allow: signedIn,
        accept: [...placed, 'steps'],
        effect: async ({ input, records }: { readonly input: Input; readonly records: Records }) => {
          const stage = { records, Ware, Box, place: isInTenant ? { area: input.area } : {} }
          for (const step of JSON.parse(input.steps) as readonly Step[]) await steps[step.do](stage, step)
        },
      },
    },
  })
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, Box, Ware, Order, ...(isInTenant ? areaTenants() : {}) },
    accounts,
    roles: { ANY: {} },
  })
}
interface Input {
  readonly area?: string
  readonly steps: string
}

interface Arena {
  readonly main: TestService
  readonly send: Send
  readonly place: object
  readonly boxes: readonly string[]
  readonly wares: readonly string[]
}

forEachEngine((engine) => {
  for (const isInTenant of [false, true])
    for (const instances of engine === 'postgres' ? [1, 2] : [1])
      describe(`${isInTenant ? 'two levels deep in a tenant' : 'in no tenant'}, ${instances} instances`, () => {
        async function open(t: TestContext): Promise<Arena> {
          const definition = stockService(isInTenant)
          const { main, send } = await openInstances(t, engine, instances, { definition, limits: patient })
          const place = isInTenant ? { area_id: await areaOf(main) } : {}
          const make = async (path: string, body: object) => (await send(`POST ${path}`, { ...place, ...body })).id
          const boxes = await Promise.all(Array.from({ length: 3 }, () => make('boxes', {})))
          const wares = await Promise.all(
            Array.from({ length: 12 }, (_, at) => make('wares', { box_id: boxes[at % 3], code: `${at}` })),
          )
          return { main, send, place, boxes, wares }
        }

        async function race(t: TestContext, stepsOf: (random: Random, arena: Arena, seed: number) => readonly Step[]) {
          const arena = await open(t)
          const { main, send, place } = arena
          let taken = 0
          for (let seed = 1; seed <= samples(1); seed++) {
            const random = createRandom(seed)
            const orders = Array.from({ length: writers }, () => stepsOf(random, arena, seed))
            // They take the codes of upserts without asking whether others do.
            const creates = codes.map((at) =>
              send('POST wares', { ...place, box_id: arena.boxes[0], code: `${seed}-${at}` }),
            )
            const answers = await Promise.all(
              orders.map((order) => send('POST orders', { ...place, steps: JSON.stringify(order) })),
            )
            assert.deepEqual(
              answers.filter(({ status }) => status !== 201).map(({ text }) => `seed ${seed}: ${text}`),
              [],
            )
            for (const { status, text } of await Promise.all(creates)) assert.ok(status === 201 || status === 409, text)
            taken += orders.flat().filter((step) => takers.includes(step.do)).length
          }
          const [row] = await main.store.read(rowsOf(query('select sum(taken) from wares')))
          assert.equal(Number(row![0]), taken)
          assert.deepEqual(await wrongNumbers(main), [])
          main.assertLog()
          assert.equal(await deadlocksOf(engine, main.databaseUrl), 0)
        }

        test('13.3.9, 13.3.12 each changes all it names, whatever the others lock', { timeout: 600_000 }, (t) =>
          race(t, (random, { wares, boxes }) =>
            random.some(wares, wares.length).map((ware) => ({ do: 'change', ware, box: boxes[0]!, code: '' })),
          ),
        )

        test(
          '13.3.16 each creates what is missing or finds it, whatever the others create',
          { timeout: 600_000 },
          (t) =>
            race(t, (random, { wares, boxes }, seed) =>
              random.some(codes, codes.length).map((at) => ({
                do: 'upsert',
                ware: wares[0]!,
                box: boxes[at % 3]!,
                code: `${seed}-${at}`,
              })),
            ),
        )

        test('13.3.9 each does whatever it does, whatever the others do', { timeout: 600_000 }, (t) =>
          race(t, (random, { wares, boxes }, seed) =>
            Array.from({ length: 1 + random.below(8) }, () => ({
              do: random.one(Object.keys(steps) as readonly Step['do'][]),
              ware: random.one(wares),
              box: random.one(boxes),
              code: `${seed}-${random.one(codes)}`,
            })),
          ),
        )
      })
})
