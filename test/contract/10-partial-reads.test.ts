// Records that some callers read in part. (contract 10.1.24)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, boolean, integer, is, many, nobody, one, own, resource, service, text, when } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

/** Anyone may read the name and day rate of public ones, and what they come to. */
const Profile = resource('Profile', {
  prefix: 'prf',
  fields: {
    owner: one('User'),
    name: text({ max: 40 }),
    dayRate: integer({ min: 0 }),
    cost: integer({ min: 0 }),
    isPublic: boolean({ default: false }),
    notes: many('Note', 'profile'),
  },
  computed: {
    margin: { as: integer(), from: ['dayRate', 'cost'], make: ({ dayRate, cost }) => dayRate - cost },
    weekRate: { as: integer(), from: ['dayRate'], make: ({ dayRate }) => 5 * dayRate },
  },
  counts: { notes: { of: 'notes', shown: 'to all' } },
  // Open to all readers of the record, were it not closed to those who read it in part.
  protect: { isPublic: { read: anyone } },
  filter: { name: is },
  where: ['name', 'cost'],
  sort: ['dayRate', 'cost'],
  actions: {
    read: {
      allow: own('owner'),
      partly: { allow: when({ isPublic: true }), fields: ['name', 'dayRate', 'margin'] },
    },
    update: { allow: own('owner'), accept: ['cost'] },
  },
})
const Note = resource('Note', {
  prefix: 'nte',
  fields: { profile: one('Profile'), text: text({ max: 40 }) },
  actions: { read: { allow: nobody } },
})

withService(
  '10.1.24 reading in part',
  (running) => {
    const begin = async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        ben: { User: {} },
        open: { Profile: { owner: '{ann}', name: 'Open', dayRate: 900, cost: 400, isPublic: true } },
        shut: { Profile: { owner: '{ann}', name: 'Shut', dayRate: 800, cost: 300 } },
      })
      return { fixtures, open: await fixtures.idOf('open'), shut: await fixtures.idOf('shut') }
    }

    test('10.1.24 REST: its reader reads all, others the named fields', async () => {
      const { fixtures, open, shut } = await begin()
      const read = async (as: '{ann}' | '{ben}' | 'anonymous', id: string) =>
        running().send(`GET /api/v1/profiles/${id}`, { as, fixtures })
      const whole = (await read('{ann}', open)).body.data
      const { cost, is_public, notes_count, margin, week_rate } = whole
      assert.deepEqual([cost, is_public, notes_count, margin, week_rate], [400, true, 0, 500, 4_500])
      for (const as of ['{ben}', 'anonymous'] as const) {
        const part = (await read(as, open)).body.data
        assert.deepEqual(Object.keys(part).sort(), ['created_at', 'day_rate', 'id', 'margin', 'name', 'updated_at'])
        assert.equal(part.margin, 500)
        assert.equal((await read(as, shut)).status, 404)
      }
      const tags = await Promise.all([read('{ann}', open), read('{ben}', open)])
      assert.notEqual(tags[0]!.headers.etag, tags[1]!.headers.etag)
    })

    test('10.1.24 GraphQL: a field that is not open is null, with an error', async () => {
      const { fixtures, open } = await begin()
      const query = `{ profile(id: "${open}") { name dayRate weekRate cost owner { id } notesCount } }`
      const { data, errors } = (await running().graphql(query, { as: '{ben}', fixtures })).body
      assert.deepEqual(data?.profile ?? errors, {
        name: 'Open',
        dayRate: 900,
        weekRate: null,
        cost: null,
        owner: null,
        notesCount: null,
      })
      assert.deepEqual(errors.map(({ path }: { path: readonly string[] }) => path[1]).sort(), [
        'cost',
        'notesCount',
        'owner',
        'weekRate',
      ])
      const mine = (await running().graphql(query, { as: '{ann}', fixtures })).body
      assert.equal(mine.errors, undefined)
    })

    test('10.1.24 what is not open cannot be found, and sorts as null', async () => {
      const { fixtures } = await begin()
      const list = async (as: '{ann}' | '{ben}', query: string) => {
        const { body, text } = await running().send(`GET /api/v1/profiles?${query}`, { as, fixtures })
        assert.ok(body.data !== undefined, text)
        return body.data.map(({ name }: { name: string }) => name)
      }
      const where = (condition: string) => `where=${encodeURIComponent(condition)}`
      assert.deepEqual(await list('{ben}', where('name = "Open" AND cost = 400')), [])
      const without = async (cost: number) => list('{ben}', where(`name = "Open" AND NOT (cost = ${cost})`))
      assert.deepEqual(await without(400), await without(1))
      assert.ok((await list('{ben}', where('name = "Open"'))).includes('Open'))
      assert.deepEqual(await list('{ann}', where('name = "Open" AND cost = 400')), ['Open'])
      assert.equal((await list('{ben}', 'sort=cost')).includes('Shut'), false)
    })
  },
  { definition: service({ resources: { User, Profile, Note }, accounts, roles: { ANY: {} } }) },
)
