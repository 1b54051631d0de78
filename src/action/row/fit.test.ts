// What a definition's own code gives, whoever writes it: held to the field as what a client sends, or a bug and not stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  argument,
  boolean,
  choice,
  counter,
  currency,
  email,
  event,
  integer,
  json,
  list,
  nobody,
  object,
  on,
  one,
  optional,
  readOnly,
  resource,
  service,
  signedIn,
  state,
  text,
  timestamp,
  url,
} from 'duet-api'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { type TestService, withService } from '../../../test/support/server/service.ts'
import { bind, type Program, query, type StoredRow } from '../../store/store.ts'

type Values = Readonly<Record<string, unknown>>

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

/** What code gives in the test that runs. */
const code: { values: Values; do: (transaction: never) => Promise<unknown> } = { values: {}, do: async () => {} }

const Thing = resource('Thing', {
  prefix: 'thg',
  fields: {
    label: text({ max: 5 }),
    mood: choice(['calm', 'loud'], { default: 'calm' }),
    isOn: boolean({ default: true }),
    count: integer({ min: 0, max: 9, default: 0 }),
    tags: list(text({ max: 5 }), { max: 2 }),
    lines: list(object({ sku: text({ max: 5 }), at: optional(timestamp()), price: readOnly(integer({ min: 0 })) }), {
      max: 2,
    }),
    meta: json({ maxBytes: 20 }),
    mail: optional(email()),
    site: optional(url()),
    money: optional(currency()),
    short: optional(text({ max: 9, pattern: /[a-z]+/ })),
    rank: optional(choice(['low', 'high'], { ordered: true })),
    serial: counter(),
    stage: state('new', 'old'),
    at: optional(timestamp()),
    owner: optional(one('User')),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['label', 'mail'] },
    rename: { allow: signedIn, accept: ['label'], set: { at: ({ now }) => now } },
    age: { allow: signedIn, from: 'new', to: 'old' },
    turn: { allow: signedIn, set: { tags: () => code.values['tags'] as readonly string[] } },
    fill: {
      allow: signedIn,
      set: { isOn: true },
      effect: async ({ assign }) => assign(code.values as never),
    },
  },
})

/** Lets code act on things, as an effect. */
const Deed = resource('Deed', {
  prefix: 'deed',
  fields: { name: text({ max: 20 }) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['name'],
      effect: async (transaction) => (await code.do(transaction as never)) as undefined,
      emit: event('done'),
    },
  },
})

const Note = resource('Note', {
  prefix: 'note',
  fields: {
    text: text({ max: 20 }),
    days: argument(integer({ min: 1, max: 9 })),
    until: optional(timestamp()),
    by: optional(one('User')),
    reason: optional(text({ max: 10 })),
    status: state('open', 'closed'),
  },
  actions: {
    read: { allow: anyone },
    create: {
      allow: nobody,
      accept: ['text', 'days'],
      check: ({ input }) => input.text !== 'no' || 'Not that.',
      set: {
        by: ({ actor }) => actor?.id ?? null,
        until: ({ now, input }) => new Date(now.getTime() + input.days * 86_400_000),
      },
      emit: event('noted'),
    },
    close: {
      allow: nobody,
      accept: ['reason', 'days'],
      from: 'open',
      check: ({ input }) => input.days > 0 || 'Never.',
      to: 'closed',
    },
  },
})

const definition = service({
  resources: { User, Thing, Deed, Note },
  accounts,
  roles: { MEMBER: {}, ADMIN: {} },
})

interface Transaction {
  readonly records: {
    change(of: unknown, id: string, values: Values): Promise<void>
    create(of: unknown, values: Values): Promise<Values>
    run(of: unknown, id: string, move: string, input?: Values): Promise<void>
  }
}

