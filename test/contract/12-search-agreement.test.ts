// Random searches of lists find what reading the texts oneself would give, by whom and in which order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailroom } from '../support/domain/mailroom.ts'
import { questionsOf } from '../support/oracle/questions.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import { bestOf, type SearchedDocument } from '../support/oracle/search.ts'
import type { Fixtures, Recipes } from '../support/rows/fixtures.ts'
import { type TestService, withService } from '../support/server/service.ts'

type Values = Readonly<Record<string, unknown>>
interface Made extends Values {
  readonly id: string
}
interface Reader {
  readonly as: 'anonymous' | 'editor' | `{${string}}`
  readonly id: string | null
  readonly isStaff: boolean
}
interface Mail {
  readonly fixtures: Fixtures
  readonly readers: readonly Reader[]
  readonly round: string
  readonly letters: readonly Made[]
  readonly notes: readonly Made[]
  readonly users: readonly Made[]
}

const words = [
  'ship',
  'Ship',
  'shipping',
  'ships',
  'SHÍP',
  'a',
  'ab',
  'abc',
  'abcd',
  'Straße',
  'STRASSE',
  'über',
  'uber',
]
const others = [
  '東京',
  '東京都',
  '京都',
  '京',
  'กรุงเทพ',
  'กรุง',
  '한국어',
  'AB-12',
  'x.y@z',
  'don’t',
  'ﬁne',
  '12',
  '½',
  'İstanbul',
]
const all = [...words, ...others]
const between = [' ', ' ', ' ', ', ', '-', '\n', '']
const textOf = (random: Random, most: number): string =>
  Array.from({ length: 1 + random.below(most) }, () => random.one(all) + random.one(between)).join('')
const maybe = (random: Random, most: number): string | null => (random.chance(0.3) ? null : textOf(random, most))

function recipesOf(random: Random, counts: { readonly users: number; readonly letters: number }): Recipes {
  const users = Array.from({ length: counts.users }, (_, at) => `user${at}`)
  const letters = Array.from({ length: counts.letters }, (_, at) => `letter${at}`)
  const user = () => ({
    User: { name: textOf(random, 2), nick: maybe(random, 2), isShown: random.chance(0.6) },
  })
  const letter = () => ({
    Letter: {
      subject: textOf(random, 3),
      body: maybe(random, 6),
      code: maybe(random, 2),
      round: '{word}',
      owner: `{${random.one(users)}}`,
      isOpen: random.chance(0.7),
    },
  })
  const note = () => ({
    Note: {
      letter: `{${random.one(letters)}}`,
      title: maybe(random, 2),
      text: textOf(random, 4),
      isInternal: random.chance(0.4),
    },
  })
  return Object.fromEntries([
    ...users.map((name) => [name, user()]),
    ...letters.map((name) => [name, letter()]),
    ...letters.map((name) => [`note of ${name}`, note()]),
  ])
}

async function makeMail(service: TestService, seed: number, counts: Parameters<typeof recipesOf>[1]): Promise<Mail> {
  const recipes = recipesOf(createRandom(seed), counts)
  const fixtures = service.fixtures(recipes)
  const made: Made[] = []
  for (const [name, recipe] of Object.entries(recipes)) {
    const id = await fixtures.idOf(name)
    made.push({ ...((await fixtures.fill(Object.values(recipe)[0]!)) as Values), id })
  }
  const of = (prefix: string) => made.filter(({ id }) => id.startsWith(`${prefix}_`))
  const readers: Reader[] = [
    { as: 'anonymous', id: null, isStaff: false },
    { as: 'editor', id: (await fixtures.fill('{editor}')) as string, isStaff: true },
    { as: '{user0}', id: await fixtures.idOf('user0'), isStaff: false },
  ]
  const round = (await fixtures.fill('{word}')) as string
  return { fixtures, readers, round, letters: of('ltr'), notes: of('note'), users: of('usr') }
}

const mayRead = (letter: Made, { id, isStaff }: Reader): boolean =>
  isStaff || letter['isOpen'] === true || letter['owner'] === id

const size = 7
const field = (place: number, form: 'words' | 'parts', record: Made, name: string) => ({
  place,
  form,
  text: record[name] as string | null,
})
/** What a reader may read of a letter. */
function documentsOf(
  letter: Made,
  reader: Reader,
  { notes, users }: Mail,
  watchers: ReadonlySet<string>,
): SearchedDocument[] {
  const seenNotes = notes.filter(
    (note) => note['letter'] === letter.id && (reader.isStaff || note['isInternal'] !== true),
  )
  const seenUsers = users.filter(
    ({ id, isShown }) => watchers.has(`${letter.id} ${id}`) && (isShown === true || id === reader.id || reader.isStaff),
  )
  return [
    [field(0, 'words', letter, 'subject'), field(2, 'words', letter, 'body'), field(5, 'parts', letter, 'code')],
    ...seenNotes.map((note) => [field(1, 'words', note, 'title'), field(3, 'words', note, 'text')]),
    ...seenUsers.map((user) => [field(4, 'words', user, 'name'), field(6, 'parts', user, 'nick')]),
  ]
}

function questionOf(random: Random): string {
  const term = () => {
    const text = random.chance(0.25) ? textOf(random, 2).trim() : cutOf(random.one(all), random)
    const minus = random.chance(0.15) ? '-' : ''
    return `${minus}${random.chance(0.25) ? `"${text}"` : text}`
  }
  return Array.from({ length: 1 + random.below(3) }, term).join(' ')
}
const cutOf = (text: string, random: Random): string =>
  random.chance(0.4) ? [...text].slice(0, 1 + random.below(3)).join('') : text

