// API keys of tenants: whose keys of idempotency they see, and when they end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Face, type Holder, office } from '../support/client/office.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { startInstance } from '../support/server/instance.ts'
import { withService } from '../support/server/service.ts'

withService(
  '10.2 Ends of API keys of tenants',
  (running) => {
    test('10.2.14 a key of idempotency is good for one API key alone', async () => {
      const { ids, makeKey } = await office(running())
      const [one, other] = await Promise.all(
        [1, 2].map(() => makeKey('ann', { organization_id: ids.one, role: 'OWNER' })),
      )
      const body = { organization_id: ids.one, title: 'once', owner_id: ids.agent }
      const make = async ({ headers }: Face | Holder) => {
        const sent = { headers: { ...headers, 'X-Idempotency-Key': 'the-same' }, body }
        const answer = await running().send('POST /api/v1/tasks', sent)
        return [answer.status, answer.body.data.id] as const
      }
      const [first, again, elsewhere] = [await make(one!), await make(one!), await make(other!)]
      assert.deepEqual([first[0], again[0], elsewhere[0]], [201, 200, 201])
      assert.equal(again[1], first[1])
      assert.notEqual(elsewhere[1], first[1])
    })

    test('10.2.15 it ends when it is deleted, on sockets within a second', async (t) => {
      const { ids, makeKey, ask, as } = await office(running())
      const other = running().engine === 'sqlite' ? null : await startInstance(running(), { definition: helpdesk })
      if (other !== null) t.after(() => other.stop())
      const { url } = other ?? running()
      const key = await makeKey('ann', { organization_id: ids.one, role: 'AGENT' })
      const socket = await TestSocket.ready(url, { 'X-API-Key': key.key })
      socket.subscribe('1', 'subscription { ticketSolved { subject } }')
      await socket.settled()
      const solve = async (who: string, id: string) =>
        assert.equal((await as(who).voice.move('solve', 'Ticket', id)).code, null)
      await solve('ben', ids.elsewhere)
      await solve('ann', ids.mine)
      const { data } = (await socket.next()).payload as { readonly data: unknown }
      assert.deepEqual(data, { ticketSolved: { subject: 'mine' } })
      assert.equal((await ask(key, 'GET /api/v1/tickets')).status, 200)
      assert.equal((await as('ann').voice.remove('ApiKey', key.id)).code, null)
      assert.deepEqual(await refused(ask(key, 'GET /api/v1/tickets')), [401, 'INVALID_CREDENTIALS'])
      assert.equal(await socket.closed, 4403)
    })

    test('10.2.15 it outlives the caller who made it, and goes with its tenant', async () => {
      const { ids, makeKey, ask, as } = await office(running())
      const made = await makeKey('agent', { organization_id: ids.one, role: 'AGENT' })
      const personal = await makeKey('agent', {})
      const list = (key: Holder) => ask(key, 'GET /api/v1/tickets')
      assert.equal((await as('ann').voice.remove('Membership', ids.agentWorks)).code, null)
      assert.equal((await list(made)).body.data.length, 2)
      assert.equal((await list(personal)).body.data.length, 0)
      assert.equal((await as('agent').voice.remove('User', ids.agent)).code, null)
      assert.equal((await list(made)).status, 200)
      assert.deepEqual(await refused(list(personal)), [401, 'INVALID_CREDENTIALS'])
      assert.equal((await as('ann').voice.remove('Organization', ids.one)).code, null)
      assert.deepEqual(await refused(list(made)), [401, 'INVALID_CREDENTIALS'])
    })

    test('10.2.15 a key of a project goes with the organization', async () => {
      const { ids, makeKey, makeProject, ask, as } = await office(running())
      const project = await makeProject('P')
      const key = await makeKey('ann', { project_id: project.id, role: 'LEAD' })
      assert.equal((await ask(key, 'GET /api/v1/notes')).status, 200)
      assert.equal((await as('ann').voice.remove('Organization', ids.one)).code, null)
      assert.deepEqual(await refused(ask(key, 'GET /api/v1/notes')), [401, 'INVALID_CREDENTIALS'])
    })
  },
  { definition: helpdesk },
)

const refused = async (
  // biome-ignore lint/suspicious/noExplicitAny: answers hold whatever is there
  answer: Promise<{ readonly status: number; readonly body: any }>,
) => {
  const { status, body } = await answer
  return [status, body.error.code]
}
