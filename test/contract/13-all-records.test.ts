// `records.all` of checks and effects: reads as the service, in the outermost tenant of the record. (contract 13.4.8)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acrossTenants,
  anyone,
  choice,
  hasToken,
  integer,
  is,
  many,
  member,
  nobody,
  one,
  optional,
  own,
  resource,
  type Service,
  service,
  signedIn,
  text,
  token,
} from 'duet-api'
import { faceNames, speak } from '../support/client/both-faces.ts'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const seats = 3
const writers = 20
// Their relations differ by depth, so that types cannot follow.
const define = resource as unknown as (name: string, definition: object) => never
// biome-ignore lint/suspicious/noExplicitAny: the resources above have no types either
type Moment = any

function bookings(depth: 0 | 2, by: 'sum' | 'summary'): Service<unknown> {
  const isInside = depth > 0
  const across = (rule: unknown) => (isInside ? acrossTenants(rule as never) : rule)
  const place = isInside ? { area: one('Area') } : {}
  const Team = define('Team', {
    prefix: 'team',
    fields: { name: text({ max: 40 }), members: many('Membership', 'team') },
    members: { list: 'members', account: 'user', role: 'role' },
    actions: { read: { allow: member() } },
  })
  const Membership = define('Membership', {
    prefix: 'mbr',
    within: 'team',
    fields: { team: one('Team'), user: one('User'), role: choice(['OWNER']) },
    actions: { read: { allow: member('team') } },
  })
  const Area = define('Area', {
    prefix: 'area',
    within: 'team',
    fields: { team: one('Team') },
    actions: { read: { allow: acrossTenants(anyone) } },
  })
  const Course = define('Course', {
    prefix: 'crs',
    ...(isInside ? { within: 'area' } : {}),
    fields: { ...place, seats: integer({ default: seats }) },
    actions: { read: { allow: across(anyone) } },
  })
  /** What guests book, each of whom sees their own booking. */
  const Booking = define('Booking', {
    prefix: 'bkg',
    ...(isInside ? { within: 'course' } : {}),
    fields: { course: one('Course'), persons: integer({ default: 1 }), code: token({ prefix: 'booking' }) },
    filter: { course: is },
    summary: { by: ['course'], of: ['persons'] },
    actions: {
      read: { allow: across(hasToken('code')) },
      create: {
        allow: across(anyone),
        accept: ['course', 'persons'],
        check: async ({ input, records }: Moment) => {
          const course = await records.all.get(Course, input.course)
          const filter = { course: input.course }
          const summed = async () => {
            const { groups } = await records.all.summary(
              { name: 'Booking' },
              { by: ['course'], of: ['persons'], filter },
            )
            return groups.length === 0 ? 0 : groups[0].sum.persons
          }
          const taken = by === 'summary' ? await summed() : await records.all.here.sum('persons', { filter })
          return taken + input.persons <= course.seats || 'The course is full.'
        },
      },
    },
  })
  const inside = isInside ? { Team, Membership, Area } : {}
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, ...inside, Course, Booking },
    accounts,
    roles: { ANY: {} },
    ...(isInside ? { tenantRoles: { Team: { OWNER: {} } } } : {}),
  })
}

for (const [depth, by] of [
  [0, 'sum'],
  [2, 'sum'],
  [0, 'summary'],
  [2, 'summary'],
] as const)
  withService(
    `13.4.8 the last seat by a ${by}, ${depth} deep in a tenant`,
    (running) => {
      const begin = () =>
        running().fixtures({
          team: { Team: { name: 'One' } },
          area: { Area: { team: '{team}' } },
          course: { Course: depth === 0 ? {} : { area: '{area}' } },
        })

      test(`13.4.3, 13.4.8 of ${writers} guests at once who cannot see each other, ${seats} get a seat`, async () => {
        const fixtures = begin()
        const course = await fixtures.idOf('course')
        const results = await Promise.all(
          Array.from({ length: writers }, (_, at) =>
            speak(faceNames[at % 2]!, running(), { as: 'anonymous', fixtures }).create('Booking', {
              courseId: course,
            }),
          ),
        )
        const sentences = results.map(({ code, message }) => (code === null ? 'booked' : message))
        assert.equal(sentences.filter((each) => each === 'booked').length, seats, sentences.join())
        assert.equal(sentences.filter((each) => each === 'The course is full.').length, writers - seats)
        const stored = (await running().tables('bookings')).filter((row) => row.includes(course))
        assert.equal(stored.length, seats)
      })

      test('5.7.2, 13.4.8 a batch is refused with the sentence', async () => {
        const fixtures = begin()
        const body = (persons: readonly number[]) => ({
          bookings: persons.map((each) => ({ course_id: '{course}', persons: each })),
        })
        const send = (persons: readonly number[]) =>
          running().send('POST /api/v1/bookings/batch', { fixtures, body: body(persons) })
        const refused = await send([2, 2])
        assert.deepEqual([refused.status, refused.body.error.message], [422, 'The course is full.'])
        assert.equal((await send([1, 2])).status, 201)
        assert.equal((await send([1])).body.error.code, 'BUSINESS_RULE_VIOLATION')
      })
    },
    { definition: bookings(depth, by) },
  )

