// A search in the order of creation answers what reading all of it would give, page by page, whenever its records were created:
// PostgreSQL looks at the newest spans of time first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from 'duet-api'
import { samples } from '../support/check/samples.ts'
import { accounts, User } from '../support/domain/account.ts'
import { mailroom } from '../support/domain/mailroom.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import { type TestService, withService } from '../support/server/service.ts'

interface Made {
  readonly id: string
  readonly text: string
  readonly createdAt: number
  readonly isInternal: boolean
}
const count = 90
const begin = Date.UTC(2026, 10, 20)
const yearMs = 365 * 86_400_000
/** Of all records, of some, of few, of none; and what is left to the words themselves. */
const searches = ['wide', 'medium', 'narrow', 'wide narrow', 'nowhere', '"wide medium"', 'wide -medium']

/** From milliseconds to years apart, some at the same time, some after the clock. */
function momentOf(random: Random, previous: number): number {
  if (random.chance(0.15)) return previous
  const back = 2 ** (random.below(41) + random.below(1_000) / 1_000)
  return Math.round(begin + (random.chance(0.1) ? yearMs / 2 : -back))
}

async function makeNotes(service: TestService, word: string, seed: number): Promise<readonly Made[]> {
  const random = createRandom(seed)
  const made: Made[] = []
  const recipes = Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const words = ['wide', ...(random.chance(0.5) ? ['medium'] : []), ...(random.chance(0.06) ? ['narrow'] : [])]
      const text = [word, ...words].join(' ')
      const createdAt = momentOf(random, made.at(-1)?.createdAt ?? begin)
      const isInternal = random.chance(0.3)
      made.push({ id: `n${at}`, text, createdAt, isInternal })
      return [`n${at}`, { Note: { letter: '{letter}', text, isInternal, createdAt: new Date(createdAt) } }]
    }),
  )
  const fixtures = service.fixtures({ letter: { Letter: { subject: 'A', round: 'r', owner: '{editor}' } }, ...recipes })
  const notes: Made[] = []
  for (const each of made) notes.push({ ...each, id: await fixtures.idOf(each.id) })
  return notes
}

function answers({ text }: Made, search: string): boolean {
  if (search.startsWith('"')) return text.includes(search.slice(1, -1))
  return search.split(' ').every((word) => text.includes(word.replace('-', '')) !== word.startsWith('-'))
}
const compare = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0)
const newestFirst = (one: Made, other: Made): number =>
  compare(other.createdAt, one.createdAt) || compare(other.id, one.id)

withService(
  '12.2 Searches, the newest first',
  (service) => {
    for (let seed = 1; seed <= samples(1); seed++)
      test(`12.2.15, 12.2.35 give each page as reading all of it would, to the caller (${seed})`, async () => {
        const word = `w${seed}x${service().engine}`
        const notes = await makeNotes(service(), word, seed)
        const asks = searches.flatMap((search) =>
          (['viewer', 'editor'] as const).flatMap((as) =>
            [2, 5, 40].flatMap((size) => ['-created_at', 'created_at'].map((sort) => ({ search, as, size, sort }))),
          ),
        )
        const expected = ({ search, as, sort }: (typeof asks)[number]) => {
          const seen = notes.filter((note) => answers(note, search) && (as === 'editor' || !note.isInternal))
          const ordered = seen.toSorted(newestFirst).map(({ id }) => id)
          return sort === 'created_at' ? ordered.toReversed() : ordered
        }
        const read = async (ask: (typeof asks)[number]) => {
          const q = encodeURIComponent(`${word} ${ask.search}`)
          const list = `GET /api/v2/notes?q=${q}&sort=${ask.sort}&limit=${ask.size}&fields=id`
          const pages: string[][] = []
          let previous: string | null = null
          for (let more = ''; ; ) {
            const { status, body } = await service().send(list + more, { as: ask.as })
            assert.equal(status, 200, JSON.stringify(body))
            pages.push(body.data.map(({ id }: { id: string }) => id))
            previous = body.meta.prev_cursor
            if (body.meta.next_cursor === null) break
            more = `&cursor=${body.meta.next_cursor}`
          }
          if (pages.length > 1) {
            const { body } = await service().send(`${list}&cursor=${previous}`, { as: ask.as })
            assert.deepEqual(
              body.data.map(({ id }: { id: string }) => id),
              pages.at(-2),
            )
          }
          const { body } = await service().send(`${list.replace('limit', 'page=2&per_page')}`, { as: ask.as })
          assert.deepEqual(
            body.data.map(({ id }: { id: string }) => id),
            expected(ask).slice(ask.size, 2 * ask.size),
          )
          return pages.flat()
        }
        // Together, so that PostgreSQL is asked for several in one statement; and alone.
        const together = await Promise.all(asks.map(read))
        for (const [at, ids] of together.entries()) assert.deepEqual(ids, expected(asks[at]!), JSON.stringify(asks[at]))
        for (const ask of asks.filter((_, at) => at % 5 === seed % 5)) assert.deepEqual(await read(ask), expected(ask))
      })

    test('12.2.15 give GraphQL the same, with what they refer to', async () => {
      const notes = await makeNotes(service(), 'graph', 4)
      for (const first of [3, 50]) {
        const query = `{ notes(search: "graph medium", sort: [CREATED_AT_DESC], first: ${first}) { nodes { id letter { subject } } } }`
        const { body } = await service().graphql(query, { as: 'editor' })
        const ids = notes.filter((note) => answers(note, 'medium')).toSorted(newestFirst)
        const nodes = ids.slice(0, first).map(({ id }) => ({ id, letter: { subject: 'A' } }))
        assert.deepEqual(body.data, { notes: { nodes } })
      }
    })
  },
  { definition: mailroom },
)

const Shop = resource('Shop', {
  prefix: 'shop',
  fields: { place: text({ max: 40 }) },
  search: ['place'],
  actions: { read: { allow: anyone } },
})
withService(
  '12.2 Searches of what is called like what statements are made of',
  (running) => {
    test('12.2.15 a field that is called place', async () => {
      await running()
        .fixtures({ shop: { Shop: { place: 'Old Harbour' } } })
        .idOf('shop')
      const { status, body } = await running().send('GET /api/v1/shops?q=harbour&sort=-created_at')
      assert.deepEqual([status, body.data[0]?.place], [200, 'Old Harbour'])
    })
  },
  { definition: service({ resources: { Shop, User }, accounts, roles: { ANY: {} } }) },
)