/** What does not fit, by field; and the place that the log names, where that is not the field. */
const unfit: readonly (readonly [values: Values, place: string])[] = [
  [{ label: 'far too long' }, 'Thing.label'],
  [{ label: '' }, 'Thing.label'],
  [{ label: null }, 'Thing.label'],
  [{ label: 7 }, 'Thing.label'],
  [{ label: 'a\0b' }, 'Thing.label'],
  [{ mood: 'jolly' }, 'Thing.mood'],
  [{ isOn: 'yes' }, 'Thing.isOn'],
  [{ count: 'three' }, 'Thing.count'],
  [{ count: null }, 'Thing.count'],
  [{ tags: 'abc' }, 'Thing.tags'],
  [{ tags: ['a', 'b', 'c'] }, 'Thing.tags'],
  [{ tags: ['a', 'far too long'] }, 'Thing.tags[1]'],
  [{ lines: [{ sku: 'far too long', at: null, price: 1 }] }, 'Thing.lines[0].sku'],
  [{ lines: [{ sku: 'a', at: null, price: -1 }] }, 'Thing.lines[0].price'],
  [{ lines: [{ at: null, price: 1 }] }, 'Thing.lines[0].sku'],
  [{ lines: [{ sku: 'a', colour: 'red' }] }, 'Thing.lines[0].colour'],
  [{ meta: [] }, 'Thing.meta'],
  [{ meta: { long: 'x'.repeat(20) } }, 'Thing.meta'],
  [{ mail: 'nobody' }, 'Thing.mail'],
  [{ site: 'javascript:alert(1)' }, 'Thing.site'],
  [{ money: 'eur' }, 'Thing.money'],
  [{ at: 'soon' }, 'Thing.at'],
  [{ at: new Date(Number.NaN) }, 'Thing.at'],
  [{ owner: 5 }, 'Thing.owner'],
  [{ short: 'A' }, 'Thing.short'],
  [{ rank: 'far too long' }, 'Thing.rank'],
  [{ stage: 'jolly' }, 'Thing.stage'],
  [{ serial: 7 }, 'Thing.serial'],
  [{ tags: ['a\0'] }, 'Thing.tags[0]'],
  [{ tags: [7] }, 'Thing.tags[0]'],
  [{ meta: { a: '\ud83d' } }, 'Thing.meta'],
  [{ id: 'thg_1' }, 'Thing.id'],
  [{ createdAt: new Date(0) }, 'Thing.createdAt'],
  [{ updatedAt: new Date(0) }, 'Thing.updatedAt'],
  [{ size: 5 }, 'size'],
]

