// Checks that read, through both faces: what they see, what they lock, and what they cost nobody else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AsService,
  actor,
  anyone,
  boolean,
  choice,
  is,
  many,
  may,
  member,
  nobody,
  one,
  optional,
  own,
  resource,
  route,
  service,
  signedIn,
  text,
  when,
} from 'duet-api'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { type FaceName, faceNames, speak } from '../support/client/both-faces.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { type TestService, withService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, role: choice(['ANY', 'ROOT'], { default: 'ANY' }) },
  actions: { read: { allow: signedIn } },
})
const Team = resource('Team', {
  prefix: 'team',
  fields: { name: text({ max: 40 }), members: many('Membership', 'team') },
  members: { list: 'members', account: 'user', role: 'role', while: when({ isActive: true }) },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'team',
  fields: {
    team: one('Team'),
    user: one('User', { cascade: 'regardless' }),
    role: choice(['LEAD', 'AGENT', 'GUEST']),
    isActive: boolean({ default: true }),
  },
  actions: { read: { allow: may('read_any') }, create: { allow: nobody } },
})
const Task = resource('Task', {
  prefix: 'task',
  within: 'team',
  fields: { team: one('Team'), title: text({ max: 40 }), assignee: optional(one('User')) },
  actions: {
    read: { allow: member('team') },
    create: { allow: nobody, accept: ['team', 'title'] },
    assign: {
      allow: member('team'),
      accept: ['assignee'],
      check: async ({ input, record, records }) =>
        ['LEAD', 'AGENT'].includes((await records.tenantRole(record.team, input.assignee)) ?? '') ||
        'Only agents can be assigned.',
    },
  },
})
const Gate = resource('Gate', {
  prefix: 'gate',
  fields: {
    owner: one('User', { cascade: 'regardless', default: actor }),
    isOpen: boolean({ default: true }),
    isHidden: boolean({ default: false }),
  },
  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn },
    update: { allow: signedIn, accept: ['isOpen'] },
  },
})
/** What a check waits for between two looks. */
let pause: () => Promise<void> = async () => {}
const Entry = resource('Entry', {
  prefix: 'entry',
  fields: { gate: text({ max: 60 }), seen: optional(text({ max: 40 })) },
  filter: { gate: is },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['gate'],
      check: async ({ input, records }) => {
        const first = await records.get(Gate, input.gate as never)
        await pause()
        const second = await records.get(Gate, input.gate as never)
        return (first.isOpen && second.isOpen) || 'The gate is shut.'
      },
    },
  },
})
/** At most three of a name. */
const Seat = resource('Seat', {
  prefix: 'seat',
  fields: { row: text({ max: 60 }), step: choice(['one', 'two'], { default: 'one' }) },
  filter: { row: is },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['row'],
      check: async ({ input, records }) =>
        (await records.here.count({ filter: { row: input.row } })) < 3 || `The row ${input.row} is full.`,
    },
    /** Forgets to be asynchronous. */
    promise: { allow: signedIn, check: () => Promise.resolve(true), set: { step: 'two' } },
    empty: { allow: signedIn, check: async () => undefined as never, set: { step: 'two' } },
  },
})
/** Takes a seat by code. */
const Party = resource('Party', {
  prefix: 'party',
  fields: { row: text({ max: 60 }) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['row'],
      effect: async ({ input, records }) => void (await records.create(Seat, { row: input.row })),
    },
  },
})

const definition = service({
  resources: { User, Team, Membership, Task, Gate, Entry, Seat, Party },
  accounts,
  roles: { ANY: {}, ROOT: 'everything' },
  tenantRoles: { Team: { LEAD: 'everything', AGENT: { memberships: ['read_any'] }, GUEST: {} } },
})

const people = {
  ann: { User: {} },
  ben: { User: {} },
  lead: { User: {} },
  guest: { User: {} },
  team: { Team: { name: 'One' } },
  other: { Team: { name: 'Two' } },
  annWorks: { Membership: { team: '{team}', user: '{ann}', role: 'AGENT' } },
  leads: { Membership: { team: '{team}', user: '{lead}', role: 'LEAD' } },
  visits: { Membership: { team: '{team}', user: '{guest}', role: 'GUEST' } },
  left: { User: {} },
  hasLeft: { Membership: { team: '{team}', user: '{left}', role: 'AGENT', isActive: false } },
  elsewhere: { Membership: { team: '{other}', user: '{ben}', role: 'LEAD' } },
  task: { Task: { team: '{team}', title: 'T' } },
  gate: { Gate: { owner: '{ann}' } },
}

