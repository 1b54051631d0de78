// Races of 20 writers in a tree: whatever is created, moved and deleted at once, no record is below itself, nothing is lost, and
// PostgreSQL ends no deadlock. `SAMPLES=50` runs that many of them.

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { one, optional, resource, type Service, service, signedIn, text } from 'duet-api'
import { query, rowsOf } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { requireWholeTree } from '../support/check/tree.ts'
import { until } from '../support/check/until.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createRandom } from '../support/oracle/random.ts'
import { areaOf, areaTenants, openInstances, type Send, sender } from '../support/race/area.ts'
import { deadlocksOf } from '../support/race/race.ts'
import { forEachEngine, postgresMissing } from '../support/server/databases.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const writers = 20
const rounds = samples(1)
const patient = { writeWaitMs: 60_000, effectTimeoutMs: 60_000 }

/** A tree in no tenant, or in a record within a tenant. `held` is awaited by the effect of `hold`, in the tree. */
function treeService(isInTenant: boolean, held: () => Promise<void> = async () => {}): Service<unknown> {
  const define = resource as unknown as (name: string, definition: object) => never
  const place = isInTenant ? { fields: { area: one('Area') }, within: { within: 'area' } } : { fields: {}, within: {} }
  const placed = Object.keys(place.fields)
  const Folder: unknown = define('Folder', {
    prefix: 'fld',
    ...place.within,
    fields: { ...place.fields, name: text({ max: 40 }), parent: optional(one('Folder', { tree: true })) },
    actions: {
      read: { allow: signedIn },
      create: { allow: signedIn, accept: [...placed, 'name', 'parent'] },
      update: { allow: signedIn, accept: ['name', 'parent'] },
      /** Creates below itself, and moves what it created to the top. */
      grow: {
        allow: signedIn,
        effect: async ({ record, records }: { readonly record: Values; readonly records: Records }) => {
          const own = isInTenant ? { area: record['area'] } : {}
          const { id } = await records.create(Folder, { ...own, name: 'grown', parent: record['id'] })
          await records.change(Folder, id, { parent: null })
        },
      },
      /** Creates below itself, and moves what its name names below that. */
      adopt: {
        allow: signedIn,
        accept: ['name'],
        effect: async ({
          record,
          input,
          records,
        }: {
          readonly record: Values
          readonly input: Values
          readonly records: Records
        }) => {
          const own = isInTenant ? { area: record['area'] } : {}
          const { id } = await records.create(Folder, { ...own, name: 'between', parent: record['id'] })
          await records.change(Folder, input['name'] as string, { parent: id })
        },
      },
      hold: {
        allow: signedIn,
        effect: async ({ record, records }: { readonly record: Values; readonly records: Records }) => {
          await records.create(Folder, { area: record['area'], name: 'held', parent: record['id'] })
          await held()
        },
      },
      delete: { allow: signedIn },
    },
  })
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, Folder, ...(isInTenant ? areaTenants() : {}) },
    accounts,
    roles: { ANY: {} },
  })
}
type Values = Readonly<Record<string, unknown>>
interface Records {
  create(of: unknown, values: Values): Promise<{ readonly id: string }>
  change(of: unknown, id: string, values: Values): Promise<void>
}

forEachEngine((engine) => {
  for (const isInTenant of [false, true])
    for (const instances of engine === 'postgres' ? [1, 2] : [1])
      describe(`${isInTenant ? 'two levels deep in a tenant' : 'in no tenant'}, ${instances} instances`, () => {
        test('10.3.1, 10.3.2 no race makes a cycle or loses a record', { timeout: 600_000 }, async (t) => {
          const definition = treeService(isInTenant)
          const { main, send } = await openInstances(t, engine, instances, { definition, limits: patient })
          const place = isInTenant ? { area_id: await areaOf(main) } : {}
          for (let seed = 1; seed <= rounds; seed++) await race(main, send, place, seed)
          for (const way of ['move', 'adopt'] as const) await raceInPairs(main, send, place, way)
          main.assertLog()
          assert.equal(await deadlocksOf(engine, main.databaseUrl), 0)
        })
      })
})

