// Effects: what one action does to other records, all of it or nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  argument,
  atLeastOne,
  choice,
  event,
  integer,
  nobody,
  one,
  optional,
  resource,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { type TestService, withService } from '../../../test/support/server/service.ts'
import { bind, type Program, query, type StoredRow } from '../../store/store.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 100 }),
    ...accountFields,
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'RETIRED'),
  },
  invariants: [atLeastOne({ role: 'ADMIN', status: 'ACTIVE' }, 'Somebody must stay.')],
  actions: {
    read: { allow: anyone },
    retire: { allow: nobody, from: 'ACTIVE', to: 'RETIRED' },
  },
})

const Box = resource('Box', {
  prefix: 'box',
  plural: 'boxes',
  fields: {
    label: text({ max: 20, unique: true }),
    count: integer({ min: 0, max: 2, default: 0 }),
    status: state('open', 'sealed'),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['label'] },
    fill: {
      allow: nobody,
      from: 'open',
      set: { count: ({ record }) => record.count + 1 },
      emit: event('filled'),
    },
    seal: {
      allow: nobody,
      from: 'open',
      check: ({ record }) => record.count > 0 || 'An empty box is not sealed.',
      to: 'sealed',
    },
  },
})

const deeds = ['fill', 'fill_twice', 'seal', 'retire', 'copy', 'overfill', 'refuse', 'break', 'forget', 'lose'] as const
/** Does something to a box or a person, and keeps that it did. */
const Deed = resource('Deed', {
  prefix: 'deed',
  fields: {
    what: choice([...deeds]),
    box: optional(one('Box')),
    person: optional(one('User')),
    label: argument(optional(text({ max: 20 }))),
    note: optional(text({ max: 20 })),
  },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['what', 'box', 'person', 'label'],
      effect: async ({ input: { what, box, person, label }, records, assign }) => {
        if (what === 'fill') await records.run(Box, box!, 'fill')
        if (what === 'fill_twice') await Promise.all([records.run(Box, box!, 'fill'), records.run(Box, box!, 'fill')])
        if (what === 'seal') await records.run(Box, box!, 'seal')
        if (what === 'retire') await records.run(User, person!, 'retire')
        if (what === 'copy') await records.create(Box, { label: label! })
        if (what === 'overfill') await records.change(Box, box!, { count: 3 })
        if (what === 'lose') await records.change(Box, 'box_lost' as never, { count: 1 })
        if (what === 'refuse' || what === 'break') await records.change(Box, box!, { count: 1 })
        if (what === 'refuse') return 'Not today.'
        if (what === 'break') throw new Error('A bug of whoever wrote this.')
        if (what === 'forget') void records.run(Box, box!, 'fill')
        assign({ note: `It was ${what}.` })
        return undefined
      },
    },
  },
})

const definition = service({
  resources: { User, Box, Deed },
  accounts,
  roles: { MEMBER: {}, ADMIN: {} },
})

