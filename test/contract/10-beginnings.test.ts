// Beginnings of calendar units in rules, queries and what moves set. (contract 10.1.23)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allOf,
  anyone,
  arg,
  atLeast,
  before,
  date,
  integer,
  resource,
  service,
  startOf,
  timestamp,
  when,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Shift = resource('Shift', {
  prefix: 'shf',
  fields: { day: date(), at: timestamp() },
  queries: {
    today: { allow: anyone, where: when({ day: startOf('day', { timeZone: 'Pacific/Kiritimati' }) }) },
    recent: {
      allow: anyone,
      args: { days: integer({ min: 0, max: 99 }) },
      where: when({ at: atLeast(startOf('month').minus({ days: arg('days') })) }),
    },
  },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['day', 'at'] },
    update: { allow: when({ day: atLeast(startOf('week')) }), accept: ['at'] },
    delete: {
      allow: allOf(
        when({ at: before(startOf('day', { timeZone: 'America/New_York' })) }),
        when({ at: atLeast(startOf('day', { timeZone: 'Asia/Kolkata' })) }),
      ),
    },
    stamp: {
      allow: anyone,
      set: { day: startOf('day', { timeZone: 'Pacific/Kiritimati' }).plus({ days: 1 }), at: startOf('hour') },
    },
  },
})
const definition = service({ resources: { User, Shift }, accounts, roles: { ANY: {} } })

withService(
  '10.1 Beginnings of calendar units',
  (running) => {
    const send = (line: string, body?: object) => running().send(line, body === undefined ? {} : { body })
    const create = async (day: string, at: string) =>
      (await send('POST /api/v1/shifts', { day, at })).body.data.id as string

    // It is Friday, 2026-11-20T09:30Z.
    test('10.1.23 a query compares days with the local day, and moments with the beginning of a unit', async () => {
      const [friday, saturday] = [
        await create('2026-11-20', '2026-10-31T23:59:59Z'),
        await create('2026-11-21', '2026-11-01T00:00:00Z'),
      ]
      const idsOf = async (path: string) =>
        (await send(`GET /api/v1/shifts/${path}`)).body.data.map(({ id }: { id: string }) => id)
      assert.deepEqual(await idsOf('today'), [friday])
      running().advance(30 * 60_000)
      // In Kiritimati, 14 hours ahead, the next day begins at ten.
      assert.deepEqual(await idsOf('today'), [saturday])
      assert.deepEqual(await idsOf('recent?days=0'), [saturday])
      assert.deepEqual((await idsOf('recent?days=1')).toSorted(), [friday, saturday].toSorted())
      const { body } = await running().graphql(
        '{ todayShifts { nodes { id } } recentShifts(days: 0) { nodes { id } } }',
      )
      assert.deepEqual(body.data, {
        todayShifts: { nodes: [{ id: saturday }] },
        recentShifts: { nodes: [{ id: saturday }] },
      })
    })

    test('10.1.23 a rule does so, and a move sets them', async () => {
      const [sunday, monday] = [
        await create('2026-11-15', '2026-11-20T05:00:00Z'),
        await create('2026-11-16', '2026-11-20T04:59:59Z'),
      ]
      const patch = (id: string) => send(`PATCH /api/v1/shifts/${id}`, { at: '2026-11-20T04:59:59Z' })
      assert.equal((await send(`DELETE /api/v1/shifts/${sunday}`)).status, 403)
      assert.equal((await patch(sunday)).status, 403)
      assert.equal((await patch(monday)).status, 200)
      assert.equal((await send(`DELETE /api/v1/shifts/${monday}`)).status, 204)
      const { body } = await send(`POST /api/v1/shifts/${sunday}/stamp`)
      assert.deepEqual([body.data.day, body.data.at], ['2026-11-22', '2026-11-20T10:00:00.000Z'])
    })
  },
  { definition },
)
