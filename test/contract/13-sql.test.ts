// SQL of an author's own: in the transaction of an effect, and for reading in routes and reactions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AsService, anyone, type Failure, type RouteRecords, route, type SqlPart } from 'duet-api'
import { type FaceName, faceNames, speak } from '../support/client/both-faces.ts'
import { Crate, type JobMoment, jobs, Piece, stock, User, warehouse } from '../support/domain/warehouse.ts'
import { withService } from '../support/server/service.ts'

type Probe = (moment: { readonly records: RouteRecords; readonly asService: AsService }) => Promise<unknown>
let probe: Probe = async () => null
const probing = route('POST', '/api/v1/probes', {
  summary: 'Probe',
  access: anyone,
  handle: async (moment) => void (await probe(moment)),
})

withService(
  '13.6 SQL of an author',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures(stock)
      const names = Object.keys(stock) as (keyof typeof stock)[]
      const entries = await Promise.all(names.map(async (name) => [name, await fixtures.idOf(name)] as const))
      return { fixtures, ids: Object.fromEntries(entries) as Record<keyof typeof stock, string> }
    }
    type World = Awaited<ReturnType<typeof begin>>
    async function job(face: FaceName, as: string, { fixtures }: World, work: (moment: JobMoment) => Promise<unknown>) {
      const what = `sql ${jobs.size}`
      jobs.set(what, work)
      return await speak(face, running(), { as: `{${as}}` as never, fixtures }).create('Job', { what })
    }
    async function probed<T>(work: (moment: Parameters<Probe>[0]) => Promise<T>): Promise<T> {
      let result: T | undefined
      probe = async (moment) => {
        result = await work(moment)
      }
      const { status, text } = await running().send('POST /api/v1/probes')
      assert.equal(status, 204, text)
      return result as T
    }
    const failing = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: Error) => error.message,
      )

    test('13.6.1 it runs in the transaction of an effect: it sees what was written, and is undone with it', async () => {
      const world = await begin()
      const { ids } = world
      for (const face of faceNames) {
        const { data } = await job(face, 'ann', world, async ({ records, note }) => {
          await records.create(Piece, { crate: ids.hers as never, name: `new ${face}`, weight: 1 })
          const rows = await records.sql<{ name: string; heavy: number }>`
            select p.${Piece.fields.name}, p.${Piece.fields.weight} + 1 as heavy from ${Piece} p join ${Crate} c on c.id = p.${Piece.fields.crate}
            where c.${Crate.fields.owner} = ${ids.ann} and p.${Piece.fields.name} in ${[`new ${face}`, 'bolt']} order by 1`
          note(rows.map(({ name, heavy }) => `${name} ${heavy}`).join())
        })
        assert.equal(data.note, `bolt 8,new ${face} 2`)
        const refused = await job(face, 'ann', world, async ({ records }) => {
          await records.sql`update ${Piece} set ${Piece.fields.weight} = ${99} where id = ${ids.bolt}`
          const [row] = await records.sql`select ${Piece.fields.weight} from ${Piece} where id = ${ids.bolt}`
          return `It weighs ${row!['weight']}.`
        })
        assert.equal(refused.message, 'It weighs 99.')
      }
      const [row] = await probed(
        ({ asService }) => asService.records.sql`select weight from ${Piece} where id = ${ids.bolt}`,
      )
      assert.deepEqual({ ...row }, { weight: 7 })
    })

    test('13.6.2 every value is bound, whatever it holds', async () => {
      const { ids } = await begin()
      const spiteful = `x'; drop table pieces; --`
      const answers = await probed(async ({ asService: { records } }) => {
        const none = await records.sql`select id from ${Piece} where ${Piece.fields.name} = ${spiteful}`
        const empty = await records.sql`select id from ${Piece} where id in ${[]}`
        const two = await records.sql`select id from ${Piece} where id in ${[ids.bolt, ids.nut]} order by id`
        const now = new Date('2100-01-01T00:00:00.000Z')
        const all =
          await records.sql`select count(*) as number from ${Crate} where created_at < ${now} and id = ${ids.hers} and ${Crate.fields.isOpen} = ${false}`
        return [none.length, empty.length, two.map(({ id }) => id), Number(all[0]!['number'])]
      })
      assert.deepEqual(answers, [0, 0, [ids.bolt, ids.nut].sort(), 1])
      assert.ok((await running().tables('pieces')).length > 0)
    })

    test('13.6.2 what is no value and no handle is refused', async () => {
      await begin()
      const answers = await probed(async ({ asService: { records } }) => {
        const sql = records.sql as unknown as (...all: readonly unknown[]) => Promise<unknown>
        const odd: readonly unknown[] = [undefined, { name: 'pieces' }, Symbol('x'), [[1]], () => 1]
        const values = odd.map((value) => failing(records.sql`select ${value as SqlPart}`))
        return [
          await failing(sql('select 1')),
          await failing(sql(['select ', ''], 1)),
          await failing(records.sql`select ${Crate.fields.pieces} from ${Crate}`),
          await failing(records.sql`select 1 where 1 in ${Array.from({ length: 1_001 }, () => 1)}`),
          ...(await Promise.all(values)),
        ]
      })
      assert.match(answers[0]!, /records\.sql is a tag/)
      assert.match(answers[1]!, /records\.sql is a tag/)
      assert.match(answers[2]!, /write its name/)
      assert.match(answers[3]!, /has 1001 values, more than 1000/)
      for (const each of answers.slice(4)) assert.match(each, /A value in records\.sql is none/)
    })

    test('13.6.3 outside of effects the database lets it only read', async () => {
      const { ids, fixtures } = await begin()
      const answers = await probed(({ asService: { records } }) =>
        Promise.all([
          failing(records.sql`update ${Piece} set ${Piece.fields.weight} = 1 where id = ${ids.bolt}`),
          failing(records.sql`insert into ${Piece} (id) values (${'x'}) returning id`),
          failing(records.sql`delete from ${Piece}`),
          failing(records.sql`select 1 as one; delete from ${Piece}`),
        ]),
      )
      for (const each of answers) assert.notEqual(each, 'done')
      const sent = { as: '{ann}', fixtures } as const
      const bolt = await running().send('GET /api/v1/pieces/{bolt}', sent)
      assert.equal(bolt.body.data.weight, 7)
      // The database takes writes as ever.
      assert.equal((await running().send('POST /api/v1/crates', { ...sent, body: { label: 'new' } })).status, 201)
      assert.equal((await running().send('GET /health/ready')).status, 200)
    })

    test('13.6.4 what it finds is still read under the rule', async () => {
      const world = await begin()
      const { ids } = world
      for (const face of faceNames) {
        const { code } = await job(face, 'ben', world, async ({ records, note }) => {
          const found = await records.sql<{
            id: string
          }>`select id from ${Crate} where ${Crate.fields.owner} = ${ids.ann}`
          note(String(found.length))
          await records.lockReadable(
            Crate,
            found.map(({ id }) => id as never),
          )
        })
        assert.equal(code, 'BUSINESS_RULE_VIOLATION')
      }
    })

    test('13.6.5 a caller of a route has none', async () => {
      await begin()
      assert.equal(await probed(async ({ records }) => 'sql' in records), false)
    })

    test('13.6.1 a wrong text is a bug', async () => {
      await begin()
      const wrong = await probed(({ asService }) => failing(asService.records.sql`select nothing from ${User}`))
      assert.match(wrong, /nothing/)
      const failed = await probed(async ({ asService }) =>
        asService.records.sql`select 1 from nowhere`.catch(
          (error: Failure | Error) => 'code' in error && error.code === 'CONFLICT',
        ),
      )
      assert.equal(failed, false)
    })
  },
  { definition: warehouse, routes: [probing] },
)
