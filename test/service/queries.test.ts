// Lists with names and arguments, through both faces, on both databases: which records they mean, who may ask, in which
// order, page by page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from 'duet-api'
import { explainCommand } from '../../src/command/verb/explain.ts'
import { snake } from '../../src/resource/naming/casing.ts'
import { type Bound, bind, command, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { cost, nothing, overhear, withQuietService } from '../support/check/statement-counter.ts'
import { engine, radio } from '../support/domain/radio-station.ts'
import { runCommand } from '../support/process/command.ts'
import type { Fixtures, Recipes } from '../support/rows/fixtures.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

const hour = 3_600_000
const day = 24 * hour

withQuietService(
  'queries',
  (service) => {
    test('compare fields with arguments and with the moment; an omitted argument is not compared', async () => {
      const { ask } = await station(service(), {
        hit: { plays: 30, tags: ['rock'], mood: 'wild' },
        song: { plays: 20, airedAt: ago(6 * day) },
        week: { plays: 20, airedAt: ago(8 * day) },
        other: { plays: 20, artist: '{ben}' },
        quiet: { plays: 9 },
        never: { plays: 50, airedAt: null },
      })
      await ask('trending', {}, ['hit', 'other', 'song'])
      await ask('trending', { days: 9 }, ['hit', 'other', 'song', 'week'])
      await ask('trending', { days: 1 }, ['hit', 'other'])
      await ask('trending', { minPlays: 0, days: 1 }, ['hit', 'other', 'quiet'])
      await ask('trending', { minPlays: 21 }, ['hit'])
      await ask('trending', { tag: 'rock' }, ['hit'])
      await ask('trending', { tag: 'jazz' }, [])
      await ask('trending', { by: '{ben}' }, ['other'])
      await ask('trending', { feel: 'wild' }, ['hit'])
      await ask('trending', { by: '{ben}', feel: 'wild' }, [])
      await ask('between', { from: ago(7 * day).toISOString(), until: ago(5 * day).toISOString() }, ['song'])
    })

    test('show no caller what they may not read, not even in totals', async () => {
      const { ask } = await station(service(), { out: {}, secret: { plays: 40, status: 'draft' } })
      await ask('trending', {}, ['out'], 'anonymous')
      await ask('trending', {}, ['out'], '{ben}')
      await ask('trending', {}, ['secret', 'out'], '{ann}')
    })

    test('speak of what is the caller’s own, and of one thing or another', async () => {
      const { ask, refuse } = await station(service(), {
        aired: { mood: 'calm' },
        wild: { mood: 'wild', airedAt: null, status: 'draft' },
        calm: { mood: 'calm', airedAt: null },
        theirs: { artist: '{ben}' },
      })
      await ask('mine', {}, ['wild', 'aired'], '{ann}')
      await ask('mine', {}, ['theirs'], '{ben}')
      await ask('mine', {}, [], '{eve}')
      await refuse('mine', {}, 'UNAUTHENTICATED', 'anonymous')
    })

    test('are for callers whom their rule permits', async () => {
      const { ask, refuse } = await station(service(), { out: {}, waiting: { airedAt: null } })
      await ask('unaired', {}, ['waiting'], '{eve}')
      await refuse('unaired', {}, 'FORBIDDEN', '{ann}')
      await refuse('unaired', {}, 'UNAUTHENTICATED', 'anonymous')
      // Whether one may ask comes before how. (contract 4.1)
      const { body } = await service().send('GET /api/v1/tracks/unaired?page=x')
      assert.equal(body.error.code, 'UNAUTHENTICATED')
    })

    test('refuse arguments that do not fit, all at once, before anything is read', async () => {
      const refused = async (query: string) => {
        const { status, body } = await service().send(`GET /api/v1/tracks/${query}`)
        assert.equal(status, 400)
        return body.error.details
      }
      const spent = await cost(service(), async () => {
        const days = { field: 'days', message: 'At most 30.' }
        assert.deepEqual(await refused('trending?days=31'), [days])
        assert.deepEqual(await refused('trending?days=31&feel=x&colour=red'), [
          { field: 'colour', message: 'There is no such parameter here.' },
          days,
          { field: 'feel', message: 'Must be one of calm, wild.' },
        ])
        assert.deepEqual(await refused('trending?days=1&days=2'), [{ field: 'days', message: 'Is given twice.' }])
        assert.deepEqual(await refused('between?from=2026-01-01T00:00:00Z'), [
          { field: 'until', message: 'Is required.' },
        ])
        assert.deepEqual(await refused('between?from=&until=2026-01-01T00:00:00Z'), [
          { field: 'from', message: 'Must not be empty.' },
        ])
        const { body } = await service().graphql('{ trendingTracks(days: 31, minPlays: -1) { nodes { id } } }')
        assert.deepEqual(body.errors[0].extensions.details, [days, { field: 'minPlays', message: 'At least 0.' }])
        const missing = await service().graphql('{ betweenTracks(from: "2026-01-01T00:00:00Z") { nodes { id } } }')
        assert.equal(missing.body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
        const large = await service().graphql('{ trendingTracks(first: 101) { nodes { id } } }')
        assert.deepEqual(large.body.errors[0].extensions.details, [{ field: 'first', message: 'At most 100.' }])
      })
      assert.deepEqual(spent, nothing)
    })

    test('are narrowed, ordered and cut like every list', async () => {
      const { fixtures, titles } = await station(service(), {
        a: { plays: 20, mood: 'wild' },
        b: { plays: 30 },
        c: { plays: 40, mood: 'wild', artist: '{ben}' },
      })
      const rest = async (query: string) =>
        titles((await service().send(`GET /api/v1/tracks/trending?${query}`, { fixtures })).body.data)
      const graphql = async (args: string) =>
        titles(
          (await service().graphql(`{ trendingTracks(${args}) { nodes { title } } }`, { fixtures })).body.data
            .trendingTracks.nodes,
        )
      assert.deepEqual(await rest('mood=wild'), ['c', 'a'])
      assert.deepEqual(await graphql('filter: { mood: wild }'), ['c', 'a'])
      assert.deepEqual(await rest('mood=wild&by_id={ben}'), ['c'])
      assert.deepEqual(await rest('sort=title'), ['a', 'b', 'c'])
      assert.deepEqual(await graphql('sort: [TITLE_ASC]'), ['a', 'b', 'c'])
      assert.deepEqual(await rest('sort=plays&per_page=2&page=2'), ['c'])
      const { body } = await service().send('GET /api/v1/tracks/trending?fields=title,plays&per_page=1', { fixtures })
      assert.deepEqual(Object.keys(body.data[0]), ['title', 'plays'])
    })

    test('are paged by cursors of their own, forward and back, in whatever order', async () => {
      const recipes = Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name, index) => [name, { plays: 20 + (index >> 1) }]),
      )
      const { fixtures } = await station(service(), recipes)
      for (const [sort, order] of [
        ['', 'ecdab'],
        ['&sort=title', 'abcde'],
        ['&sort=-plays,-title', 'edcba'],
      ] as const) {
        assert.equal(await walk(service(), fixtures, `tracks/trending?days=2${sort}`), order)
      }
      const cursorOf = async (query: string) =>
        (await service().send(`GET /api/v1/${query}`, { fixtures })).body.meta.next_cursor as string
      const elsewhere = [
        `tracks/trending?days=3&cursor=${await cursorOf('tracks/trending?days=2&limit=1')}`,
        `tracks/trending?days=2&tag=x&cursor=${await cursorOf('tracks/trending?days=2&limit=1')}`,
        `tracks/trending?cursor=${await cursorOf('tracks?limit=1')}`,
        `tracks?cursor=${await cursorOf('tracks/trending?days=2&limit=1')}`,
      ]
      for (const query of elsewhere) {
        const { body } = await service().send(`GET /api/v1/${query}`, { fixtures })
        assert.equal(body.error?.details[0].field, 'cursor', query)
      }
      const first = await service().graphql(
        '{ trendingTracks(days: 2, first: 2) { nodes { title } pageInfo { endCursor hasNextPage } totalCount } }',
      )
      const { nodes, pageInfo, totalCount } = first.body.data.trendingTracks
      assert.deepEqual([nodes.length, pageInfo.hasNextPage, totalCount], [2, true, 5])
      const bound = await service().graphql(
        `{ trendingTracks(days: 3, after: "${pageInfo.endCursor}") { nodes { id } } }`,
      )
      assert.equal(bound.body.errors[0].extensions.details[0].field, 'after')
    })

    test('cost one statement, and one more for a total that their page does not tell', async () => {
      const reads = async (query: string) =>
        (await overhear(service(), () => service().send(`GET /api/v1/tracks/${query}`))).statements.length
      await station(service(), { a: {}, b: {} })
      assert.equal(await reads('trending?limit=5'), 1)
      if (service().engine === 'sqlite') {
        const { statements } = await overhear(service(), () => service().send('GET /api/v1/tracks/trending?limit=5'))
        const { statement, values } = statements[0]!
        const plan = await service().store.read(
          one({ statement: query(`explain query plan ${statement.sql}`), values }),
        )
        // An index has its order: nothing is walked or sorted as a whole.
        assert.doesNotMatch(plan.map((row) => row.at(-1)).join('\n'), /SCAN (?!.*USING)|TEMP B-TREE FOR ORDER BY/)
      }
      assert.equal(await reads('trending?per_page=1'), 2)
      assert.equal(await reads('trending'), 1)
      const document = '{ trendingTracks { nodes { id artist { name } } } }'
      assert.equal((await overhear(service(), () => service().graphql(document))).statements.length, 1)
    })

    test('say in the documents and in duet explain what they mean', async () => {
      const { fixtures } = await station(service(), {})
      const { body } = await service().client.send('GET /api/v1/openapi.json')
      assert.match(
        body.paths['/api/v1/tracks/trending'].get.description,
        /^List trending tracks\. Only where \(aired_at is at least days days before now and plays is at least min_plays and tags contain tag and artist_id is by_id and mood is feel\)\. Open to anyone\. /,
      )
      const explain = (path: string, as: string) =>
        runCommand(explainCommand, ['--service', 'test/support/domain/radio-station.ts', '--as', as, 'GET', path], {
          variables: { DATABASE_URL: service().databaseUrl },
        })
      assert.match(
        await explain('/api/v1/tracks/mine', 'anonymous'),
        /^401 UNAUTHENTICATED: query mine tracks requires signing in/m,
      )
      const [ann, eve] = await fixtures.fill(['{ann}', '{eve}'])
      assert.match(
        await explain('/api/v1/tracks/unaired', ann!),
        /^403 FORBIDDEN: LISTENER may not query unaired tracks/m,
      )
      assert.match(await explain('/api/v1/tracks/unaired', eve!), /^200: .*, where aired_at is not set\.$/m)
    })

    test('have an address of their own, for reading alone', async () => {
      const { status, headers } = await service().send('POST /api/v1/tracks/trending', { body: {} })
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, QUERY, OPTIONS'])
      assert.equal((await service().send('HEAD /api/v1/tracks/trending')).status, 200)
      const moved = await service().send('GET /api/tracks/trending?days=2')
      assert.deepEqual([moved.status, moved.headers.location], [301, '/api/v1/tracks/trending?days=2'])
      assert.equal((await service().send('GET /api/v1/tracks/nothing')).status, 404)
    })

    test('are kept by shared caches only where they mean the same to everybody', async () => {
      const { fixtures } = await station(service(), {})
      for (const [name, expected] of [
        ['upcoming', 'public, max-age=60'],
        ['hosted', 'private, no-cache'],
      ] as const) {
        const rest = await service().send(`GET /api/v1/shows/${name}`, { as: '{ann}', fixtures })
        assert.equal(rest.headers['cache-control'], expected)
        const document = encodeURIComponent(`{ ${name}Shows { nodes { title } } }`)
        const graphql = await service().send(`GET /graphql?query=${document}`, { as: '{ann}', fixtures })
        assert.equal(graphql.headers['cache-control'], expected)
      }
    })
  },
  { definition: radio },
)