/** Forward by pages of REST, and back again; null where it is no question. */
async function restWalk(
  question: string,
  { as }: Reader,
  mail: Mail,
  service: TestService,
): Promise<string[][] | null> {
  const { fixtures, round } = mail
  const start = `/api/v2/letters?round=${round}&q=${encodeURIComponent(question)}&limit=3&fields=id`
  const page = async (cursor: string) => {
    const { status, body, text } = await service.send(`GET ${start}${cursor}`, { as, fixtures })
    if (status === 400 && cursor === '') return null
    assert.equal(status, 200, text)
    return { ids: body.data.map(({ id }: { id: string }) => id) as string[], meta: body.meta }
  }
  let at = await page('')
  if (at === null) return null
  const forward = [at.ids]
  while (at!.meta.has_next) {
    at = await page(`&cursor=${at!.meta.next_cursor}`)
    forward.push(at!.ids)
  }
  const backward = [at!.ids]
  while (at!.meta.prev_cursor !== null) {
    at = await page(`&cursor=${at!.meta.prev_cursor}`)
    backward.unshift(at!.ids)
  }
  return [forward.flat(), backward.flat()]
}

async function graphqlWalk(question: string, { as }: Reader, mail: Mail, service: TestService): Promise<string[]> {
  const { fixtures, round } = mail
  const ids: string[] = []
  for (let after = ''; ; ) {
    const list = `letters(filter: { round: "${round}" }, search: ${JSON.stringify(question)}, first: 4${after})`
    const query = `{ ${list} { nodes { id } pageInfo { hasNextPage endCursor } } }`
    const { body, text } = await service.graphql(query, { as, fixtures })
    assert.equal(body.errors, undefined, text)
    ids.push(...body.data.letters.nodes.map(({ id }: { id: string }) => id))
    if (!body.data.letters.pageInfo.hasNextPage) return ids
    after = `, after: "${body.data.letters.pageInfo.endCursor}"`
  }
}

/** How many letters have each subject, on both faces. */
async function summaries(question: string, { as }: Reader, { fixtures, round }: Mail, service: TestService) {
  const line = `GET /api/v2/letters/summary?round=${round}&group_by=subject&limit=100&q=${encodeURIComponent(question)}`
  const rest = await service.send(line, { as, fixtures })
  assert.equal(rest.status, 200, rest.text)
  const args = `filter: { round: "${round}" }, groupBy: [SUBJECT], first: 100, search: ${JSON.stringify(question)}`
  const graphql = await service.graphql(`{ letterSummary(${args}) { nodes { subject count } } }`, { as, fixtures })
  assert.equal(graphql.body.errors, undefined, graphql.text)
  const all: readonly Subject[][] = [rest.body.data, graphql.body.data.letterSummary.nodes]
  return all.map((groups) => new Map(groups.map(({ subject, count }) => [subject, count])))
}
interface Subject {
  readonly subject: string
  readonly count: number
}

function countsOf(ids: readonly string[], { letters }: Mail): ReadonlyMap<string, number> {
  const found = letters.filter(({ id }) => ids.includes(id)).map((letter) => letter['subject'] as string)
  return new Map(found.map((subject) => [subject, found.filter((each) => each === subject).length]))
}

function expectedOf(question: string, reader: Reader, mail: Mail, watchers: ReadonlySet<string>): string[] {
  return mail.letters
    .filter((letter) => mayRead(letter, reader))
    .map((letter) => ({ letter, best: bestOf(question, documentsOf(letter, reader, mail, watchers), size) }))
    .filter(({ best }) => best !== null)
    .toSorted((one, other) => other.best! - one.best! || (one.letter.id < other.letter.id ? 1 : -1))
    .map(({ letter }) => letter.id)
}

const { questions, seed } = questionsOf(240)
withService(
  '12.2 Searches',
  (service) => {
    test('12.2.14 any question finds what reading the texts would, in the order of 12.2.15, for every reader', async () => {
      const random = createRandom(seed)
      const mail = await makeMail(service(), seed, { users: 6, letters: 24 })
      const watchers = new Set<string>()
      for (const letter of mail.letters.filter((each) => mayRead(each, mail.readers[2]!))) {
        if (!random.chance(0.3)) continue
        const line = `POST /api/v2/letters/${letter.id}/watch`
        const { status, text } = await service().send(line, { as: '{user0}', fixtures: mail.fixtures, body: {} })
        assert.equal(status, 200, text)
        watchers.add(`${letter.id} ${mail.readers[2]!.id}`)
      }
      let found = 0
      for (let number = 0; number < questions; number += mail.readers.length) {
        const question = questionOf(random)
        for (const reader of mail.readers) {
          const walks = await restWalk(question, reader, mail, service())
          if (walks === null) continue
          const expected = expectedOf(question, reader, mail, watchers)
          found += expected.length
          const what = `seed ${seed}: ${question} for ${reader.as}`
          for (const ids of [...walks, await graphqlWalk(question, reader, mail, service())])
            assert.deepEqual(ids, expected, what)
          const counts = countsOf(expected, mail)
          for (const groups of await summaries(question, reader, mail, service()))
            assert.deepEqual(groups, counts, what)
        }
      }
      assert(found > questions / mail.readers.length, 'most questions find something')
      service().assertLog()
    })
  },
  { definition: mailroom },
)
