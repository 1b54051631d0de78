// What guests of a record are told of the tenants that it is in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acrossTenants,
  anyOf,
  choice,
  hasToken,
  is,
  many,
  member,
  one,
  resource,
  service,
  signedIn,
  text,
  token,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Team = resource('Team', {
  prefix: 'team',
  fields: { name: text({ max: 40 }), members: many('Membership', 'team') },
  members: { list: 'members', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mbr',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER', 'HELPER']) },
  actions: { read: { allow: member('team') } },
})
const Room = resource('Room', {
  prefix: 'room',
  within: 'team',
  fields: { team: one('Team'), name: text({ max: 40 }) },
  sort: ['team'],
  actions: { read: { allow: member('team'), partly: { allow: acrossTenants(signedIn), fields: ['name'] } } },
})
const Visit = resource('Visit', {
  prefix: 'vis',
  within: 'room',
  fields: { room: one('Room'), name: text({ max: 40 }), code: token({ prefix: 'visit' }) },
  filter: { room: is },
  where: ['room'],
  actions: {
    read: { allow: anyOf(signedIn, acrossTenants(hasToken('code'))) },
    create: { allow: signedIn, accept: ['room', 'name'] },
  },
})
const definition = service({
  resources: { User, Team, Membership, Room, Visit },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Team: { OWNER: {}, HELPER: {} } },
} as never)

withService(
  '10.2 guests of what is in tenants',
  (running) => {
    test('10.2.18 a caller who reads a record by its code gets its tenant, and nothing else that they may not read', async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        team: { Team: { name: 'One' } },
        other: { Team: { name: 'Two' } },
        owner: { Membership: { team: '{team}', user: '{ann}', role: 'OWNER' } },
        room: { Room: { team: '{team}', name: 'R' } },
      })
      await fixtures.idOf('owner')
      const body = { room_id: '{room}', name: 'V' }
      const made = await running().send('POST /api/v1/visits', { as: '{ann}', fixtures, body })
      assert.equal(made.status, 201, made.text)
      const { id, code } = made.body.data
      const [team, room] = [await fixtures.idOf('team'), await fixtures.idOf('room')]
      assert.deepEqual([made.body.data.team_id, made.body.data.room_id], [team, room])
      const headers = { 'X-Access-Code': code }
      const send = (line: string) => running().send(line, { headers, fixtures })
      const { body: read } = await send(`GET /api/v1/visits/${id}`)
      assert.deepEqual([read.data.team_id, read.data.room_id], [team, null])
      const list = await send('GET /api/v1/visits?team_id={team}')
      assert.equal(list.body.data[0]?.id, id, list.text)
      const sorted = await running().send('GET /api/v1/rooms?sort=-team_id', { as: '{ann}', fixtures })
      assert.equal(sorted.body.data[0]?.id, room, sorted.text)
      for (const query of ['team_id={other}', 'room_id={room}', 'where=room_id%20%3D%20%22{room}%22'])
        assert.deepEqual((await send(`GET /api/v1/visits?${query}`)).body.data, [])
      const graphql = await running().graphql(`{ visit(id: "${id}") { id team { id } room { id } } }`, { headers })
      assert.deepEqual(graphql.body.data.visit, { id, team: null, room: null })
      assert.equal((await send('GET /api/v1/teams/{team}')).status, 401)
    })

    test('10.2.18, 10.1.24 a caller who reads a record in part gets its tenant, though it is not named', async () => {
      const fixtures = running().fixtures({
        ben: { User: {} },
        team: { Team: { name: 'One' } },
        room: { Room: { team: '{team}', name: 'R' } },
      })
      const { body, text } = await running().send('GET /api/v1/rooms/{room}', { as: '{ben}', fixtures })
      assert.equal(body.data?.team_id, await fixtures.idOf('team'), text)
    })
  },
  { definition },
)
