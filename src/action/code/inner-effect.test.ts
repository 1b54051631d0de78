// Effects that run others: how deep, in what order, and all of it or nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, argument, choice, event, integer, nobody, resource, service, signedIn, state, text } from 'duet-api'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { withService } from '../../../test/support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 100 }),
    ...accountFields,
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'RETIRED'),
  },
  actions: { read: { allow: anyone }, retire: { allow: nobody, from: 'ACTIVE', to: 'RETIRED' } },
})

const Tank = resource('Tank', {
  prefix: 'tank',
  fields: { litres: integer({ min: 0, max: 100, default: 0 }), status: state('open', 'shut') },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['litres'] },
    draw: { allow: nobody, from: 'open', set: { litres: ({ record }) => record.litres - 1 }, emit: event('drawn') },
    /** Runs the same as a move with an effect: reads, waits, and writes. */
    pump: {
      allow: nobody,
      from: 'open',
      effect: async ({ record, assign, records }) => {
        await records.here.lockExisting([record.id])
        assign({ litres: record.litres - 1 })
      },
    },
    shut: {
      allow: nobody,
      from: 'open',
      effect: async ({ record }) => (record.litres > 5 ? 'It is not empty enough.' : undefined),
      to: 'shut',
    },
  },
})

/** Each runs the one below it, down to a tank. */
const level = <const Name extends string>(name: Name, inner: (tank: string, records: Runs) => Promise<void>) =>
  resource(name, {
    prefix: name.toLowerCase(),
    fields: { tank: text({ max: 40 }), runs: integer({ default: 0 }), status: state('idle', 'done') },
    actions: {
      read: { allow: anyone },
      create: { allow: nobody, accept: ['tank'], effect: ({ input, records }) => inner(input.tank, records as Runs) },
      go: {
        allow: signedIn,
        from: 'idle',
        effect: async ({ record, records, assign }) => {
          await inner(record.tank, records as Runs)
          assign({ runs: record.runs + 1 })
        },
        to: 'done',
      },
    },
  })
interface Runs {
  run(of: unknown, id: string, move: string): Promise<void>
  create(of: unknown, values: object): Promise<{ readonly id: string }>
}

const Third = level('Third', (tank, records) => records.run(Tank, tank, 'draw'))
const Second = level('Second', async (tank, records) => void (await records.create(Third, { tank })))
const First = level('First', async (tank, records) => void (await records.create(Second, { tank })))
const Above = level('Above', async (tank, records) => void (await records.create(First, { tank })))

const deeds = ['pump_twice', 'pump_unawaited', 'shut', 'shut_and_catch', 'ring', 'wide_ring'] as const
const Deed = resource('Deed', {
  prefix: 'deed',
  fields: { what: choice([...deeds]), tank: argument(text({ max: 40 })) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['what', 'tank'],
      effect: async ({ input: { what, tank }, records }) => {
        if (what === 'pump_twice') await Promise.all([records.run(Tank, tank, 'pump'), records.run(Tank, tank, 'pump')])
        if (what === 'pump_unawaited') {
          void records.run(Tank, tank, 'pump')
          void records.run(Tank, tank, 'pump')
        }
        if (what === 'shut') await records.run(Tank, tank, 'shut')
        if (what === 'shut_and_catch') {
          await records.change(Tank, tank, { litres: 50 })
          await records.run(Tank, tank, 'shut').catch(() => undefined)
        }
        if (what === 'ring') await records.here.create({ what, tank })
        if (what === 'wide_ring') await (records as Runs).create(Echo, { tank })
      },
    },
  },
})

/** Does the deed again that made it. */
const Echo = resource('Echo', {
  prefix: 'echo',
  plural: 'echoes',
  fields: { tank: text({ max: 40 }) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: nobody,
      accept: ['tank'],
      effect: async ({ input: { tank }, records }) => void (await records.create(Deed, { what: 'wide_ring', tank })),
    },
  },
})

const definition = service({
  resources: { User, Tank, First, Second, Third, Above, Deed, Echo },
  accounts,
  roles: { MEMBER: {}, ADMIN: {} },
})

withService(
  'effects that run others',
  (running) => {
    const people = {
      ann: { User: { name: 'Ann', role: 'MEMBER' } },
      tank: { Tank: { litres: 10 } },
      first: { First: { tank: '{tank}' } },
      above: { Above: { tank: '{tank}' } },
    }
    const begin = () => {
      const fixtures = running().fixtures(people)
      return {
        deed: (what: string) =>
          running().send('POST /api/v1/deeds', { as: '{ann}', fixtures, body: { what, tank: '{tank}' } }),
        go: (name: string) => running().send(`POST /api/v1/${name}s/{${name}}/go`, { as: '{ann}', fixtures }),
        tank: async () => (await running().send('GET /api/v1/tanks/{tank}', { fixtures })).body.data,
      }
    }

    test('13.3.7 go three deep, and each fills in its own record', async () => {
      const { go, tank } = begin()
      const { status, body, text: answer } = await go('first')
      assert.deepEqual([status, body.data?.runs, body.data?.status], [200, 1, 'done'], answer)
      assert.equal((await tank()).litres, 9)
      const tables = await running().tables('seconds', 'thirds')
      assert.equal(tables.length, 2)
    })

    test('13.3.7 go no deeper, which is logged with the way there, and undone', async () => {
      const { go, tank } = begin()
      const count = (await running().tables('firsts', 'seconds', 'thirds')).length
      const { status } = await go('above')
      assert.equal(status, 500)
      const log = running().log().join('')
      assert.match(
        log,
        /Effects run each other more than 3 deep: Above\.go, First\.create, Second\.create, Third\.create\./,
      )
      assert.equal((await tank()).litres, 10)
      assert.equal((await running().tables('firsts', 'seconds', 'thirds')).length, count)
      running().forgetLog()
    })

    for (const [what, way] of [
      ['ring', /Effects run each other in a ring: Deed\.create, Deed\.create\./],
      ['wide_ring', /Effects run each other in a ring: Deed\.create, Echo\.create, Deed\.create\./],
    ] as const)
      test(`13.3.7 do not run each other in a ring, which is logged with the way there: ${what}`, async () => {
        const { deed, tank } = begin()
        await tank()
        const count = (await running().tables('deeds', 'echoes')).length
        assert.equal((await deed(what)).status, 500)
        assert.match(running().log().join(''), way)
        assert.equal((await running().tables('deeds', 'echoes')).length, count)
        running().forgetLog()
      })

    test('run one after the other, also without await', async () => {
      for (const what of ['pump_twice', 'pump_unawaited']) {
        const { deed, tank } = begin()
        const { status, text: answer } = await deed(what)
        assert.equal(status, 201, answer)
        assert.equal((await tank()).litres, 8, what)
      }
    })

    test('refuse for all, also where the outer one catches it', async () => {
      const plain = begin()
      const refused = await plain.deed('shut')
      assert.deepEqual([refused.status, refused.body.error.message], [422, 'It is not empty enough.'])
      const catching = begin()
      await catching.tank()
      const caught = await catching.deed('shut_and_catch')
      assert.deepEqual([caught.status, caught.body.error?.message], [422, 'It is not empty enough.'])
      assert.deepEqual([(await catching.tank()).litres, (await catching.tank()).status], [10, 'open'])
    })
  },
  { definition },
)
