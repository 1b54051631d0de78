// What code of a definition writes, wherever it runs: records two levels deep in a tenant, and values that are taken.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AsService, anyone, on, type ReactionMoment, route } from 'duet-api'
import { type FaceName, speak } from '../support/client/both-faces.ts'
import { cases, casework, Job, type JobMoment, jobs, Label, Note, Remark, Ticket } from '../support/domain/casework.ts'
import { type TestService, withService } from '../support/server/service.ts'

type Ids = Record<keyof typeof cases, never>
type Service = () => TestService
let probe: (asService: AsService) => Promise<unknown> = async () => null
const probing = route('POST', '/api/v1/probes', {
  summary: 'Probe',
  access: anyone,
  handle: async ({ asService }) => void (await probe(asService)),
})
let react: (moment: ReactionMoment<typeof Job, 'jobDone'>) => Promise<void> = async () => {}
const reaction = on(Job, 'jobDone', (moment) => react(moment))

async function begin(running: Service) {
  const fixtures = running().fixtures(cases)
  const names = Object.keys(cases) as (keyof typeof cases)[]
  const entries = await Promise.all(names.map(async (name) => [name, await fixtures.idOf(name)] as const))
  return { fixtures, ids: Object.fromEntries(entries) as Ids }
}
type World = Awaited<ReturnType<typeof begin>>
type Work = (records: JobMoment['records']) => Promise<unknown>
/** Where code of a service writes: each does the work, and reports what the caller is told. */
type Way = (work: Work, world: World, running: Service) => Promise<{ code: string | null; message?: string }>

const voice = (face: FaceName, { fixtures }: World, running: Service) =>
  speak(face, running(), { as: '{ann}', fixtures })
const inEffect =
  (face: FaceName): Way =>
  async (work, world, running) => {
    const what = `effect ${jobs.size}`
    jobs.set(what, ({ records }) => work(records))
    return voice(face, world, running).create('Job', { what })
  }
const ways: Readonly<Record<string, Way>> = {
  'an effect, by REST': inEffect('REST'),
  'an effect, by GraphQL': inEffect('GraphQL'),
  'once, in an effect': (work, world, running) =>
    inEffect('REST')((records) => records.once(`${world.ids.ticket} ${jobs.size}`, (own) => work(own)), world, running),
  'the effect of what an effect creates': (work, world, running) => {
    const what = `inner ${jobs.size}`
    jobs.set(what, ({ records }) => work(records))
    const { acme: organization } = world.ids
    return inEffect('REST')((records) => records.create(Ticket, { organization, subject: what }), world, running)
  },
  'an action on no record': async (work, world, running) => {
    const what = `collection ${jobs.size}`
    jobs.set(what, ({ records }) => work(records))
    const { fixtures } = world
    const { body } = await running().send('POST /api/v1/jobs/gather', { as: '{ann}', fixtures, body: { what } })
    return body.error === undefined ? { code: null } : body.error
  },
  'the hook of all writes': async (work, world, running) => {
    const what = `hooked ${jobs.size}`
    jobs.set(`hook of ${what}`, ({ records }) => work(records))
    return voice('REST', world, running).create('Job', { what })
  },
  'once, in a route': async (work, { fixtures, ids }, running) => {
    probe = ({ records }) => records.once(`${ids.ticket} ${jobs.size}`, (own) => work(own as never))
    const { status, body } = await running().send('POST /api/v1/probes', { fixtures })
    return status === 204 ? { code: null } : body.error
  },
  'finish, in a reaction': async (work, world, running) => {
    const { promise, resolve } = Promise.withResolvers<{ code: string | null; message?: string }>()
    const what = `reaction ${jobs.size}`
    jobs.set(what, async () => {})
    react = async ({ record, finish }) => {
      if (record?.what !== what) return
      const failure = await finish(async (records) => void (await work(records as never))).catch((error) => error)
      resolve(failure === undefined ? { code: null } : failure)
    }
    await voice('REST', world, running).create('Job', { what })
    return await promise
  },
}

