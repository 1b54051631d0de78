// Records that exchange unique values in one write: what is unique is judged when the write is complete, on both databases.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, event, integer, is, many, one, optional, resource, service, text } from 'duet-api'
import { versionIn } from '../support/check/version-in.ts'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Board = resource('Board', {
  prefix: 'brd',
  fields: { title: text({ max: 40 }), cards: many('Card', 'board') },
  counts: { cards: 'cards' },
  sums: { places: 'cards.position' },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title', 'cards'] },
    update: { allow: anyone, accept: ['title', 'cards'] },
  },
})
const Card = resource('Card', {
  prefix: 'crd',
  fields: { board: one('Board'), position: optional(integer()), label: text({ max: 20 }) },
  unique: [['board', 'position'], { fields: ['board', 'label'], caseless: true }],
  filter: { board: is },
  where: ['board', 'position'],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['board', 'position', 'label'] },
    update: { allow: anyone, accept: ['position', 'label'], emit: event('cardChanged') },
    advance: { allow: anyone, set: { position: ({ record }) => (record.position ?? 0) + 1 } },
    delete: { allow: anyone },
  },
})
/** Its rows are written one after the other. */
const Ladder = resource('Ladder', {
  prefix: 'lad',
  fields: { title: text({ max: 40 }), rungs: many('Rung', 'ladder') },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title', 'rungs'] },
    update: { allow: anyone, accept: ['title', 'rungs'] },
  },
})
const Rung = resource('Rung', {
  prefix: 'rng',
  fields: { ladder: one('Ladder'), position: integer() },
  unique: [['ladder', 'position']],
  filter: { ladder: is },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['ladder', 'position'] },
    update: {
      allow: anyone,
      accept: ['position'],
      check: async ({ record, records }) =>
        (await records.here.count({ filter: { ladder: record.ladder } })) < 9 || 'Full.',
    },
    delete: { allow: anyone },
  },
})
/** Two lists of one resource. */
const Club = resource('Club', {
  prefix: 'clb',
  fields: { title: text({ max: 40 }), home: many('Game', 'host'), away: many('Game', 'guest') },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title'] },
    update: { allow: anyone, accept: ['title', 'home', 'away'] },
  },
})
const Game = resource('Game', {
  prefix: 'gam',
  fields: { host: optional(one('Club')), guest: optional(one('Club')), slot: text({ max: 40, unique: true }) },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['host', 'guest', 'slot'] },
    update: { allow: anyone, accept: ['slot'] },
    delete: { allow: anyone },
  },
})
const cards = service({ resources: { User, Board, Card, Ladder, Rung, Club, Game }, accounts, roles: { ANY: {} } })
type CardRow = { readonly id: string; readonly position: number; readonly label: string }