withService(
  'queries that find ids',
  (service) => {
    test('answer the records that are there and readable, in the order that was found', async () => {
      const { ask, fixtures } = await station(service(), {
        a: {},
        b: { artist: '{ben}' },
        c: {},
        draft: { status: 'draft' },
      })
      const found = await fixtures.fill(['{c}', '{draft}', 'no\0thing', '{ann}', '{a}', '{c}', '{b}'])
      engine.answer = async (words) => (words === 'all' ? found : [])
      await ask('search', { words: 'all' }, ['c', 'a', 'b'], '{ben}')
      await ask('search', { words: 'all' }, ['c', 'draft', 'a', 'b'], '{ann}')
      await ask('search', { words: 'none' }, [])
    })

    test('are paged, narrowed and ordered like every list', async () => {
      const { fixtures, titles } = await station(service(), { a: {}, b: { mood: 'wild' }, c: {}, d: {} })
      const found = await fixtures.fill(['{d}', '{b}', '{c}', '{a}'])
      engine.answer = async () => found
      assert.equal(await walk(service(), fixtures, 'tracks/search?words=x'), 'dbca')
      assert.equal(await walk(service(), fixtures, 'tracks/search?words=x&sort=title'), 'abcd')
      const rest = async (query: string) =>
        titles((await service().send(`GET /api/v1/tracks/search?words=x&${query}`, { fixtures })).body.data)
      assert.deepEqual(await rest('mood=calm'), ['d', 'c', 'a'])
      assert.deepEqual(await rest('per_page=2&page=2'), ['c', 'a'])
      const back = await service().graphql('{ searchTracks(words: "x", last: 2) { nodes { title } } }')
      assert.deepEqual(titles(back.body.data.searchTracks.nodes), ['c', 'a'])
    })

    test('go on behind a record wherever it stands by then', async () => {
      const { fixtures, titles } = await station(service(), { a: {}, b: {}, c: {}, d: {} })
      engine.answer = async () => fixtures.fill(['{a}', '{b}', '{c}'])
      const page = (query: string) => service().send(`GET /api/v1/tracks/search?words=x&limit=2${query}`, { fixtures })
      const { body } = await page('')
      engine.answer = async () => fixtures.fill(['{d}', '{a}', '{b}', '{c}'])
      const next = await page(`&cursor=${body.meta.next_cursor}`)
      assert.deepEqual(titles(next.body.data), ['c'])
      // Where it is gone, what stood behind it follows its place.
      engine.answer = async () => fixtures.fill(['{d}', '{a}', '{c}'])
      assert.deepEqual(titles((await page(`&cursor=${body.meta.next_cursor}`)).body.data), ['c'])
    })

    test('look at so many ids and no more', async () => {
      const recipes = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, {}]))
      const { ask, fixtures } = await station(service(), recipes)
      const found = await fixtures.fill(['{g}', '{f}', '{e}', '{d}', '{c}', '{b}', '{a}'])
      engine.answer = async () => found
      await ask('search', { words: 'x' }, ['g', 'f', 'e', 'd', 'c', 'b'])
    })

    test('fail as their author says, in time, and never with another user’s words', async () => {
      const { refuse } = await station(service(), {})
      engine.answer = () => Promise.reject(new Failure('UPSTREAM_ERROR'))
      await refuse('search', { words: 'x' }, 'UPSTREAM_ERROR')
      engine.answer = () => new Promise(() => {})
      await refuse('search', { words: 'x' }, 'UPSTREAM_TIMEOUT')
      service().assertLog()
      engine.answer = () => Promise.reject(new Error('password=hunter2'))
      await refuse('search', { words: 'x' }, 'INTERNAL_ERROR')
      engine.answer = async () => [1] as never
      await refuse('search', { words: 'x' }, 'INTERNAL_ERROR')
      service().forgetLog()
    })
  },
  { definition: radio, limits: { queryIds: 6, queryTimeoutMs: 50 } },
)