withService(
  'effects',
  (service) => {
    const people = {
      ada: { User: { name: 'Ada', role: 'MEMBER' } },
      box: { Box: { label: '{unique}' } },
      full: { Box: { label: '{unique}', count: 2 } },
      sealed: { Box: { label: '{unique}', count: 1, status: 'sealed' } },
    }
    const begin = () => {
      const fixtures = service().fixtures(people)
      const tell = (what: string, more: Readonly<Record<string, unknown>> = {}) =>
        service().send('POST /api/v1/deeds', { as: '{ada}', fixtures, body: { what, ...more } })
      const box = async (name = '{box}') => (await service().send(`GET /api/v1/boxes/${name}`, { fixtures })).body.data
      return { fixtures, tell, box }
    }
    /** How many there are of what an effect must not leave behind. */
    const count = async (table: string) => Number((await rows(service(), `select count(*) from ${table}`))[0]![0])

    test('a move of another record is made with the write, and fills it in', async () => {
      const { tell, box } = begin()
      const { status, body } = await tell('fill', { box_id: '{box}' })
      assert.deepEqual([status, body.data.note, (await box()).count], [201, 'It was fill.', 1])
    })

    test('moves that are not waited for one by one are made one by one', async () => {
      const { tell, box } = begin()
      assert.equal((await tell('fill_twice', { box_id: '{box}' })).status, 201)
      assert.equal((await box()).count, 2)
      const other = begin()
      assert.equal((await other.tell('forget', { box_id: '{box}' })).status, 201)
      assert.equal((await other.box()).count, 1, 'not even where it is not waited for at all')
    })

    test('a move from the wrong state is 409, one that the business refuses 422, and neither leaves anything', async () => {
      const { tell, box } = begin()
      await box()
      const before = await count('deeds')
      const conflict = await tell('fill', { box_id: '{sealed}' })
      assert.deepEqual([conflict.status, conflict.body.error.code], [409, 'CONFLICT'])
      const refused = await tell('seal', { box_id: '{box}' })
      assert.deepEqual([refused.status, refused.body.error.message], [422, 'An empty box is not sealed.'])
      assert.equal(await count('deeds'), before)
      assert.equal((await box()).status, 'open')
    })

    test('what an effect writes is held to its limits, however it is written', async () => {
      const { tell, box } = begin()
      for (const [what, name] of [
        ['overfill', '{box}'],
        ['fill', '{full}'],
      ] as const) {
        const before = await box(name)
        const { status, body } = await tell(what, { box_id: name })
        assert.deepEqual([status, body.error?.message], [422, 'The result is larger than 2.'], what)
        assert.deepEqual(await box(name), before)
      }
    })

    test('a sentence and a bug undo what was changed before them', async () => {
      const { tell, box } = begin()
      const before = await box()
      const refused = await tell('refuse', { box_id: '{box}' })
      assert.deepEqual([refused.status, refused.body.error.message], [422, 'Not today.'])
      assert.deepEqual(await box(), before)
      const broken = await tell('break', { box_id: '{box}' })
      assert.deepEqual([broken.status, broken.body.error.code], [500, 'INTERNAL_ERROR'])
      assert.deepEqual(await box(), before)
    })

    test('13.3.12 a change of a record that is missing is 422', async () => {
      const { tell } = begin()
      const { status, body } = await tell('lose')
      assert.deepEqual([status, body.error?.code], [422, 'BUSINESS_RULE_VIOLATION'])
    })

    test('a unique value that is taken is 409 for what an effect makes, too', async () => {
      const { tell, box } = begin()
      const { label } = await box()
      const taken = await tell('copy', { label })
      assert.deepEqual([taken.status, taken.body.error.code], [409, 'CONFLICT'])
      assert.equal((await tell('copy', { label: `${label}-2` })).status, 201)
    })

    test('a move that an effect makes notifies its subscribers', async () => {
      const { tell, fixtures } = begin()
      await tell('fill', { box_id: '{box}' })
      const [event] = await rows(
        service(),
        'select name, resource, record_id from duet_event order by number desc limit 1',
      )
      assert.deepEqual(event, ['filled', 'Box', await fixtures.idOf('box')])
    })

    test('what always holds of a resource holds after effects of others', async () => {
      const { tell, fixtures } = begin()
      assert.equal((await tell('retire', { person_id: '{ada}' })).status, 201)
      const eve = service().fixtures({ eve: { User: { name: 'Eve', role: 'MEMBER' } } })
      const last = await service().send('POST /api/v1/deeds', {
        as: '{eve}',
        fixtures: eve,
        body: { what: 'retire', person_id: await fixtures.idOf('admin') },
      })
      assert.deepEqual([last.status, last.body.error?.message], [422, 'Somebody must stay.'])
    })

    test('an account that an effect retires is refused at once', async () => {
      const { tell } = begin()
      assert.equal((await tell('retire', { person_id: '{ada}' })).status, 201)
      assert.equal((await tell('fill', { box_id: '{box}' })).body.error.code, 'INVALID_TOKEN')
    })
  },
  { definition },
)

async function rows({ store }: TestService, sql: string): Promise<readonly StoredRow[]> {
  function* read(): Program<readonly StoredRow[]> {
    return yield bind(query(sql))
  }
  return store.read(read())
}
