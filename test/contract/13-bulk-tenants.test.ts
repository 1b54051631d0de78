// Writes by a condition, of somebody who is in many tenants.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, many, member, one, resource, type Service, service, signedIn, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Team = resource('Team', {
  prefix: 'team',
  fields: { name: text({ max: 40 }), memberships: many('Membership', 'team') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER', 'HELPER']) },
  actions: { read: { allow: member('team') }, delete: { allow: signedIn } },
})
const Task = resource('Task', {
  prefix: 'task',
  within: 'team',
  fields: { team: one('Team'), title: text({ max: 40 }) },
  where: ['title'],
  actions: { read: { allow: member('team') }, update: { allow: member('team'), accept: ['title'] } },
})
const definition = service({
  resources: { User, Team, Membership, Task },
  accounts,
  roles: { ANY: {} },
} as never) as Service<unknown>

const given = {
  ann: { User: {} },
  red: { Team: { name: 'red' } },
  blue: { Team: { name: 'blue' } },
  inRed: { Membership: { team: '{red}', user: '{ann}', role: 'OWNER' } },
  inBlue: { Membership: { team: '{blue}', user: '{ann}', role: 'OWNER' } },
  first: { Task: { team: '{red}', title: 'first' } },
} as const

withService(
  '13.7 writes by a condition, in tenants',
  (running) => {
    test('13.7.8 who is in more tenants than a list is gathered from sends ids', async () => {
      const fixtures = running().fixtures(given)
      for (const name of Object.keys(given)) await fixtures.idOf(name as keyof typeof given)
      const send = (line: string, body?: unknown) => running().send(line, { as: '{ann}', fixtures, body })
      const byCondition = () =>
        send(`PATCH /api/v1/tasks?where=${encodeURIComponent('title = "first"')}`, { title: 'second' })
      const refused = await byCondition()
      assert.equal(refused.status, 400, refused.text)
      assert.deepEqual(
        refused.body.error.details.map(({ field }: { field: string }) => field),
        ['where'],
      )
      const answer = await running().graphql(
        'mutation { updateTasksWhere(input: { whereText: "title = \\"first\\"", set: { title: "second" } }) { count } }',
        { as: '{ann}', fixtures },
      )
      assert.equal(answer.body.errors[0].extensions.code, 'VALIDATION_ERROR', answer.text)
      const byIds = await send('PATCH /api/v1/tasks', { ids: [await fixtures.idOf('first')], title: 'third' })
      assert.equal(byIds.status, 200, byIds.text)
      assert.equal((await send('DELETE /api/v1/memberships/{inBlue}')).status, 204)
      const after = await send(`PATCH /api/v1/tasks?where=${encodeURIComponent('title = "third"')}`, { title: 'last' })
      assert.deepEqual([after.status, after.body], [200, { meta: { updated: 1 } }])
    })
  },
  { definition, limits: { listTenants: 1 } },
)