function* one(bound: Bound): Program<readonly StoredRow[]> {
  return yield bound
}

function* clear(): Program<void> {
  yield bind(command('delete from tracks'))
}

/** A station with these tracks, by their titles, and what can be asked of it. */
async function station(service: TestService, tracks: Readonly<Record<string, object>>) {
  const people: Recipes = Object.fromEntries(
    ['ann', 'ben', 'eve'].map((name) => [name, { User: { name, role: name === 'eve' ? 'EDITOR' : 'LISTENER' } }]),
  )
  const usual = { mood: 'calm', tags: [], plays: 20, artist: '{ann}', status: 'released' }
  const recipes = Object.entries(tracks).map(([title, track]) => [
    title,
    { Track: { title, ...usual, airedAt: new Date(service.now().getTime() - hour), ...track } },
  ])
  await service.store.write(clear)
  const fixtures = service.fixtures({ ...people, ...Object.fromEntries(recipes) })
  for (const title of Object.keys(tracks)) await fixtures.idOf(title)
  const titles = (records: readonly { readonly title: string }[]) => records.map(({ title }) => title)
  const question = (as: Caller) => ({ as, fixtures })

  /** Both faces, both forms of list. */
  async function answers(name: string, args: Args, as: Caller) {
    const given = await fixtures.fill(args)
    const rest = await service.send(`GET /api/v1/tracks/${name}?${queryString(given)}`, question(as))
    const written = literals(given)
    const ofConnection = `{ ${name}Tracks${written} { totalCount nodes { id title } } }`
    const ofArray = `{ ${name}TrackList${written} { id title } }`
    return {
      rest,
      connection: await service.graphql(ofConnection, question(as)),
      array: await service.graphql(ofArray, question(as)),
    }
  }
  return {
    fixtures,
    titles,
    async ask(name: string, args: Args, expected: readonly string[], as: Caller = 'anonymous') {
      const { rest, connection, array } = await answers(name, args, as)
      assert.equal(rest.status, 200, rest.text)
      assert.deepEqual(titles(rest.body.data), expected, `REST ${name} ${JSON.stringify(args)}`)
      const { nodes, totalCount } = connection.body.data[`${name}Tracks`]
      assert.deepEqual(titles(nodes), expected)
      assert.deepEqual([totalCount, rest.body.meta.total], [nodes.length, rest.body.data.length])
      assert.deepEqual(titles(array.body.data[`${name}TrackList`]), expected)
      service.assertLog()
    },
    async refuse(name: string, args: Args, code: string, as: Caller = 'anonymous') {
      const { rest, connection, array } = await answers(name, args, as)
      assert.equal(rest.body.error?.code, code)
      for (const { body } of [connection, array]) assert.equal(body.errors[0].extensions.code, code)
    },
  }
}
type Args = Readonly<Record<string, string | number>>

