// Which requests the typed client makes: its methods know addresses by their names alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  arg,
  argument,
  atLeast,
  collection,
  integer,
  json,
  list,
  many,
  may,
  one,
  optional,
  resource,
  type Service,
  text,
  timestamp,
  when,
} from 'duet-api'
import { createClient } from 'duet-api/client'

const Room = resource('MeetingRoom', {
  prefix: 'rom',
  fields: {
    name: text({ max: 50 }),
    seats: integer({ min: 0 }),
    extraFacts: optional(json({ maxBytes: 99 })),
    houseOwner: one('User'),
    pastVisits: many('Visit', 'room'),
    names: argument(list(text({ max: 9 }), { max: 9 })),
  },
  summary: { by: ['houseOwner', 'houseOwner.name', 'createdAt'], of: ['seats'] },
  queries: {
    freeNow: {
      allow: anyone,
      args: { minSeats: integer({ min: 1 }) },
      where: when({ seats: atLeast(arg('minSeats')) }),
    },
  },
  actions: {
    read: { allow: anyone },
    create: { allow: may('create'), accept: ['name', 'seats', 'extraFacts', 'houseOwner'] },
    update: { allow: may('edit'), accept: ['name', 'extraFacts'] },
    planAll: { allow: may('planAll'), on: collection, accept: ['names'], effect: async () => {} },
    lockUp: { allow: may('lockUp') },
  },
})
const Visit = resource('Visit', {
  prefix: 'vis',
  fields: { room: one('MeetingRoom'), cameAt: timestamp() },
  actions: { read: { allow: anyone } },
})
type House = Service<{ MeetingRoom: typeof Room; Visit: typeof Visit }, never>
// Definitions are only looked at.
void Visit

test('names become addresses, parameters and bodies, and back', async () => {
  const sent: string[] = []
  const answers: unknown[] = []
  const client = createClient<House>('http://house.test/', {
    json: { extraFacts: true },
    surroundings: {
      makeKey: () => 'key',
      async fetch(url, { method, body, headers }) {
        const key = new Headers(headers).get('X-Idempotency-Key')
        sent.push([method, url.replace('http://house.test', ''), body, key].filter((each) => each != null).join(' '))
        return Response.json(answers.shift() ?? { data: [], meta: { next_cursor: null, has_next: false } })
      },
    },
  })
  const rooms = client.meetingRooms
  const facts = { door_code: 1 }
  answers.push({ data: { house_owner_id: 'usr_1', extra_facts: facts } })
  const made = await rooms.create({ name: 'Attic', seats: 2, houseOwnerId: 'usr_1', extraFacts: facts })
  assert.deepEqual(made, { houseOwnerId: 'usr_1', extraFacts: facts })
  await rooms.createMany([{ name: 'Attic', seats: 2, houseOwnerId: 'usr_1' }])
  await rooms.updateMany(['rom_1'], { extraFacts: facts })
  await rooms.lockUp('rom_1')
  await rooms.planAll({ names: ['a'] })
  answers.push({ data: [{ name: 'a' }], meta: { next_cursor: 'x', has_next: true } })
  const free = await Array.fromAsync(rooms.freeNow.list({ args: { minSeats: 3 }, fields: ['name', 'houseOwnerId'] }))
  assert.deepEqual(free, [{ name: 'a' }])
  await rooms.pastVisits.page('rom_/1', { sort: ['-cameAt', 'id'], limit: 5 })
  answers.push({ data: [{ created_at: '2026-11', house_owner_name: 'A', count: 1, sum: { seats: '2' } }], meta: {} })
  const groupBy = ['createdAt:month', 'houseOwner.name'] as const
  const { data } = await rooms.summary.page({ groupBy, timeZone: 'UTC', sort: '-sumSeats', limit: 5 })
  assert.deepEqual(data, [{ createdAt: '2026-11', houseOwnerName: 'A', count: 1, sum: { seats: '2' } }])
  answers.push({ data: [], meta: { page: 2, per_page: 20, total_pages: 0, has_next: false, has_prev: true } })
  assert.equal((await rooms.page({ page: 2 })).totalPages, 0)
  answers.push({ data: [], next_cursor: 'y', has_more: true })
  const flat = await rooms.page({ limit: 1 })
  assert.deepEqual(flat, { data: [], hasNext: true, nextCursor: 'y', prevCursor: null })
  assert.deepEqual(sent, [
    'POST /api/v1/meeting-rooms {"name":"Attic","seats":2,"house_owner_id":"usr_1","extra_facts":{"door_code":1}} key',
    'POST /api/v1/meeting-rooms/batch {"meeting_rooms":[{"name":"Attic","seats":2,"house_owner_id":"usr_1"}]} key',
    'PATCH /api/v1/meeting-rooms {"extra_facts":{"door_code":1},"ids":["rom_1"]}',
    'POST /api/v1/meeting-rooms/rom_1/lock-up key',
    'POST /api/v1/meeting-rooms/plan-all {"names":["a"]} key',
    'GET /api/v1/meeting-rooms/free-now?min_seats=3&fields=name%2Chouse_owner_id&limit=20',
    'GET /api/v1/meeting-rooms/free-now?min_seats=3&fields=name%2Chouse_owner_id&cursor=x',
    'GET /api/v1/meeting-rooms/rom_%2F1/past-visits?sort=-came_at%2Cid&limit=5',
    'GET /api/v1/meeting-rooms/summary?group_by=created_at%3Amonth%2Chouse_owner_name&time_zone=UTC&sort=-sum_seats&limit=5',
    'GET /api/v1/meeting-rooms?page=2',
    'GET /api/v1/meeting-rooms?limit=1',
  ])
})
