// What the code of a definition reads and writes in the transaction of its action, through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AsService, anyone, Failure, on, type ReactionMoment, type RouteRecords, route } from 'duet-api'
import { type FaceName, faceNames, speak } from '../support/client/both-faces.ts'
import { Crate, type JobMoment, jobs, Piece, stock, User, warehouse } from '../support/domain/warehouse.ts'
import { type Caller, withService } from '../support/server/service.ts'

type Probe = (moment: { readonly records: RouteRecords; readonly asService: AsService }) => Promise<unknown>
let probe: Probe = async () => null
/** Runs what a test wants to know as whoever asks. */
const probing = route('POST', '/api/v1/probes', {
  summary: 'Probe',
  access: anyone,
  handle: async (moment) => void (await probe(moment)),
})
let react: (moment: ReactionMoment<typeof Crate, 'crateSealed'>) => Promise<void> = async () => {}
const reaction = on(Crate, 'crateSealed', (moment) => react(moment))

withService(
  '13.3 records in code',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures(stock)
      const names = Object.keys(stock) as (keyof typeof stock)[]
      const entries = await Promise.all(names.map(async (name) => [name, await fixtures.idOf(name)] as const))
      return { fixtures, ids: Object.fromEntries(entries) as Record<keyof typeof stock, string> }
    }
    type World = Awaited<ReturnType<typeof begin>>
    async function tell(
      face: FaceName,
      as: string,
      { fixtures }: World,
      work: (moment: JobMoment) => Promise<unknown>,
    ) {
      const what = `job ${jobs.size}`
      jobs.set(what, work)
      const { code, message, data } = await speak(face, running(), { as: `{${as}}`, fixtures }).create('Job', { what })
      return { code, message, note: data?.note ?? null }
    }
    /** Does a job as somebody, through each face; what both tell must be the same. */
    async function job(as: string, world: World, work: (moment: JobMoment) => Promise<unknown>) {
      const answers = []
      for (const face of faceNames) answers.push(await tell(face, as, world, work))
      assert.deepEqual(answers[1], answers[0])
      return answers[0]!
    }
    async function probed<T>(
      as: string,
      { fixtures }: World,
      work: (moment: Parameters<Probe>[0]) => Promise<T>,
    ): Promise<T> {
      let result: T | undefined
      probe = async (moment) => {
        result = await work(moment)
      }
      const who = as === '' ? 'anonymous' : `{${as}}`
      const { status, text } = await running().send('POST /api/v1/probes', { as: who as Caller, fixtures })
      assert.equal(status, 204, text)
      return result as T
    }
    const labels = (records: readonly { readonly label: string }[]) => records.map(({ label }) => label).sort()
    /** What code finds of everything, told as text. */
    const survey = async ({ records, note }: Pick<JobMoment, 'records' | 'note'>, mine: readonly string[]) => {
      const listed = (await records.list(Crate, { sort: ['label'], limit: 100 })).records.filter(({ id }) =>
        mine.includes(id),
      )
      const walked: string[] = []
      for await (const { id, label } of records.each(Crate, { sort: ['-label'] }))
        if (mine.includes(id)) walked.push(label)
      note(JSON.stringify([labels(listed), walked]))
    }

    test('13.3.1 what code reads is what its actor may read', async () => {
      const world = await begin()
      const { ids } = world
      const mine = [ids.hers, ids.shown, ids.his]
      const seen = async (as: string) => JSON.parse((await job(as, world, (moment) => survey(moment, mine))).note)
      assert.deepEqual(await seen('ann'), [
        ['hers', 'shown'],
        ['shown', 'hers'],
      ])
      assert.deepEqual(await seen('ben'), [
        ['his', 'shown'],
        ['shown', 'his'],
      ])
      assert.deepEqual(await seen('chief'), [
        ['hers', 'his', 'shown'],
        ['shown', 'his', 'hers'],
      ])
      const get = (as: string, id: string) =>
        job(as, world, async ({ records, note }) => note((await records.get(Crate, id as never)).label))
      assert.equal((await get('ann', ids.hers)).note, 'hers')
      const hidden = await get('ben', ids.hers)
      const missing = await get('ben', 'crate_01J00000000000000000000000')
      assert.deepEqual([hidden.code, hidden], ['BUSINESS_RULE_VIOLATION', missing])
    })

    test('13.3.1 numbers and sums are of that as well, to the digit', async () => {
      const world = await begin()
      const { ids } = world
      const about = (as: string, crate: keyof typeof ids) =>
        job(as, world, async ({ records, note }) => {
          const which = { filter: { crate: ids[crate] } }
          const values = [
            await records.count(Piece, which),
            await records.sum(Piece, 'weight', which),
            String(await records.sum(Piece, 'serial', which)),
            (await records.sum(Piece, 'price', which)).toFixed(2),
            await records.sum(Piece, 'ratio', which),
          ]
          note(values.join(' '))
        })
      assert.equal((await about('ann', 'hers')).note, '1 7 9007199254740993 10.10 0.5')
      assert.equal((await about('ben', 'hers')).note, '0 0 0 0.00 0')
      // The price of what another person shows is protected: it is left out, not refused.
      assert.equal((await about('ben', 'shown')).note, '1 5 2 0.00 0.25')
      assert.equal((await about('ann', 'shown')).note, '1 5 2 0.20 0.25')
    })

    test('13.3.1 greatest values and different ones are of that as well', async () => {
      const world = await begin()
      const { ids } = world
      const about = (as: string, crate: keyof typeof ids) =>
        job(as, world, async ({ records, note }) => {
          const which = { filter: { crate: ids[crate] } }
          const price = await records.max(Piece, 'price', which)
          const values = [
            await records.max(Piece, 'weight', which),
            await records.max(Piece, 'serial', which),
            price === null ? price : price.toFixed(2),
            await records.max(Piece, 'ratio', which),
            (await records.max(Piece, 'createdAt', which)) instanceof Date,
            await records.distinct(Piece, 'crate', which),
            await records.distinct(Piece, 'price', which),
          ]
          note(values.join(' '))
        })
      assert.equal((await about('ann', 'hers')).note, '7 9007199254740993 10.10 0.5 true 1 1')
      assert.equal((await about('ben', 'hers')).note, '    false 0 0')
      assert.equal((await about('ben', 'shown')).note, '5 2  0.25 true 1 0')
      assert.equal((await about('ann', 'shown')).note, '5 2 0.20 0.25 true 1 1')
    })

    test('13.3.1 conditions ask the same of what code reads', async () => {
      const world = await begin()
      const { ids } = world
      const heavy = (as: string) =>
        job(as, world, async ({ records, note }) => {
          const which = {
            where: { weight: { gte: 5 }, or: [{ price: { gt: '0' } }, { crate: { label: { eq: 'his' } } }] },
          }
          const { records: found } = await records.list(Piece, which)
          const mine = found.filter(({ id }) => [ids.bolt, ids.nut, ids.screw].includes(id))
          const text = `crate.label = "hers" AND weight >= 5`
          const counts = [await records.count(Piece, { where: text, filter: { crate: ids.hers } })]
          counts.push(await records.sum(Piece, 'weight', { where: text, filter: { crate: ids.hers } }))
          note(`${mine.map(({ name }) => name).sort()} ${counts}`)
        })
      assert.equal((await heavy('ann')).note, 'bolt,nut 1,7')
      // A price that is protected is compared as null.
      assert.equal((await heavy('ben')).note, ' 0,0')
    })

    test('13.3.1 sums beyond 64 bits are exact', async () => {
      const world = await begin()
      const { fixtures, ids } = world
      const most = 9_223_372_036_854_775_807n
      await running().send('POST /api/v1/pieces', {
        as: '{ann}',
        fixtures,
        body: { crate_id: ids.hers, name: 'a', serial: String(most) },
      })
      for (const serial of [most, most, -3n])
        await running().send('POST /api/v1/pieces', {
          as: '{ann}',
          fixtures,
          body: { crate_id: ids.hers, name: 'b', serial: String(serial) },
        })
      const { note } = await job('ann', world, async ({ records, note }) =>
        note(String(await records.sum(Piece, 'serial', { filter: { crate: ids.hers } }))),
      )
      assert.equal(note, String(3n * most - 3n + 9_007_199_254_740_993n))
    })

    test('13.3.2 code reads what it wrote before, and all of it stays or none', async () => {
      const world = await begin()
      const { ids } = world
      const write = (refuse: boolean) =>
        job('ann', world, async ({ records, note }) => {
          await records.create(Piece, { crate: ids.hers as never, name: 'new', weight: 1 })
          note(String(await records.count(Piece, { filter: { crate: ids.hers, name: 'new' } })))
          return refuse ? 'Not today.' : undefined
        })
      const refused = await write(true)
      assert.deepEqual([refused.code, refused.message], ['BUSINESS_RULE_VIOLATION', 'Not today.'])
      const { data } = await speak('REST', running(), { as: '{ann}', fixtures: world.fixtures }).list('Piece', {
        crateId: ids.hers,
      })
      assert.equal(data.length, 1)
    })

    test('13.3.3 a record that code deletes takes with it what a delete does, or stays', async () => {
      const world = await begin()
      const { fixtures, ids } = world
      const voice = speak('REST', running(), { as: '{chief}', fixtures })
      const removed = await tell('GraphQL', 'ben', world, async ({ records, note }) => {
        const { records: own } = await records.list(Crate, { filter: { owner: ids.ben } })
        for (const { id } of own) await records.remove(Crate, id)
        note(String(await records.count(Crate, { filter: { owner: ids.ben } })))
      })
      assert.equal(removed.note, '0')
      assert.equal((await voice.read('Crate', ids.his)).code, 'NOT_FOUND')
      assert.equal((await voice.read('Piece', ids.screw)).code, 'NOT_FOUND', 'what required it')
      await running().send('POST /api/v1/crates/{hers}/seal', { as: '{ann}', fixtures })
      const sealed = await job('ann', world, ({ records }) => records.remove(Crate, ids.hers as never))
      assert.deepEqual([sealed.code, sealed.message], ['BUSINESS_RULE_VIOLATION', 'A sealed crate stays.'])
      assert.equal((await voice.read('Crate', ids.hers)).code, null)
      const gone = await job('ann', world, ({ records }) => records.remove(Crate, ids.his as never))
      assert.equal(gone.code, 'BUSINESS_RULE_VIOLATION')
    })

    test('13.3.4 work with a key is done once, with what it belongs to', async () => {
      const world = await begin()
      const { ids } = world
      const add = async (face: FaceName, name: string, refuse = false) =>
        tell(face, 'ann', world, async ({ records, note }) => {
          const isDone = await records.once(`${ids.hers} ${name}`, (own) =>
            own.create(Piece, { crate: ids.hers as never, name, weight: 1 }),
          )
          note(String(isDone))
          return refuse ? 'Not today.' : undefined
        })
      const counted = async (name: string) =>
        (
          await speak('REST', running(), { as: '{ann}', fixtures: world.fixtures }).list('Piece', {
            crateId: ids.hers,
            name,
          })
        ).data.length
      for (const face of faceNames) assert.equal((await add(face, 'refused', true)).message, 'Not today.')
      assert.equal(await counted('refused'), 0)
      const notes = []
      for (const face of faceNames) notes.push((await add(face, 'refused')).note)
      assert.deepEqual(notes, ['true', 'false'])
      assert.equal(await counted('refused'), 1)
    })

    test('13.3.4 a route does it once as the service, also where several do it at once, and a failure forgets it', async () => {
      const world = await begin()
      const { fixtures, ids } = world
      const key = `message about ${ids.his}`
      const failed = await probed('', world, ({ asService }) =>
        asService.records
          .once(key, async (records) => {
            await records.create(Piece, { crate: ids.his as never, name: 'paid', weight: 1 })
            throw new Failure('CONFLICT')
          })
          .catch((error: Failure) => error.code),
      )
      assert.equal(failed, 'CONFLICT')
      const results: boolean[] = []
      probe = async ({ asService }) => {
        results.push(
          await asService.records.once(key, async (records) => {
            await records.run(Crate, ids.his as never, 'seal')
            await records.create(Piece, { crate: ids.his as never, name: 'paid', weight: 1 })
          }),
        )
      }
      const sent = await Promise.all(
        Array.from({ length: 8 }, () => running().send('POST /api/v1/probes', { fixtures })),
      )
      assert.deepEqual(
        sent.map(({ status }) => status),
        Array(8).fill(204),
      )
      assert.deepEqual(results.sort(), [...Array(7).fill(false), true])
      const { data } = await speak('REST', running(), { as: '{ben}', fixtures }).list('Piece', {
        crateId: ids.his,
        name: 'paid',
      })
      assert.equal(data.length, 1)
    })

    test('13.3.5 a route counts and adds up what its caller may read; as the service, everything', async () => {
      const world = await begin()
      const { ids } = world
      const counts = (as: string) =>
        probed(as, world, async ({ records, asService }) => {
          const which = { filter: { crate: ids.hers } }
          return {
            own: await records.count(Piece, which),
            price: (await records.sum(Piece, 'price', which)).toFixed(2),
            all: await asService.records.count(Piece, which),
            allPrice: (await asService.records.sum(Piece, 'price', which)).toFixed(2),
          }
        })
      assert.deepEqual(await counts('ann'), { own: 1, price: '10.10', all: 1, allPrice: '10.10' })
      assert.deepEqual(await counts('chief'), { own: 1, price: '0.00', all: 1, allPrice: '10.10' })
      assert.deepEqual(await counts('ben'), { own: 0, price: '0.00', all: 1, allPrice: '10.10' })
      const unsigned = await probed('', world, ({ records }) =>
        records.count(User).catch((error: Failure) => error.code),
      )
      assert.equal(unsigned, 'UNAUTHENTICATED')
    })

    test('13.3.5 a reaction finishes with everything visible', async () => {
      const world = await begin()
      const { fixtures, ids } = world
      const done = Promise.withResolvers<readonly unknown[]>()
      react = async ({ id, finish }) => {
        if (id !== ids.hers) return
        await finish(async (records) => {
          const { keyRing } = await records.get(User, ids.ann as never)
          const price = await records.sum(Piece, 'price', { filter: { crate: id } })
          await records.remove(Piece, ids.screw as never)
          const isFirst = await records.once(`sealed ${id}`, async () => {})
          done.resolve([keyRing, price.toFixed(2), await records.count(Piece, { filter: { crate: ids.his } }), isFirst])
        })
      }
      await running().send('POST /api/v1/crates/{hers}/seal', { as: '{ann}', fixtures })
      assert.deepEqual(await done.promise, [null, '10.10', 0, true])
    })
  },
  { definition: warehouse, routes: [probing], reactions: [reaction], limits: { eventPollMs: 10 } },
)