describe('a write in a tree, under way on PostgreSQL', { skip: postgresMissing }, () => {
  test('10.3.2 no move in the tree of another tenant waits for it', async (t) => {
    const { main, send, hold, end } = await openHeld(t)
    const area_id = await areaOf(main)
    const makeIn = async () => (await send('POST folders', { area_id, name: 'made' })).id
    const [moved, above] = [await makeIn(), await makeIn()]
    const holding = await hold()
    const move = send(`PATCH folders/${moved}`, { parent_id: above })
    assert.equal(await Promise.race([move, holding.answer]), await move, 'it waited')
    end()
    assert.deepEqual([(await move).status, (await holding.answer).status], [200, 200])
  })

  test('10.3.2 a move above it waits, and takes along what it creates', async (t) => {
    const { main, send, hold, end } = await openHeld(t)
    const { answer, area_id, top } = await hold()
    const above = (await send('POST folders', { area_id, name: 'above' })).id
    let isMoved = false
    const move = send(`PATCH folders/${top}`, { parent_id: above }).finally(() => (isMoved = true))
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => isMoved || (await main.store.read(rowsOf(query(waiting)))).length > 0)
    end()
    assert.deepEqual([(await move).status, (await answer).status], [200, 200])
    await requireWholeTree(main, 'folders')
  })
})

/** A service in which `hold` begins a write that creates below the lower of two folders, and `end` lets it end. */
async function openHeld(t: TestContext) {
  const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const definition = treeService(true, () => {
    entered.resolve()
    return left.promise
  })
  const main = await startTestService('postgres', { definition, limits: patient })
  t.after(main.stop)
  const send = await sender(main, [main.client])
  async function hold() {
    const area_id = await areaOf(main)
    const top = (await send('POST folders', { area_id, name: 'top' })).id
    const { id } = await send('POST folders', { area_id, name: 'lower', parent_id: top })
    const answer = send(`POST folders/${id}/hold`)
    await entered.promise
    return { answer, area_id, top }
  }
  return { main, send, hold, end: left.resolve }
}

async function race(main: TestService, send: Send, place: object, seed: number): Promise<void> {
  const random = createRandom(seed)
  const ids: string[] = []
  for (let at = 0; at < 8; at++) {
    const parent = at > 0 && random.chance(0.6) ? { parent_id: random.one(ids) } : {}
    ids.push((await send('POST folders', { ...place, name: `${at}`, ...parent })).id)
  }
  const before = await requireWholeTree(main, 'folders')
  const kinds = ['move', 'move', 'move', 'create', 'create', 'grow', ...(seed % 3 === 0 ? ['delete'] : [])]
  const requests = Array.from({ length: writers }, () => {
    const [id, parent_id] = [random.one(ids), random.one(ids)]
    const kind = random.one(kinds)
    return { kind, id, parent_id }
  })
  const answers = await Promise.all(
    requests.map(async ({ kind, id, parent_id }) => {
      if (kind === 'move') return { kind, ...(await send(`PATCH folders/${id}`, { parent_id })) }
      if (kind === 'create') return { kind, ...(await send('POST folders', { ...place, name: 'new', parent_id })) }
      return { kind, ...(await send(kind === 'grow' ? `POST folders/${id}/grow` : `DELETE folders/${id}`)) }
    }),
  )
  const hasDelete = requests.some(({ kind }) => kind === 'delete')
  const allowed = new Set([200, 201, 204, ...(hasDelete ? [404, 422] : [])])
  const wrong = answers.filter(({ kind, status }) => !allowed.has(status) && !(kind === 'move' && status === 422))
  assert.deepEqual(
    wrong.map(({ kind, status, text }) => `seed ${seed}, ${kind}: ${status} ${text}`),
    [],
  )
  const after = await requireWholeTree(main, 'folders')
  const added = answers.filter(({ kind, status }) => (kind === 'create' || kind === 'grow') && status < 300).length
  if (!hasDelete) assert.equal(after, before + added)
}

/** Pairs of writers, of whom each puts one chain below the end of the other: without either, the other would make no cycle. */
async function raceInPairs(main: TestService, send: Send, place: object, way: 'move' | 'adopt'): Promise<void> {
  const make = async (more = {}): Promise<string> =>
    (await send('POST folders', { ...place, name: 'link', ...more })).id
  const chain = async () => {
    const top = await make()
    return { top, end: await make({ parent_id: top }) }
  }
  const pairs = await Promise.all(Array.from({ length: writers / 2 }, () => Promise.all([chain(), chain()])))
  const put = ({ top }: { top: string }, { end }: { end: string }) =>
    way === 'move' ? send(`PATCH folders/${top}`, { parent_id: end }) : send(`POST folders/${end}/adopt`, { name: top })
  const answers = await Promise.all(pairs.map(([left, right]) => Promise.all([put(left, right), put(right, left)])))
  await requireWholeTree(main, 'folders')
  assert.deepEqual(
    answers.map((pair) => pair.map(({ status, text }) => (status === 200 || status === 422 ? status : text)).sort()),
    pairs.map(() => [200, 422]),
  )
}