const ago = (milliseconds: number) => new Date(Date.parse('2026-11-20T09:30:00Z') - milliseconds)

const queryString = (args: Args): string =>
  String(
    new URLSearchParams(
      Object.entries(args).map(([name, value]): [string, string] => [
        `${snake(name)}${name === 'by' ? '_id' : ''}`,
        String(value),
      ]),
    ),
  )

function literals(args: Args): string {
  const written = Object.entries(args).map(([name, value]) => {
    const literal = name === 'feel' ? value : JSON.stringify(value)
    return `${name}${name === 'by' ? 'Id' : ''}: ${literal}`
  })
  return written.length === 0 ? '' : `(${written.join(', ')})`
}

/** Every page of two, to the end and back again: the titles in order. */
async function walk(service: TestService, fixtures: Fixtures, query: string): Promise<string> {
  const own = (rows: readonly { readonly title: string }[]) => rows.map(({ title }) => title)
  const page = async (cursor: string) =>
    (await service.send(`GET /api/v1/${query}&limit=2${cursor}`, { fixtures })).body
  const seen: string[] = []
  let body = await page('')
  seen.push(...own(body.data))
  while (body.meta.next_cursor !== null) {
    body = await page(`&cursor=${body.meta.next_cursor}`)
    seen.push(...own(body.data))
  }
  const back: string[] = own(body.data).toReversed()
  while (body.meta.prev_cursor !== null) {
    body = await page(`&cursor=${body.meta.prev_cursor}`)
    back.push(...own(body.data).toReversed())
  }
  assert.deepEqual(back.toReversed(), seen)
  return seen.join('')
}
