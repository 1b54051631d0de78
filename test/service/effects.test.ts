// Effects: on no record in particular, in one transaction with one answer; and what they say of records that are missing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bind, command, type Program } from '../../src/store/store.ts'
import { engine, radio } from '../support/domain/radio-station.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

const rows = (...titles: readonly string[]) => titles.map((title) => ({ title, mood: 'calm' }))

withService(
  'what an effect locks',
  (service) => {
    test('is named where its caller may not read it', async () => {
      const people = Object.fromEntries(['ann', 'ben'].map((name) => [name, { User: { name, role: 'LISTENER' } }]))
      const track = { title: 'T', mood: 'calm', tags: [], artist: '{ann}', status: 'draft' }
      const show = { title: 'S', beginsAt: new Date(0), host: '{ben}', opening: '{track}' }
      const fixtures = service().fixtures({ ...people, track: { Track: track }, show: { Show: show } })
      const missing = 'There is no such record.'
      const rest = await service().send('POST /api/v1/shows/{show}/begin', { as: '{ben}', fixtures })
      assert.deepEqual([rest.status, rest.body.error.details], [422, [{ field: 'opening_id', message: missing }]])
      const { body } = await service().graphql('mutation { beginShow(id: "{show}") { id } }', { as: '{ben}', fixtures })
      assert.deepEqual(body.errors[0].extensions.details, [{ field: 'openingId', message: missing }])
      assert.equal((await service().send('POST /api/v1/shows/{show}/begin', { as: '{ann}', fixtures })).status, 200)
    })
  },
  { definition: radio },
)