withService(
  '13.3 what code writes, wherever it runs',
  (running) => {
    const texts = async ({ ids, ...world }: World) =>
      (await voice('REST', { ids, ...world }, running).list('Note', { ticketId: ids.ticket })).data
        .map(({ text }: { text: string }) => text)
        .sort()

    for (const [name, way] of Object.entries(ways)) {
      test(`10.2.17 ${name}: a record two levels deep names a third one of its tenant`, async () => {
        const world = await begin(running)
        const { ids } = world
        const outcome = await way(
          (records) => records.create(Note, { ticket: ids.ticket, label: ids.red, text: 'made' }),
          world,
          running,
        )
        assert.equal(outcome.code, null, outcome.message)
        const [made] = (await voice('REST', world, running).list('Note', { ticketId: ids.ticket })).data.filter(
          ({ text }: { text: string }) => text === 'made',
        )
        assert.deepEqual([made.organizationId, made.labelId], [ids.acme, ids.red])
      })
      test(`10.2.6, 10.2.22 ${name}: one of another tenant is a bug`, async () => {
        const world = await begin(running)
        const { ids } = world
        const work: Work = (records) => records.create(Note, { ticket: ids.ticket, label: ids.blue, text: 'made' })
        const outcome = await way(work, world, running)
        assert.notEqual(outcome.code, null)
        assert.match(`${outcome.message} ${running().log().join()}`, /lets Note.label name a Label of another tenant/)
        running().forgetLog()
        assert.deepEqual(await texts(world), ['first'])
      })
    }

    for (const [name, way] of Object.entries(ways))
      test(`13.3.12 ${name}: a change made of the record as it is stored, also of a hidden one`, async () => {
        const world = await begin(running)
        const { ids } = world
        const add = (id: string) => async (records: Parameters<Work>[0]) => {
          await records.change(Note, ids.first, { text: 'second' })
          await records.change(Note, ids.first, ({ text }) => ({ text: `${text}+` }))
          await records.change(Label, id as never, ({ name }) => ({ name: `${name}+` }))
        }
        const missing = await way(add('lab_01J00000000000000000000000'), world, running)
        assert.equal(missing.code, 'BUSINESS_RULE_VIOLATION')
        assert.deepEqual(await texts(world), ['first'])
        const outcome = await way(add(ids.blue), world, running)
        assert.equal(outcome.code, null, outcome.message)
        assert.deepEqual(await texts(world), ['second+'])
        const blue = (await running().tables('labels')).find((row) => row.includes(ids.blue))
        assert.ok(blue?.includes('blue+'))
      })

    for (const [name, way] of Object.entries(ways))
      test(`13.3.12 ${name}: values for a record that is missing or deleted are refused`, async () => {
        const world = await begin(running)
        const { ids } = world
        const works: readonly Work[] = [
          (records) => records.change(Label, 'lab_01J00000000000000000000000' as never, { name: 'lost' }),
          async (records) => {
            await records.remove(Note, ids.first)
            await records.change(Note, ids.first, { text: 'lost' })
          },
        ]
        for (const work of works) assert.equal((await way(work, world, running)).code, 'BUSINESS_RULE_VIOLATION')
        assert.deepEqual(await texts(world), ['first'])
      })

    for (const [name, way] of Object.entries(ways)) {
      const taken = { code: 'CONFLICT', message: 'Another note has this ticket and text.' }
      test(`13.3.8 ${name}: a value that is taken is a conflict, which code can catch`, async () => {
        const world = await begin(running)
        const { ids } = world
        const codes: unknown[] = []
        const create: Work = (records) => records.create(Note, { ticket: ids.ticket, text: 'first' })
        const { code, message } = await way(create, world, running)
        assert.deepEqual({ code, message: message?.replace(/(_id|Id)/, '') }, taken)
        const change: Work = async (records) => {
          const { id } = await records.create(Note, { ticket: ids.ticket, text: 'second' })
          await records.change(Note, id, { text: 'first' }).catch((error) => codes.push(error.code))
        }
        assert.equal((await way(change, world, running)).code, 'CONFLICT')
        assert.deepEqual(codes, ['CONFLICT'])
        assert.deepEqual(await texts(world), ['first'])
        running().assertLog()
      })
    }

    test('13.3.10 a function in place of values is a bug wherever code gives it, and nothing is stored', async () => {
      const world = await begin(running)
      const { ids, fixtures } = world
      const later = (() => ({ text: 'made' })) as never
      const works: readonly Work[] = [
        (records) => records.change(Note, ids.first, (() => later) as never),
        (records) => records.create(Note, later),
        (records) => records.create(Note, [{ ticket: ids.ticket, text: 'made' }] as never),
        (records) => records.run(Ticket, ids.ticket, 'rename', later),
        (records) => records.change(Note, ids.first, null as never),
        (records) => records.change(Note, ids.first, (() => later) as never).catch(() => {}),
      ]
      for (const work of works) {
        running().forgetLog()
        assert.equal((await inEffect('REST')(work, world, running)).code, 'INTERNAL_ERROR')
        assert.match(running().log().join(), /and it takes fields with their values/)
      }
      const calls: readonly ((service: AsService) => Promise<unknown>)[] = [
        ({ records }) => records.update(Note, ids.first, later),
        ({ records }) => records.create(Note, later),
        ({ records }) => records.run(Ticket, ids.ticket, 'rename', later),
      ]
      for (const call of calls) {
        probe = call
        assert.equal((await running().send('POST /api/v1/probes', { fixtures })).status, 500)
      }
      running().forgetLog()
      assert.deepEqual(await texts(world), ['first'])
    })

    test('10.2.17 so it is where the ticket is made by the same effect, or waits for its own effect', async () => {
      const world = await begin(running)
      const { ids } = world
      const outcome = await inEffect('REST')(
        async (records) => {
          const what = `ticket ${jobs.size}`
          jobs.set(what, ({ id, records: inner }) =>
            inner.create(Note, { ticket: id as never, label: ids.red, text: 'inner' }),
          )
          const ticket = await records.create(Ticket, { organization: ids.acme, subject: what })
          await records.create(Note, { ticket: ticket.id, label: ids.red, text: 'outer' })
        },
        world,
        running,
      )
      assert.equal(outcome.code, null, outcome.message)
      const { data } = await voice('REST', world, running).list('Note')
      assert.deepEqual(data.map(({ text }: { text: string }) => text).sort(), ['first', 'inner', 'outer'])
    })

    test('10.2.17 so it is where the action of the record fills in the ticket', async () => {
      const { ids, fixtures } = await begin(running)
      let made: object = {}
      probe = async ({ records }) => {
        made = await records.create(Remark, { about: ids.ticket, text: 'x' })
      }
      assert.equal((await running().send('POST /api/v1/probes', { fixtures })).status, 204)
      assert.equal((made as { organization: string }).organization, ids.acme)
    })
  },
  { definition: casework, routes: [probing], reactions: [reaction], limits: { eventPollMs: 10 } },
)
void Remark
void Label
