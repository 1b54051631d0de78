// Orders of lists by what their records lead to, and by values that some readers do not see: as sorting what each reader sees
// would give, forward and backward, through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BigNumber } from 'bignumber.js'
import { constant } from '../../src/resource/naming/casing.ts'
import { priorities, workshop } from '../support/domain/workshop.ts'
import { questionsOf } from '../support/oracle/questions.ts'
import { createRandom } from '../support/oracle/random.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { type Made, makeWorkshop, mayReadTask, type Reader, seen, type Workshop } from '../support/rows/workshop.ts'
import { type TestService, withService } from '../support/server/service.ts'

interface Key {
  readonly path: string
  readonly down: boolean
}
const paths = [
  'priority',
  'dueAt',
  'cost',
  'reviewer',
  'reviewer.name',
  'reviewer.rating',
  'reviewer.team.name',
  'reviewer.team.budget',
  'owner.name',
]

/** In the order of what this reader sees: null is greater than any value, and the id ends it. */
function sorted(keys: readonly Key[], reader: Reader, all: Workshop): readonly Made[] {
  const last = keys.at(-1)!.down
  return all.tasks
    .filter((task) => mayReadTask(task, reader))
    .toSorted((one, other) => {
      for (const { path, down } of keys) {
        const order = compare(path, seen(path, one, reader, all), seen(path, other, reader, all))
        if (order !== 0) return down ? -order : order
      }
      const order = one.id < other.id ? -1 : 1
      return last ? -order : order
    })
}

function compare(path: string, one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (path === 'priority') return priorities.indexOf(one as 'LOW') - priorities.indexOf(other as 'LOW')
  if (path === 'cost' || path.endsWith('budget')) return new BigNumber(one as string).comparedTo(other as string)!
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return Number(one) - Number(other)
}

const restName = ({ path, down }: Key) => {
  const name = path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return `${down ? '-' : ''}${name === 'reviewer' ? 'reviewer_id' : name}`
}
const graphqlName = ({ path, down }: Key) => {
  const names = path.split('.').map(constant)
  return `${path === 'reviewer' ? 'REVIEWER_ID' : names.join('_')}_${down ? 'DESC' : 'ASC'}`
}

/** From the beginning to the end by pages, and back again. */
async function restWalk(keys: readonly Key[], reader: Reader, all: Workshop, service: TestService) {
  const { as } = reader
  const { fixtures, round } = all
  const start = `/api/v2/tasks?round=${round}&sort=${keys.map(restName).join()}&limit=4&fields=id`
  const page = async (cursor: string) => {
    const { status, body, text } = await service.send(`GET ${start}${cursor}`, { as, fixtures })
    assert.equal(status, 200, text)
    return { ids: body.data.map(({ id }: { id: string }) => id) as string[], meta: body.meta }
  }
  const forward: string[][] = []
  let at = await page('')
  forward.push(at.ids)
  while (at.meta.has_next) {
    at = await page(`&cursor=${at.meta.next_cursor}`)
    forward.push(at.ids)
  }
  const backward = [at.ids]
  while (at.meta.prev_cursor !== null) {
    at = await page(`&cursor=${at.meta.prev_cursor}`)
    backward.unshift(at.ids)
  }
  return [forward.flat(), backward.flat()]
}