withService(
  'actions on a collection',
  (service) => {
    test('write what their effect says, and answer it', async () => {
      const { rest, graphql, stored } = await station(service())
      const answer = await rest('import', { rows: rows('One', 'Single') }, '{eve}')
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.body.meta, { written: 2 })
      assert.deepEqual(
        answer.body.data.map(({ title, status }: Row) => [title, status]),
        [
          ['One', 'draft'],
          ['Single', 'released'],
        ],
      )
      assert.equal(answer.headers['cache-control'], 'no-store')
      const { body } = await graphql('importTracks', 'ImportTrackInput', { rows: rows('Two') }, '{eve}')
      assert.deepEqual(body.data.importTracks, [{ title: 'Two', artist: { name: 'eve' } }])
      assert.equal(await stored(), 3)
      service().assertLog()
    })

    test('write all or nothing', async () => {
      const { rest, graphql, stored } = await station(service())
      const input = { rows: rows('One', 'Noise') }
      const answer = await rest('import', input, '{eve}')
      assert.deepEqual([answer.status, answer.body.error.message], [422, 'Noise is no music.'])
      const { body } = await graphql('importTracks', 'ImportTrackInput', input, '{eve}')
      assert.equal(body.errors[0].message, 'Noise is no music.')
      const many = await rest(
        'import',
        { rows: rows(...Array.from({ length: 101 }, (_, index) => `T${index}`)) },
        '{eve}',
      )
      assert.equal(many.body.error.message, 'It would write 101 tracks, and 100 is the most at once.')
      const most = await rest(
        'import',
        { rows: rows(...Array.from({ length: 100 }, (_, index) => `T${index}`)) },
        '{eve}',
      )
      assert.equal(most.body.meta.written, 100)
      assert.equal(await stored(), 100)
    })

    test('ask who, then what, then whether it may be', async () => {
      const { rest, graphql, stored } = await station(service())
      const codes = async (name: string, type: string, input: object, as: Caller) => [
        (await rest(name, input, as)).body.error?.code,
        (await graphql(`${name}Tracks`, type, input, as)).body.errors?.[0].extensions.code,
      ]
      const twice = (code: string) => [code, code]
      assert.deepEqual(
        await codes('import', 'ImportTrackInput', { rows: rows('One') }, 'anonymous'),
        twice('UNAUTHENTICATED'),
      )
      assert.deepEqual(await codes('import', 'ImportTrackInput', { rows: rows('One') }, '{ann}'), twice('FORBIDDEN'))
      const long = { rows: rows('x'.repeat(101)) }
      assert.deepEqual(await codes('import', 'ImportTrackInput', long, '{eve}'), twice('VALIDATION_ERROR'))
      assert.equal((await rest('import', long, '{eve}')).body.error.details[0].field, 'rows[0].title')
      assert.deepEqual(
        await codes('import', 'ImportTrackInput', { rows: [] }, '{eve}'),
        twice('BUSINESS_RULE_VIOLATION'),
      )
      const gone = { before: '2026-01-01T00:00:00Z', artistId: 'usr_00000000000000000000000000' }
      assert.deepEqual(
        (await graphql('forgetTracks', 'ForgetTrackInput', gone, '{ann}')).body.errors[0].extensions.details[0].field,
        'artistId',
      )
      assert.equal(await stored(), 0)
    })

    test('answer only what their caller may read', async () => {
      const { fixtures, rest } = await station(service())
      const track = { mood: 'calm', tags: [], plays: 7, artist: '{ben}' }
      const hidden = { Track: { title: 'Hidden', ...track, status: 'draft' } }
      const shown = { Track: { title: 'Shown', ...track, status: 'released' } }
      const own = service().fixtures({ hidden, shown, ben: { User: { name: 'ben', role: 'LISTENER' } } })
      const ids = await own.fill(['{hidden}', '{shown}'])
      engine.answer = async () => ids
      const input = { artist_id: await fixtures.fill('{ann}'), before: '2027-01-01T00:00:00Z' }
      const key = { 'X-Idempotency-Key': 'forget-once' }
      const first = await rest('forget', input, '{ann}', key)
      assert.deepEqual(
        first.body.data.map(({ title, plays }: Row) => [title, plays]),
        [['Shown', 0]],
      )
      const again = await rest('forget', input, '{ann}', key)
      assert.deepEqual([again.headers['idempotent-replayed'], again.body], ['true', first.body])
    })

    test('happen once for each idempotency key', async () => {
      const { rest, stored } = await station(service())
      const key = { 'X-Idempotency-Key': 'import-once' }
      const first = await rest('import', { rows: rows('One', 'Two') }, '{eve}', key)
      const again = await rest('import', { rows: rows('One', 'Two') }, '{eve}', key)
      assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.body], [200, 'true', first.body])
      const other = await rest('import', { rows: rows('Three') }, '{eve}', key)
      assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED')
      assert.equal(await stored(), 2)
    })

    test('tell of each record that they wrote', async () => {
      const { fixtures, rest } = await station(service())
      const { body } = await rest('import', { rows: rows('One', 'Two') }, '{eve}')
      const events = (await service().tables('duet_event')).map((row) => JSON.stringify(row))
      const artist = await fixtures.fill('{eve}')
      for (const { id } of body.data) {
        const ofRecord = events.filter((each) => each.includes(id))
        assert.equal(ofRecord.length, 1)
        assert.ok(ofRecord[0]!.includes('imported') && ofRecord[0]!.includes(artist))
      }
    })

    test('count as many records as they might write', async () => {
      const { graphql } = await station(service())
      const { body } = await graphql(
        'importTracks',
        'ImportTrackInput',
        { rows: rows('One') },
        '{eve}',
        'artist { tracks(limit: 100) { title } tracks2: tracks(limit: 2) { title } }',
      )
      assert.match(body.errors[0].message, /^Query nodes 10200 exceed the maximum of 10000\.$/)
    })

    test('have an address that takes POST alone', async () => {
      const { status, headers } = await service().send('GET /api/v1/tracks/import')
      assert.deepEqual([status, headers.allow], [405, 'POST, OPTIONS'])
    })
  },
  { definition: radio },
)

interface Row {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly plays: number
}

function* clear(): Program<void> {
  yield bind(command('delete from tracks'))
}

/** A station without tracks, and how to ask it for something. */
async function station(service: TestService) {
  await service.store.write(clear)
  const people = Object.fromEntries(
    ['ann', 'eve'].map((name) => [name, { User: { name, role: name === 'eve' ? 'EDITOR' : 'LISTENER' } }]),
  )
  const fixtures = service.fixtures(people)
  return {
    fixtures,
    stored: async () => (await service.tables('tracks')).length,
    rest: (name: string, body: object, as: Caller, headers: Readonly<Record<string, string>> = {}) =>
      service.send(`POST /api/v1/tracks/${name}`, { body, as, fixtures, headers }),
    graphql: (field: string, type: string, input: object, as: Caller, selection = 'title artist { name }') =>
      service.graphql(`mutation ($input: ${type}!) { ${field}(input: $input) { ${selection} } }`, {
        variables: { input },
        as,
        fixtures,
      }),
  }
}