withService(
  '11.2 Values that records exchange',
  (running) => {
    const send = (line: string, body?: object) => running().send(line, body === undefined ? {} : { body })
    const read = async (board: string): Promise<readonly CardRow[]> =>
      (await send(`GET /api/v1/cards?board_id=${board}&per_page=100`)).body.data.toSorted(
        (one: CardRow, other: CardRow) => one.position - other.position,
      )
    async function begin(labels: string) {
      const own = [...labels].map((label, at) => ({ label, position: at + 1 }))
      const { body, text } = await send('POST /api/v1/boards', { title: 'B', cards: own })
      assert.ok(body.data, text)
      const rows = await read(body.data.id)
      return { board: body.data.id as string, ids: rows.map(({ id }) => id) }
    }
    const labelsOf = async (board: string) => (await read(board)).map(({ label }) => label).join('')
    const tagsOf = (ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await send(`GET /api/v1/cards/${id}`)).headers['etag']))

    /** The new positions of the first cards, and what is then read. */
    const exchanges: readonly (readonly [it: string, positions: readonly number[], labels: string])[] = [
      ['swap', [2, 1, 3, 4], 'bacd'],
      ['rotate', [2, 3, 4, 1], 'dabc'],
      ['shift', [2, 3, 4, 5], 'abcd'],
      ['are reversed', [4, 3, 2, 1], 'dcba'],
      ['move into gaps', [3, 5, 7, 9], 'abcd'],
    ]
    for (const method of ['PATCH', 'PUT', 'GraphQL'])
      for (const [it, positions, labels] of exchanges)
        test(`11.2.15 ${method}: children ${it}`, async () => {
          const { board, ids } = await begin('abcd')
          const sent = ids.map((id, at) => ({ id, position: positions[at]! }))
          if (method === 'GraphQL') {
            const document =
              'mutation ($id: ID!, $input: UpdateBoardInput!) { updateBoard(id: $id, input: $input) { places } }'
            const { body } = await running().graphql(document, { variables: { id: board, input: { cards: sent } } })
            assert.equal(body.errors, undefined, JSON.stringify(body.errors))
          } else {
            const { status, text } = await send(`${method} /api/v1/boards/${board}`, { title: 'B', cards: sent })
            assert.equal(status, 200, text)
          }
          assert.equal(await labelsOf(board), labels)
          const { data } = (await send(`GET /api/v1/boards/${board}`)).body
          assert.deepEqual([data.cards_count, data.places], [4, positions.reduce((sum, each) => sum + each)])
        })

    test('11.2.15 texts in one folded form, together with deletes and new ones', async () => {
      const { board, ids } = await begin('abc')
      const { status, text } = await send(`PATCH /api/v1/boards/${board}`, {
        cards: [
          { label: 'new', position: 1 },
          { id: ids[1], label: 'A', position: 3 },
          { id: ids[0], label: 'B', position: 2 },
        ],
      })
      assert.equal(status, 200, text)
      assert.equal(await labelsOf(board), 'newBA')
    })

    test('11.2.15 a move of many shifts them', async () => {
      const { board, ids } = await begin('abcd')
      assert.equal((await send('POST /api/v1/cards/advance', { ids })).status, 200)
      assert.deepEqual(
        (await read(board)).map(({ position }) => position),
        [2, 3, 4, 5],
      )
    })

    test('11.2.15 children that are written one after the other take what is free by then', async () => {
      const { body } = await send('POST /api/v1/ladders', {
        title: 'L',
        rungs: [1, 2, 3].map((position) => ({ position })),
      })
      const { data } = (await send(`GET /api/v1/rungs?ladder_id=${body.data.id}`)).body
      const rungs = data.toSorted((one: CardRow, other: CardRow) => other.position - one.position)
      const put = (position: (former: number) => number) =>
        send(`PATCH /api/v1/ladders/${body.data.id}`, {
          rungs: rungs.map((each: CardRow) => ({ id: each.id, position: position(each.position) })),
        })
      assert.equal((await put((former) => former + 1)).status, 200)
      assert.equal((await put((former) => (former === 3 ? 3 : 5 - former))).status, 409)
    })

    test('11.2.15 children of two lists do not exchange theirs', async () => {
      const club = (await send('POST /api/v1/clubs', { title: 'C' })).body.data.id
      const slots = [`${club} 1`, `${club} 2`]
      const first = (await send('POST /api/v1/games', { host_id: club, slot: slots[0] })).body.data.id
      const second = (await send('POST /api/v1/games', { guest_id: club, slot: slots[1] })).body.data.id
      const { status, body } = await send(`PATCH /api/v1/clubs/${club}`, {
        home: [{ id: first, slot: slots[1] }],
        away: [{ id: second, slot: slots[0] }],
      })
      assert.equal(status, 409)
      assert.deepEqual(
        body.error.details.map(({ field }: { field: string }) => field),
        ['home[0].slot'],
      )
    })

    test('11.2.15 each is written once', async () => {
      const { board, ids } = await begin('ab')
      await send(`PATCH /api/v1/boards/${board}`, {
        cards: [
          { id: ids[0], position: 2 },
          { id: ids[1], position: 1 },
        ],
      })
      assert.deepEqual((await tagsOf(ids)).map(versionIn), [2, 2])
    })

    test('11.2.15 values that two have in the end are 409, with the place, and nothing is stored', async () => {
      const { board, ids } = await begin('abc')
      const sent = [
        { id: ids[0], position: 2 },
        { id: ids[1], position: 1 },
        { id: ids[2], position: 1 },
      ]
      const { status, body } = await send(`PATCH /api/v1/boards/${board}`, { cards: sent })
      assert.equal(status, 409)
      assert.deepEqual(
        body.error.details.map(({ field }: { field: string }) => field),
        ['cards[2].board_id', 'cards[2].position'],
      )
      assert.equal(await labelsOf(board), 'abc')
    })

    test('11.2.15 of twenty exchanges at once, all are made and none is lost', async () => {
      const { board, ids } = await begin('abcd')
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const order = index % 2 === 0 ? [2, 3, 4, 1] : [4, 3, 2, 1]
          const sent = ids.map((id, at) => ({ id, position: order[at]! }))
          return (await send(`PATCH /api/v1/boards/${board}`, { cards: sent })).status
        }),
      )
      assert.deepEqual([...new Set(statuses)], [200])
      assert.ok(['dabc', 'dcba'].includes(await labelsOf(board)))
    })
  },
  // Twenty that wait for one record wait longer on a busy machine.
  { definition: cards, limits: { writeWaitMs: 20_000 } },
)