const Team = resource('Team', {
  prefix: 'team',
  fields: { name: text({ max: 40 }), members: many('Membership', 'team') },
  members: { list: 'members', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mbr',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER']) },
  actions: { read: { allow: member('team') } },
})
const Note = resource('Note', {
  prefix: 'note',
  within: 'team',
  fields: {
    team: one('Team'),
    author: one('User', { cascade: 'regardless' }),
    text: text({ max: 40 }),
    weight: integer({ default: 1 }),
  },
  protect: { weight: { read: nobody } },
  sort: ['text'],
  actions: { read: { allow: own('author') } },
})
const Rate = resource('Rate', {
  prefix: 'rate',
  fields: { name: text({ max: 40 }) },
  actions: { read: { allow: nobody } },
})
/** What code finds of all records, told by a sentence or stored. */
const look = async (records: Moment, of: { note: string; rate: string }) => {
  const note = await records.all.get(Note, of.note)
  const { records: notes } = await records.all.list(Note, { sort: ['text'] })
  return [
    note.weight,
    notes.map((each: { text: string }) => each.text).join('+'),
    await records.all.count(Note),
    await records.all.sum(Note, 'weight'),
    await records.all.count(Team),
    (await records.all.get(Rate, of.rate)).name,
    await records.all.here.count(),
    await records.count(Note),
  ].join(' ')
}
const probe = { note: text({ max: 60 }), rate: text({ max: 60 }), found: optional(text({ max: 200 })) }
const Probe = resource('Probe', {
  prefix: 'prb',
  within: 'team',
  fields: { team: one('Team'), ...probe, isChecked: optional(choice(['yes'])) },
  actions: {
    read: { allow: member('team') },
    create: {
      allow: member('team'),
      accept: ['team', 'note', 'rate', 'isChecked'],
      check: async ({ input, records }) => input.isChecked === null || `Found ${await look(records, input)}.`,
      effect: async ({ input, records, assign }) => assign({ found: await look(records, input) }),
    },
  },
})
/** In no tenant. */
const Outer = resource('Outer', {
  prefix: 'out',
  plural: 'outers',
  fields: probe,
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['note', 'rate'],
      effect: async ({ input, records, assign }) => assign({ found: await look(records, input) }),
    },
  },
})

withService(
  '13.4.8 what records.all reads',
  (running) => {
    const begin = async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        ben: { User: {} },
        team: { Team: { name: 'One' } },
        other: { Team: { name: 'Two' } },
        works: { Membership: { team: '{team}', user: '{ann}', role: 'OWNER' } },
        both: { Membership: { team: '{other}', user: '{ann}', role: 'OWNER' } },
        hidden: { Note: { team: '{team}', author: '{ben}', text: 'a', weight: 5 } },
        mine: { Note: { team: '{team}', author: '{ann}', text: 'b', weight: 7 } },
        far: { Note: { team: '{other}', author: '{ann}', text: 'c', weight: 11 } },
        rate: { Rate: { name: 'base' } },
      })
      for (const name of ['works', 'both', 'hidden', 'mine', 'far', 'rate']) await fixtures.idOf(name)
      return fixtures
    }

    test('13.4.8 hidden records and protected values, of one tenant and of none', async () => {
      const fixtures = await begin()
      const [team, note, rate] = await Promise.all(['team', 'hidden', 'rate'].map((each) => fixtures.idOf(each)))
      for (const face of faceNames) {
        const ann = speak(face, running(), { as: '{ann}', fixtures })
        const own = (await running().tables('probes')).filter((row) => row.includes(team!)).length
        const found = `5 a+b 2 12 1 base ${own} 2`
        const checked = await ann.create('Probe', { teamId: team, note, rate, isChecked: 'yes' })
        assert.deepEqual([checked.code, checked.message], ['BUSINESS_RULE_VIOLATION', `Found ${found}.`])
        const made = await ann.create('Probe', { teamId: team, note, rate })
        assert.equal(made.data?.found, found, JSON.stringify(made))
      }
    })

    test('13.4.8 a record of another tenant is missing', async () => {
      const fixtures = await begin()
      const [team, far, rate] = await Promise.all(['team', 'far', 'rate'].map((each) => fixtures.idOf(each)))
      for (const face of faceNames) {
        const ann = speak(face, running(), { as: '{ann}', fixtures })
        const hidden = await ann.create('Probe', { teamId: team, note: far, rate })
        const missing = await ann.create('Probe', { teamId: team, note: 'note_01J00000000000000000000000', rate })
        assert.equal(hidden.code, 'BUSINESS_RULE_VIOLATION')
        assert.deepEqual(missing, hidden)
      }
    })

    test('13.4.8 of a record in no tenant, all there is', async () => {
      const fixtures = await begin()
      const [note, rate] = await Promise.all(['far', 'rate'].map((each) => fixtures.idOf(each)))
      const notes = (await running().tables('notes')).length
      const made = await speak('REST', running(), { as: '{ann}', fixtures }).create('Outer', { note, rate })
      const found = String(made.data?.found).split(' ')
      assert.deepEqual([found[0], found[2]], ['11', String(notes)], JSON.stringify(made))
    })
  },
  {
    definition: service({
      resources: { User, Team, Membership, Note, Rate, Probe, Outer },
      accounts,
      roles: { ANY: {} },
      tenantRoles: { Team: { OWNER: {} } },
    } as never),
  },
)