async function graphqlWalk(keys: readonly Key[], reader: Reader, all: Workshop, service: TestService) {
  const { as } = reader
  const { fixtures, round } = all
  const sort = keys.map(graphqlName).join(' ')
  const page = async (place: string) => {
    const query = `{ tasks(filter: { round: "${round}" }, sort: [${sort}], ${place}) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
    const { body, text } = await service.graphql(query, { as, fixtures })
    assert.equal(body.errors, undefined, text)
    const { nodes, pageInfo } = body.data.tasks
    return { ids: nodes.map(({ id }: { id: string }) => id) as string[], ...pageInfo }
  }
  const forward: string[][] = []
  let at = await page('first: 5')
  forward.push(at.ids)
  while (at.hasNextPage) {
    at = await page(`first: 5, after: "${at.endCursor}"`)
    forward.push(at.ids)
  }
  const backward: string[][] = []
  at = await page('last: 3')
  backward.unshift(at.ids)
  while (at.hasPreviousPage) {
    at = await page(`last: 3, before: "${at.startCursor}"`)
    backward.unshift(at.ids)
  }
  return [forward.flat(), backward.flat()]
}

const { questions, seed } = questionsOf(72)
withService(
  '12.2 Orders',
  (service) => {
    test('12.2.3 pages of any order are what sorting what is seen would give', async () => {
      const random = createRandom(seed)
      const all = await makeWorkshop(service(), seed, { users: 8, tasks: 30 })
      for (let count = 0; count < questions; count += all.readers.length) {
        const keys = random.some(paths, 3).map((path) => ({ path, down: random.chance(0.5) }))
        for (const reader of all.readers) {
          const expected = sorted(keys, reader, all).map(({ id }) => id)
          const what = `seed ${seed}: ${keys.map(restName).join()} for ${reader.as}`
          const walks = [
            ...(await restWalk(keys, reader, all, service())),
            ...(await graphqlWalk(keys, reader, all, service())),
          ]
          for (const ids of walks) assert.deepEqual(ids, expected, what)
        }
      }
      service().assertLog()
    })

    test('12.2.3 and so are lists below a record', async () => {
      const all = await makeWorkshop(service(), 7, { users: 4, tasks: 24 })
      const keys = [
        { path: 'reviewer.name', down: true },
        { path: 'cost', down: false },
      ]
      for (const reader of all.readers) {
        const { as } = reader
        for (const owner of all.users.values()) {
          const expected = sorted(keys, reader, all)
            .filter((task) => task['owner'] === owner.id)
            .map(({ id }) => ({ id }))
          const query = `{ user(id: "${owner.id}") { tasks(sort: [${keys.map(graphqlName).join(' ')}], limit: 100) { id } } }`
          const { body } = await service().graphql(query, { as, fixtures: all.fixtures })
          if (body.errors !== undefined) continue
          assert.deepEqual(body.data.user.tasks, expected, as)
          const sort = keys.map(restName).join()
          const line = `GET /api/v2/users/${owner.id}/tasks?sort=${sort}&per_page=100&fields=id`
          assert.deepEqual((await service().send(line, { as, fixtures: all.fixtures })).body.data, expected, as)
        }
      }
    })
  },
  { definition: workshop },
)

const task = (more: object = {}) => ({
  Task: { title: 'T', round: '{word}', owner: '{sam}', priority: 'NORMAL', ...more },
})
const people = {
  sam: { User: { name: 'Sam' } },
  eve: { User: { name: 'Eve', isShown: false } },
  zoe: { User: { name: 'Zoe' } },
}
const order = (
  it: string,
  clause: Row['clause'],
  given: Row['given'],
  query: string,
  also: string,
  names: readonly string[],
  as: Row['as'] = 'viewer',
): Row => ({
  clause,
  it,
  as: as!,
  given: { ...people, ...given },
  send: `GET /api/v2/tasks?round={word}&fields=id&sort=${query}`,
  also: `{ tasks(filter: { round: "{word}" }, sort: [${also}]) { nodes { id } } }`,
  answer: { status: 200, data: names.map((name) => ({ id: `{${name}}` })) },
})
const reviewed = {
  byZoe: task({ reviewer: '{zoe}' }),
  byEve: task({ reviewer: '{eve}' }),
  bySam: task({ reviewer: '{sam}' }),
  byNone: task({ reviewer: null }),
}

const caching = (it: string, by: string, also: string, control: string): Row => ({
  clause: '12.2.4',
  it,
  send: `GET /api/v2/notices?sort=${by}`,
  answer: { status: 200, headers: { 'Cache-Control': control } },
  then: [
    {
      send: `GET /graphql?query=${encodeURIComponent(`{ notices(sort: [${also}]) { nodes { title } } }`)}`,
      answer: { status: 200, headers: { 'Cache-Control': control } },
    },
  ],
})

clauses(
  '12.2 Orders, row by row',
  [
    caching('what everybody sees orders alike for all', 'title', 'TITLE_ASC', 'public, max-age=60'),
    caching('what only some see does not', 'author.name', 'AUTHOR_NAME_ASC', 'public, no-cache'),
    order('by the name of whom a record refers to', '12.2.1', reviewed, 'reviewer.name', 'REVIEWER_NAME_ASC', [
      'bySam',
      'byZoe',
      'byEve',
      'byNone',
    ]),
    order('the other way round', '12.2.1', reviewed, '-reviewer.name,id'.replace(',id', ''), 'REVIEWER_NAME_DESC', [
      'byNone',
      'byEve',
      'byZoe',
      'bySam',
    ]),
    order(
      'a caller who sees more sorts by more',
      '12.2.3',
      reviewed,
      'reviewer.name',
      'REVIEWER_NAME_ASC',
      ['byEve', 'bySam', 'byZoe', 'byNone'],
      'editor',
    ),
    order(
      'a value that is hidden sorts as none',
      '12.2.3',
      {
        mine: task({ owner: '{viewer}', cost: '5.00' }),
        dear: task({ cost: '9.00' }),
        cheap: task({ cost: '1.00' }),
        none: task({ owner: '{viewer}', cost: null }),
      },
      'cost',
      'COST_ASC',
      ['mine', 'dear', 'cheap', 'none'],
    ),
    order('a reference to what is hidden sorts as none', '12.2.3', reviewed, 'reviewer_id', 'REVIEWER_ID_ASC', [
      'bySam',
      'byZoe',
      'byEve',
      'byNone',
    ]),
    order(
      'by when it was changed',
      '12.2.2',
      {
        old: task({ updatedAt: new Date('2026-01-02T00:00:00Z') }),
        older: task({ updatedAt: new Date('2026-01-01T00:00:00Z') }),
      },
      'updated_at',
      'UPDATED_AT_ASC',
      ['older', 'old'],
    ),
    {
      clause: '12.2.1',
      it: 'a path that is not declared is refused',
      as: 'viewer',
      send: 'GET /api/v2/tasks?sort=reviewer.email',
      also: {
        query: '{ tasks(sort: [REVIEWER_EMAIL_ASC]) { nodes { id } } }',
        answer: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'sort' },
    },
    {
      clause: '12.2.1',
      it: 'a path that is named twice is refused',
      as: 'viewer',
      send: 'GET /api/v2/tasks?sort=reviewer.name,-reviewer.name',
      also: '{ tasks(sort: [REVIEWER_NAME_ASC, REVIEWER_NAME_DESC]) { nodes { id } } }',
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'sort' },
    },
  ],
  { definition: workshop },
)