type Probe = (moment: { readonly asService: AsService }) => Promise<unknown>
let probe: Probe = async () => null
const probing = route('POST', '/api/v1/probes', {
  summary: 'Probe',
  access: anyone,
  handle: async (moment) => void (await probe(moment)),
})

withService(
  '13.4 checks that read',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures(people)
      const names = Object.keys(people) as (keyof typeof people)[]
      const entries = await Promise.all(names.map(async (name) => [name, await fixtures.idOf(name)] as const))
      const ids = Object.fromEntries(entries) as Record<keyof typeof people, string>
      const as = (who: string, face: FaceName) => speak(face, running(), { as: `{${who}}` as never, fixtures })
      return { fixtures, ids, as }
    }

    test('13.4.1 a check reads what its actor may read, and its sentence is 422', async () => {
      const { ids, as } = await begin()
      for (const face of faceNames) {
        assert.equal((await as('ann', face).create('Entry', { gate: ids.gate })).code, null)
        const hidden = await as('ben', face).create('Entry', { gate: ids.gate })
        const missing = await as('ben', face).create('Entry', { gate: 'gate_01J00000000000000000000000' })
        assert.equal(hidden.code, 'BUSINESS_RULE_VIOLATION')
        assert.deepEqual(missing, hidden)
      }
      await as('ann', 'REST').change('Gate', ids.gate, { isOpen: false })
      for (const face of faceNames) {
        const { code, message } = await as('ann', face).create('Entry', { gate: ids.gate })
        assert.deepEqual([code, message], ['BUSINESS_RULE_VIOLATION', 'The gate is shut.'])
      }
    })

    test('13.4.2 what a check has read is as it was until the write is committed', async () => {
      const { ids, as } = await begin()
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      pause = () => {
        reached.resolve()
        return released.promise
      }
      const entered = as('ann', 'REST').create('Entry', { gate: ids.gate })
      await reached.promise
      const shut = as('ann', 'REST').change('Gate', ids.gate, { isOpen: false })
      const first = await Promise.race([shut.then(() => 'changed'), isWaiting(running()).then(() => 'waits')])
      pause = async () => {}
      released.resolve()
      assert.equal(first, 'waits')
      assert.deepEqual([(await entered).code, (await shut).code], [null, null])
    })

    test('13.4.3 of an action whose check counts, one at a time is checked: no two find room for one', async () => {
      const { ids, as } = await begin()
      const row = ids.team
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          as('ann', faceNames[at % 2]!).create(at % 4 < 2 ? 'Seat' : 'Party', { row }),
        ),
      )
      const codes = results.map(({ code }) => code ?? 'made').sort()
      assert.deepEqual(codes, [...Array(5).fill('BUSINESS_RULE_VIOLATION'), ...Array(3).fill('made')])
      const sentences = new Set(results.flatMap(({ message }) => message ?? []))
      assert.deepEqual([...sentences], [`The row ${row} is full.`])
    })

    test('13.4.3, 13.4.6 of several the first that is too many decides, and nothing is stored', async () => {
      const { ids, fixtures } = await begin()
      const row = ids.other
      const body = { seats: [{ row }, { row }] }
      // There is room for three.
      const first = await running().send('POST /api/v1/seats/batch', { as: '{ann}', fixtures, body })
      assert.equal(first.status, 201, first.text)
      const { status, body: answer } = await running().send('POST /api/v1/seats/batch', { as: '{ann}', fixtures, body })
      assert.equal(status, 422)
      assert.deepEqual(
        answer.error.details.map(({ field }: { field: string }) => field),
        ['seats[1]'],
      )
      const last = await running().send('POST /api/v1/seats', { as: '{ann}', fixtures, body: { row } })
      assert.equal(last.status, 201, 'the room of the first is left')
    })

    test('13.4.4 which role an account has inside a tenant', async () => {
      const { ids, as } = await begin()
      const assign = async (who: string, assignee: string | null) => {
        const results = []
        for (const face of faceNames)
          results.push(await as(who, face).move('assign', 'Task', ids.task, { assigneeId: assignee }))
        const [rest, graphql] = results.map(({ code, message }) => ({ code, message }))
        assert.deepEqual(graphql, rest)
        return rest!.code ?? 'done'
      }
      assert.equal(await assign('ann', ids.lead), 'done')
      assert.equal(await assign('ann', ids.ann), 'done')
      assert.equal(await assign('ann', ids.guest), 'BUSINESS_RULE_VIOLATION')
      assert.equal(await assign('ann', ids.ben), 'BUSINESS_RULE_VIOLATION', 'who leads another team')
      assert.equal(await assign('ann', ids.left), 'BUSINESS_RULE_VIOLATION', 'who was an agent')
      assert.equal(await assign('ann', null), 'BUSINESS_RULE_VIOLATION')
      // A guest sees no memberships: for him nobody has a role.
      assert.equal(await assign('guest', ids.lead), 'BUSINESS_RULE_VIOLATION')
    })

    test('13.3.6 the service inside one tenant finds and writes nothing of another', async () => {
      const { ids, fixtures } = await begin()
      const elsewhere = running().fixtures({ ...people, far: { Task: { team: '{other}', title: 'far' } } })
      const [far, theirs] = [await elsewhere.idOf('far'), await elsewhere.idOf('other')]
      await elsewhere.idOf('elsewhere')
      const codeOf = (work: Promise<unknown>) =>
        work.then(
          () => 'done',
          (error: { code?: string }) => error.code,
        )
      let results: unknown
      probe = async ({ asService }) => {
        const inside = asService.records.within(ids.team)
        const { records: teams } = await inside.list(Team)
        results = [
          teams.map(({ id }) => id),
          (await inside.list(Task)).records.map(({ id }) => id),
          await inside.count(Membership),
          (await inside.list(Membership, { filter: { team: theirs as never } })).records.length,
          await codeOf(inside.get(Task, far as never)),
          await codeOf(inside.get(Team, theirs as never)),
          await codeOf(inside.run(Task, far as never, 'assign', { assignee: ids.ann as never })),
          await codeOf(inside.run(Task, ids.task as never, 'assign', { assignee: ids.ann as never })),
          await codeOf(inside.create(Task, { team: theirs as never, title: 'x' })),
          await codeOf(inside.create(Task, { team: ids.team as never, title: 'x' })),
          (await inside.get(User, ids.ben as never)).id,
          'sql' in inside || 'once' in inside,
          await asService.records.count(Membership, { filter: { team: theirs as never } }),
        ]
      }
      const { status, text: answer } = await running().send('POST /api/v1/probes', { fixtures })
      assert.equal(status, 204, answer)
      assert.deepEqual(results, [
        [ids.team],
        [ids.task],
        4,
        0,
        'NOT_FOUND',
        'NOT_FOUND',
        'NOT_FOUND',
        'done',
        'FORBIDDEN',
        'done',
        ids.ben,
        false,
        1,
      ])
    })

    test('13.4.5 a check that answers neither is a bug, and changes nothing', async () => {
      const { ids, as, fixtures } = await begin()
      const { data } = await as('ann', 'REST').create('Seat', { row: ids.gate })
      for (const move of ['promise', 'empty']) {
        const { status } = await running().send(`POST /api/v1/seats/${data.id}/${move}`, { as: '{ann}', fixtures })
        assert.equal(status, 500, move)
      }
      assert.match(running().log().join(''), /Seat\.promise\.check answers neither true nor a sentence: one that waits/)
      assert.match(running().log().join(''), /Seat\.empty\.check answers neither true nor a sentence\./)
      running().forgetLog()
      assert.equal((await as('ann', 'REST').read('Seat', data.id)).data.step, 'one')
    })
  },
  { definition, routes: [probing] },
)

/** Resolves once somebody waits for what somebody else has locked. */
async function isWaiting(service: TestService): Promise<void> {
  if (service.engine === 'sqlite') {
    while (service.store.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    return
  }
  function* locked(): Program<readonly StoredRow[]> {
    return yield bind(
      query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    )
  }
  while ((await service.store.read(locked())).length === 0);
}