withService(
  'values that code gives',
  (running) => {
    const people = { ann: { User: { name: 'Ann', role: 'MEMBER' } }, thing: { Thing: { label: 'T' } } }
    const begin = async () => {
      const fixtures = running().fixtures(people)
      const id = await fixtures.idOf('thing')
      const deed = () => running().send('POST /api/v1/deeds', { as: '{ann}', fixtures, body: { name: 'D' } })
      const move = (name: string) => running().send(`POST /api/v1/things/${id}/${name}`, { as: '{ann}', fixtures })
      return { id, fixtures, deed, move, annId: await fixtures.idOf('ann') }
    }
    const stored = () => rows(running(), 'select * from things order by id')
    const doing = (work: (transaction: Transaction) => Promise<unknown>) => {
      code.do = work as never
    }

    test('that do not fit are bugs, by every way, and nothing is stored', async () => {
      const { id, deed, move } = await begin()
      const ways: Readonly<Record<string, (values: Values) => Promise<{ status: number; text: string }>>> = {
        change: (values) => {
          doing(({ records }) => records.change(Thing, id, values))
          return deed()
        },
        create: (values) => {
          doing(({ records }) => records.create(Thing, { label: 'New', ...values }))
          return deed()
        },
        'a change whose failure the effect catches': (values) => {
          doing(({ records }) => records.change(Thing, id, values).catch(() => undefined))
          return deed()
        },
        'the set of an effect': (values) => {
          code.values = values
          return move('fill')
        },
        'a move with an effect that an effect runs': (values) => {
          code.values = values
          doing(({ records }) => records.run(Thing, id, 'fill'))
          return deed()
        },
      }
      const before = await stored()
      for (const [way, write] of Object.entries(ways)) {
        for (const [values, place] of unfit) {
          running().forgetLog()
          const { status, text: answer } = await write(values)
          const what = `${way}: ${JSON.stringify(values)} is ${answer}`
          assert.equal(status, 500, what)
          assert.match(answer, /"INTERNAL_ERROR"/, what)
          const [line] = running()
            .logged()
            .filter((each) => each['level'] === 'error')
          const logged = JSON.stringify(line)
          assert.ok(logged.includes(place), `${what}; the log: ${logged}`)
          assert.doesNotMatch(logged, /far too long|jolly|javascript:|nobody"/, way)
          assert.deepEqual(await stored(), before, what)
        }
      }
      code.values = { tags: ['far too long'] }
      assert.equal((await move('turn')).status, 500, 'the set of a move')
      assert.deepEqual(await stored(), before)
      running().forgetLog()
    })

    test('that fit are stored as those of clients are', async () => {
      const { id, deed, annId } = await begin()
      const at = new Date('2026-01-02T03:04:05.678Z')
      const values = { mail: 'ANN@Example.com', tags: ['a'], at, lines: [{ sku: 's', at, price: 3 }], owner: annId }
      let made: Values = {}
      doing(async ({ records }) => {
        await records.change(Thing, id, values)
        made = await records.create(Thing, { label: 'New', ...values })
      })
      assert.equal((await deed()).status, 201)
      assert.equal(made['mail'], 'ann@example.com')
      for (const each of [id, made['id']]) {
        const { body } = await running().send(`GET /api/v1/things/${each}`)
        const { mail, tags, at, lines, owner_id } = body.data
        const moment = '2026-01-02T03:04:05.678Z'
        assert.deepEqual(
          { mail, tags, at, lines, owner_id },
          {
            mail: 'ann@example.com',
            tags: ['a'],
            at: moment,
            lines: [{ sku: 's', at: moment, price: 3 }],
            owner_id: annId,
          },
        )
      }
      running().assertLog()
    })

    test('that name a record which is not there are refused, and nothing is stored', async () => {
      const { id, deed } = await begin()
      const before = await stored()
      const owner = 'usr_00000000000000000000000000'
      for (const work of [
        ({ records }: Transaction) => records.change(Thing, id, { owner }),
        ({ records }: Transaction) => records.create(Thing, { label: 'New', owner }),
      ]) {
        doing(work)
        const { status, body } = await deed()
        assert.deepEqual([status, body.error.code], [422, 'BUSINESS_RULE_VIOLATION'])
      }
      assert.deepEqual(await stored(), before)
    })

    test('a record that an effect makes is made by its own create, but for who may', async () => {
      const { deed, annId } = await begin()
      let made: Values = {}
      doing(async ({ records }) => {
        made = await records.create(Note, { text: 'yes', days: 2 })
      })
      assert.equal((await deed()).status, 201)
      const { body } = await running().send(`GET /api/v1/notes/${made['id']}`)
      assert.equal(body.data.by_id, annId, 'set')
      assert.equal(Date.parse(body.data.until) - Date.parse(body.data.created_at), 2 * 86_400_000)
      const [told] = await rows(running(), "select record_id from duet_event where name = 'noted'")
      assert.deepEqual(told, [made['id']], 'emit')
      doing(({ records }) => records.create(Note, { text: 'no', days: 2 }))
      const refused = await deed()
      assert.deepEqual([refused.status, refused.body.error.message], [422, 'Not that.'])
      doing(async ({ records }) => {
        made = await records.create(Note, { text: 'mine', days: 2, by: null, until: null })
      })
      assert.equal((await deed()).status, 201)
      assert.deepEqual([made['until'], made['by']], [null, null], 'what is given wins')
      running().forgetLog()
      doing(({ records }) => records.create(Note, { text: 'yes' }))
      assert.equal((await deed()).status, 500)
      assert.match(running().log().join(''), /runs Note\.create without days, which it needs/)
    })

    test('a move that an effect runs takes what it accepts, and needs it', async () => {
      const { deed, fixtures } = await begin()
      const note = await running()
        .fixtures({ note: { Note: { text: 'N' } } })
        .idOf('note')
      const wrong: readonly (readonly [input: Values, sentence: RegExp])[] = [
        [{}, /runs Note\.close without days, which it needs/],
        [{ days: 99 }, /gave Note\.close, for days, a value that it cannot hold: At most 9\./],
        [{ days: 1, reason: 'far too long for it' }, /gave Note\.reason a value that it cannot hold: At most 10/],
        [{ days: 1, size: 1 }, /gives Note\.close size, which it does not take/],
      ]
      for (const [input, sentence] of wrong) {
        running().forgetLog()
        doing(({ records }) => records.run(Note, note, 'close', input))
        assert.equal((await deed()).status, 500)
        assert.match(running().log().join(''), sentence)
      }
      const read = async () => (await running().send(`GET /api/v1/notes/${note}`, { fixtures })).body.data
      assert.equal((await read()).status, 'open')
      doing(({ records }) => records.run(Note, note, 'close', { days: 1, reason: 'enough' }))
      assert.equal((await deed()).status, 201)
      assert.deepEqual([(await read()).status, (await read()).reason], ['closed', 'enough'])
    })
  },
  {
    definition,
    reactions: [on(Deed, 'done', async () => {})],
  },
)

async function rows({ store }: TestService, sql: string): Promise<readonly StoredRow[]> {
  function* read(): Program<readonly StoredRow[]> {
    return yield bind(query(sql))
  }
  return store.read(read())
}
