// Orders that a list offers inside one reference only.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, integer, is, many, one, resource, service, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const Room = resource('Room', {
  prefix: 'rom',
  fields: { name: text({ max: 20 }), crates: many('Crate', 'room') },
  actions: { read: { allow: anyone } },
})
const Shelf = resource('Shelf', {
  prefix: 'shf',
  plural: 'shelves',
  fields: { name: text({ max: 20 }), crates: many('Crate', 'shelf') },
  actions: { read: { allow: anyone } },
})
const Crate = resource('Crate', {
  prefix: 'crt',
  fields: { shelf: one('Shelf'), room: one('Room'), weight: integer(), height: integer() },
  filter: { shelf: is, room: is },
  sort: { weight: { within: 'shelf' }, 'room.name': { within: 'shelf' }, height: {} },
  actions: { read: { allow: anyone } },
})
const store = service({ resources: { User, Room, Shelf, Crate }, accounts, roles: { ANY: {} } })

const given = {
  hall: { Room: { name: 'hall' } },
  shelf: { Shelf: { name: 's' } },
  heavy: { Crate: { shelf: '{shelf}', room: '{hall}', weight: 9, height: 1 } },
  light: { Crate: { shelf: '{shelf}', room: '{hall}', weight: 1, height: 2 } },
}
const inOrder = [{ id: '{light}' }, { id: '{heavy}' }]
const row = (it: string, send: string, also: string, answer: Row['answer']): Row => ({
  clause: '12.2.42',
  it,
  given,
  send: `GET /api/v1/${send}`,
  also:
    answer.status === 400 || also.startsWith('{ crates')
      ? also
      : { query: also, answer: { data: { crates: inOrder } } },
  answer,
})
const sorted = { status: 200, data: inOrder }
const refused = { status: 400, code: 'VALIDATION_ERROR', field: 'sort' } as const

clauses(
  '12.2 Orders inside a reference',
  [
    row(
      'a list with the filter is sorted so',
      'crates?shelf_id={shelf}&sort=weight&fields=id',
      '{ crates(filter: { shelfId: "{shelf}" }, sort: [WEIGHT_ASC]) { nodes { id } } }',
      sorted,
    ),
    row(
      'a list below the record is sorted so',
      'shelves/{shelf}/crates?sort=weight&fields=id',
      '{ shelf(id: "{shelf}") { crates(sort: [WEIGHT_ASC]) { id } } }',
      sorted,
    ),
    row('a list of all is not', 'crates?sort=-weight', '{ crates(sort: [WEIGHT_DESC]) { nodes { id } } }', {
      ...refused,
      message: /./,
    }),
    row(
      'nor by values of another record',
      'crates?sort=height,room.name',
      '{ crates(sort: [HEIGHT_ASC, ROOM_NAME_ASC]) { nodes { id } } }',
      refused,
    ),
    row(
      'a list below another record is not',
      'rooms/{hall}/crates?sort=weight',
      '{ room(id: "{hall}") { crates(sort: [WEIGHT_ASC]) { id } } }',
      refused,
    ),
    row(
      'another filter is not enough',
      'crates?room_id={hall}&sort=weight',
      '{ crates(filter: { roomId: "{hall}" }, sort: [WEIGHT_ASC]) { nodes { id } } }',
      refused,
    ),
    row(
      'but with the filter it is sorted so there, too',
      'rooms/{hall}/crates?shelf_id={shelf}&sort=weight&fields=id',
      '{ room(id: "{hall}") { crates(filter: { shelfId: "{shelf}" }, sort: [WEIGHT_ASC]) { id } } }',
      sorted,
    ),
  ],
  { definition: store },
)

withService(
  '12.2 What is said of them',
  (running) => {
    test('12.2.42 the message and the documents name the filter', async () => {
      const { body } = await running().send('GET /api/v1/crates?sort=weight,room.name')
      const say = (order: string) => `Lists are sorted by ${order} inside one of shelf_id only: send it as well.`
      assert.deepEqual(
        body.error.details.map(({ message }: { message: string }) => message),
        [say('weight'), say('room.name')],
      )
      const { body: document } = await running().client.send('GET /api/v1/openapi.json')
      const sort = (path: string) =>
        document.paths[`/api/v1${path}`].get.parameters.find(({ name }: { name: string }) => name === 'sort')
          .description
      const only = 'By `weight` only with `shelf_id`. By `room.name` only with `shelf_id`.'
      assert(sort('/crates').endsWith(only))
      assert(sort('/rooms/{id}/crates').endsWith(only))
      assert(!sort('/shelves/{id}/crates').includes('only'))
    })

    test('12.2.42 code names it as well', async () => {
      const { asService } = running()
      const fixtures = running().fixtures(given)
      const [shelf, heavy] = [await fixtures.idOf('shelf'), await fixtures.idOf('heavy'), await fixtures.idOf('light')]
      const list = (filter: object) => asService.records.list(Crate, { filter, sort: ['-weight'] } as never)
      assert.equal((await list({ shelf })).records[0]!.id, heavy)
      await assert.rejects(list({}), { code: 'VALIDATION_ERROR' })
    })
  },
  { definition: store },
)
