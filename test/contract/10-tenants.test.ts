// Tenants, through both faces: who is a member of what, what roles inside let members do, and what nobody else learns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faceNames, speak, type Voice } from '../support/client/both-faces.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { startInstance } from '../support/server/instance.ts'
import { type TestService, withService } from '../support/server/service.ts'

const dataOf = ({ payload }: Frame) => (payload as { data: unknown }).data
type Fixtures = ReturnType<TestService['fixtures']>
/** Two companies. Ann owns one, and is a customer of the other, which Ben owns. */
const companies = {
  ann: { User: {} },
  ben: { User: {} },
  agent: { User: {} },
  customer: { User: {} },
  support: { User: { role: 'SUPPORT' } },
  admin: { User: { role: 'ADMIN' } },
  one: { Organization: { name: 'One' } },
  two: { Organization: { name: 'Two' } },
  annOwns: { Membership: { organization: '{one}', user: '{ann}', role: 'OWNER' } },
  annBuys: { Membership: { organization: '{two}', user: '{ann}', role: 'CUSTOMER' } },
  benOwns: { Membership: { organization: '{two}', user: '{ben}', role: 'OWNER' } },
  agentWorks: { Membership: { organization: '{one}', user: '{agent}', role: 'AGENT' } },
  customerBuys: { Membership: { organization: '{one}', user: '{customer}', role: 'CUSTOMER' } },
  mine: { Ticket: { organization: '{one}', number: 1, subject: 'mine', requester: '{customer}' } },
  others: { Ticket: { organization: '{one}', number: 2, subject: 'others', requester: '{ann}' } },
  elsewhere: { Ticket: { organization: '{two}', number: 1, subject: 'elsewhere', requester: '{ann}' } },
} as const

withService(
  '10.2 tenants',
  (running) => {
    async function everyone() {
      const fixtures = running().fixtures(companies)
      const names = Object.keys(companies) as (keyof typeof companies)[]
      const entries = await Promise.all(names.map(async (name) => [name, await fixtures.idOf(name)] as const))
      return { fixtures, ids: Object.fromEntries(entries) as Record<keyof typeof companies, string> }
    }
    const voices = (as: string, fixtures: Fixtures): readonly Voice[] =>
      faceNames.map((face) => speak(face, running(), { as: as === '' ? 'anonymous' : `{${as}}`, fixtures }))
    /** The same of both faces, which must agree. */
    async function each<T>(as: string, fixtures: Fixtures, ask: (voice: Voice) => Promise<T>): Promise<T> {
      const [rest, graphql] = [await ask(voices(as, fixtures)[0]!), await ask(voices(as, fixtures)[1]!)]
      assert.deepEqual(graphql, rest)
      return rest
    }
    const idsOf = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id).sort()

    test('10.2.1 what is within a tenant exists for its members alone, in lists too', async () => {
      const { fixtures, ids } = await everyone()
      const sees = (as: string) =>
        each(as, fixtures, async (voice) => {
          const single = await Promise.all(
            [ids.mine, ids.others, ids.elsewhere].map(async (id) => (await voice.read('Ticket', id)).code),
          )
          const list = await voice.list('Ticket')
          return { single, list: list.code ?? idsOf(list.data) }
        })
      const hidden = 'NOT_FOUND'
      assert.deepEqual(await sees('ann'), {
        single: [null, null, null],
        list: [ids.mine, ids.others, ids.elsewhere].sort(),
      })
      assert.deepEqual(await sees('agent'), { single: [null, null, hidden], list: [ids.mine, ids.others].sort() })
      assert.deepEqual(await sees('customer'), { single: [null, hidden, hidden], list: [ids.mine] })
      assert.deepEqual(await sees('ben'), { single: [hidden, hidden, null], list: [ids.elsewhere] })
      assert.deepEqual(await sees('admin'), { single: [hidden, hidden, hidden], list: [] })
      const nobody = 'UNAUTHENTICATED'
      assert.deepEqual(await sees(''), { single: [nobody, nobody, nobody], list: nobody })
    })

    test('10.2.1 the tenant itself, its members and the accounts of others', async () => {
      const { fixtures, ids } = await everyone()
      const reads = (as: string, type: string, id: string) =>
        each(as, fixtures, async (voice) => (await voice.read(type, id)).code)
      assert.equal(await reads('customer', 'Organization', ids.one), null)
      assert.equal(await reads('customer', 'Organization', ids.two), 'NOT_FOUND')
      assert.equal(await reads('customer', 'Membership', ids.annOwns), null)
      assert.equal(await reads('customer', 'Membership', ids.annBuys), 'NOT_FOUND')
      assert.equal(await reads('customer', 'User', ids.agent), null)
      assert.equal(await reads('customer', 'User', ids.ben), 'NOT_FOUND')
      const members = await each('customer', fixtures, async (voice) =>
        idsOf((await voice.below('Organization', ids.one, 'memberships')).data),
      )
      assert.deepEqual(members, [ids.annOwns, ids.agentWorks, ids.customerBuys].sort())
    })

    test('10.2.1 who is switched off is no member', async () => {
      const { fixtures, ids } = await everyone()
      const [rest] = voices('ann', fixtures)
      const off = await rest!.move('turn-off', 'Membership', ids.customerBuys)
      assert.equal(off.code, null)
      const code = await each('customer', fixtures, async (voice) => (await voice.read('Ticket', ids.mine)).code)
      assert.equal(code, 'NOT_FOUND')
    })

    test('10.2.2 a record within a record has its tenant, which a list can be filtered by', async () => {
      const { fixtures, ids } = await everyone()
      for (const voice of voices('customer', fixtures)) {
        const { data } = await voice.create('Message', { ticketId: ids.mine, body: 'help' })
        const { data: message } = await voice.read('Message', data.id)
        assert.equal(message.organizationId ?? message.organization?.id, ids.one)
        const list = await voice.list('Ticket', { organizationId: ids.two })
        assert.deepEqual(list.data, [])
      }
      for (const voice of voices('ann', fixtures)) {
        const list = await voice.list('Ticket', { organizationId: ids.two })
        assert.deepEqual(idsOf(list.data), [ids.elsewhere])
        const { code } = await voice.change('Ticket', ids.mine, { organizationId: ids.two })
        assert.equal(code, 'VALIDATION_ERROR')
      }
    })

    test('10.2.3 a permission is that of the role in the tenant of the record', async () => {
      const { fixtures, ids } = await everyone()
      const edits = (as: string, id: string) =>
        each(as, fixtures, async (voice) => (await voice.change('Ticket', id, { subject: 'new' })).code)
      assert.equal(await edits('ann', ids.mine), null)
      assert.equal(await edits('ann', ids.elsewhere), 'FORBIDDEN')
      assert.equal(await edits('agent', ids.mine), null)
      assert.equal(await edits('customer', ids.mine), 'FORBIDDEN')
      assert.equal(await edits('customer', ids.others), 'NOT_FOUND')
      assert.equal(await edits('admin', ids.mine), 'NOT_FOUND')
      const renames = (as: string, id: string) =>
        each(as, fixtures, async (voice) => (await voice.change('Organization', id, { name: 'New' })).code)
      assert.equal(await renames('ann', ids.one), null)
      assert.equal(await renames('ann', ids.two), 'FORBIDDEN')
      assert.equal(await renames('agent', ids.one), 'FORBIDDEN')
    })

    test('10.2.4 a create names its tenant: none of the actor is 422, one without the permission 403', async () => {
      const { fixtures, ids } = await everyone()
      const creates = (as: string, type: string, input: object) =>
        each(as, fixtures, async (voice) => (await voice.create(type, { ...input })).code)
      const ticket = (organizationId: string) => ({ organizationId, subject: 'x' })
      assert.equal(await creates('customer', 'Ticket', ticket(ids.one)), null)
      assert.equal(await creates('customer', 'Ticket', ticket(ids.two)), 'BUSINESS_RULE_VIOLATION')
      assert.equal(await creates('admin', 'Ticket', ticket(ids.one)), 'BUSINESS_RULE_VIOLATION')
      assert.equal(await creates('', 'Ticket', ticket(ids.one)), 'UNAUTHENTICATED')
      const invitation = (organizationId: string) => ({ organizationId, role: 'AGENT' })
      assert.equal(await creates('ann', 'Invitation', invitation(ids.one)), null)
      assert.equal(await creates('ann', 'Invitation', invitation(ids.two)), 'FORBIDDEN')
      const message = (ticketId: string) => ({ ticketId, body: 'x' })
      assert.equal(await creates('customer', 'Message', message(ids.mine)), null)
      assert.equal(await creates('customer', 'Message', message(ids.others)), 'BUSINESS_RULE_VIOLATION')
      assert.equal(await creates('customer', 'Message', { ...message(ids.mine), internal: true }), 'FORBIDDEN')
      assert.equal(await creates('agent', 'Message', { ...message(ids.mine), internal: true }), null)
    })

    test('10.2.4 a caller who makes a tenant is in it by what its effect makes', async () => {
      const { fixtures } = await everyone()
      for (const voice of voices('customer', fixtures)) {
        const made = await voice.create('Organization', { name: 'Three' })
        assert.equal(made.code, null, made.message)
        assert.equal((await voice.create('Ticket', { organizationId: made.data.id, subject: 'first' })).code, null)
      }
    })

    test('10.2.5 roles of the service cross tenants where they say so, and rules where they do', async () => {
      const { fixtures, ids } = await everyone()
      const read = await each('support', fixtures, async (voice) => {
        const list = await voice.list('Ticket')
        return [ids.mine, ids.others, ids.elsewhere].every((id) => idsOf(list.data).includes(id))
      })
      assert.equal(read, true)
      const edit = await each('support', fixtures, async (voice) => {
        const { code } = await voice.change('Ticket', ids.mine, { subject: 'x' })
        return code
      })
      assert.equal(edit, 'FORBIDDEN')
      const [owner] = voices('ann', fixtures)
      const { data } = await owner!.create('Invitation', { organizationId: ids.one, role: 'AGENT' })
      const path = `/api/v1/invitations/${data.id}`
      const options = { as: '{ben}', fixtures } as const
      assert.equal((await running().send(`GET ${path}`, options)).status, 404)
      const headers = { 'X-Access-Code': data.code }
      assert.equal((await running().send(`GET ${path}`, { ...options, headers })).status, 200)
      assert.equal((await running().send(`POST ${path}/accept`, { ...options, headers })).status, 200)
      const code = await each('ben', fixtures, async (voice) => (await voice.read('Ticket', ids.others)).code)
      assert.equal(code, null)
    })

    test('10.2.6 a relation stays inside one tenant, even for a caller who may read both', async () => {
      const { fixtures, ids } = await everyone()
      const codes = await each('ann', fixtures, async (voice) => {
        const input = (relatedId: string) => ({ organizationId: ids.one, subject: 'x', relatedId })
        const steps = (aboutId: string) => ({
          organizationId: ids.one,
          subject: 'x',
          steps: [{ aboutId, note: 'x' }],
        })
        return [
          (await voice.create('Ticket', input(ids.mine))).code,
          (await voice.create('Ticket', input(ids.elsewhere))).code,
          (await voice.change('Ticket', ids.mine, { relatedId: ids.elsewhere })).code,
          (await voice.create('Ticket', steps(ids.mine))).code,
          (await voice.create('Ticket', steps(ids.elsewhere))).code,
          (await voice.change('Ticket', ids.mine, { steps: [{ aboutId: ids.elsewhere, note: 'x' }] })).code,
        ]
      })
      const outside = 'BUSINESS_RULE_VIOLATION'
      assert.deepEqual(codes, [null, outside, outside, null, outside, outside])
    })

    test('10.2.6, 10.2.22 code that lets a record name one of another tenant is a bug, and nothing is stored', async () => {
      const { fixtures, ids } = await everyone()
      running().forgetLog()
      const [rest] = voices('ann', fixtures)
      const { code } = await rest!.move('relate', 'Ticket', ids.mine, { externalId: ids.elsewhere })
      assert.equal(code, 'INTERNAL_ERROR')
      assert.match(running().log().join(), /lets Ticket.related name a Ticket of another tenant/)
      running().forgetLog()
      const { data } = await rest!.read('Ticket', ids.mine)
      assert.deepEqual([data.status, data.relatedId], ['open', null])
      assert.equal((await rest!.move('relate', 'Ticket', ids.mine, { externalId: ids.others })).code, null)
    })

    test('10.2.7 at least one remains in each tenant that remains', async () => {
      const { fixtures, ids } = await everyone()
      for (const voice of voices('ann', fixtures)) {
        assert.equal((await voice.change('Membership', ids.annOwns, { role: 'AGENT' })).code, 'BUSINESS_RULE_VIOLATION')
        assert.equal((await voice.remove('Membership', ids.annOwns)).code, 'BUSINESS_RULE_VIOLATION')
      }
      const [rest] = voices('ann', fixtures)
      assert.equal((await rest!.remove('Organization', ids.one)).code, null)
      const [other] = voices('ben', fixtures)
      assert.equal((await other!.read('Membership', ids.benOwns)).code, null)
    })

    test('10.2.7 an account goes, unless it is the last', async () => {
      const { fixtures, ids } = await everyone()
      const [rest, graphql] = voices('ann', fixtures)
      for (const voice of [rest!, graphql!]) {
        const { code, message } = await voice.remove('User', ids.ann)
        assert.deepEqual([code, message], ['BUSINESS_RULE_VIOLATION', 'An organization keeps at least one owner.'])
      }
      assert.equal((await rest!.read('Membership', ids.annOwns)).code, null, 'nothing of it is gone')
      const code = await Promise.all(
        voices('agent', fixtures)
          .slice(0, 1)
          .map((each) => each.remove('User', ids.agent)),
      )
      assert.equal(code[0]!.code, null)
      const owner = running().fixtures({
        second: { Membership: { organization: ids.one, user: ids.customer, role: 'OWNER' } },
      })
      assert.equal((await rest!.remove('Membership', ids.customerBuys)).code, null)
      await owner.idOf('second')
      assert.equal((await graphql!.remove('User', ids.ann)).code, null)
    })

    test('10.2.8 tenants inside of tenants: members of both, and outer roles by what they may', async () => {
      const { fixtures, ids } = await everyone()
      const [owner] = voices('ann', fixtures)
      const project = await owner!.create('Project', { organizationId: ids.one, name: 'P' })
      assert.equal(project.code, null, project.message)
      const inner = running().fixtures({
        ...companies,
        seat: { Seat: { project: project.data.id, user: '{agent}', role: 'GUEST' } },
      })
      for (const name of Object.keys(companies)) inner.keep(name, ids[name as keyof typeof companies])
      await inner.idOf('seat')
      const note = await owner!.create('Note', { projectId: project.data.id, text: 'n' })
      assert.equal(note.code, null, note.message)
      const asks = (as: string) =>
        each(as, inner, async (voice) => [
          (await voice.read('Project', project.data.id)).code,
          (await voice.read('Note', note.data.id)).code,
          (await voice.change('Note', note.data.id, { text: 'm' })).code,
          (await voice.change('Project', project.data.id, { name: 'Q' })).code,
        ])
      assert.deepEqual(await asks('ann'), [null, null, null, null])
      assert.deepEqual(await asks('agent'), [null, null, 'FORBIDDEN', 'FORBIDDEN'])
      assert.deepEqual(await asks('customer'), ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
      assert.equal((await owner!.move('turn-off', 'Membership', ids.agentWorks)).code, null)
      assert.deepEqual(await asks('agent'), ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
      const elsewhere = await owner!.change('Note', note.data.id, { ticketId: ids.elsewhere })
      assert.equal(elsewhere.code, 'BUSINESS_RULE_VIOLATION')
    })

    test('10.2.10 a unique value is unique in each tenant, and reveals no other', async () => {
      const { fixtures, ids } = await everyone()
      const codes = await Promise.all(
        voices('ann', fixtures).map(async (voice, index) => {
          const create = async (organizationId: string, more: object) => {
            const { code, message } = await voice.create('Ticket', { organizationId, subject: 'x', ...more })
            return code === null ? null : `${code} ${message}`
          }
          const [reference, receipt] = [`r${index}`, `s${index}`]
          return [
            await create(ids.one, { reference }),
            await create(ids.two, { reference }),
            await create(ids.one, { reference }),
            await create(ids.one, { receipt }),
            await create(ids.two, { receipt }),
          ]
        }),
      )
      const taken = (field: string) => `CONFLICT Another record has this ${field}.`
      for (const each of codes) assert.deepEqual(each, [null, null, taken('reference'), null, taken('receipt')])
    })

    test('10.2.10 or in an outer tenant that is named', async () => {
      const { fixtures, ids } = await everyone()
      const [owner] = voices('ann', fixtures)
      const made = await Promise.all(
        ['A', 'B'].map((name) => owner!.create('Project', { organizationId: ids.one, name })),
      )
      const [first, second] = made.map(({ data }) => data.id)
      const note = async (projectId: string) => (await owner!.create('Note', { projectId, text: 'same' })).code
      assert.equal(await note(first), null)
      assert.equal(await note(second), 'CONFLICT')
    })

    test('10.2.10 and a counter counts in each tenant', async () => {
      const { fixtures } = await everyone()
      const [rest, graphql] = voices('customer', fixtures)
      const organizations = await Promise.all(
        ['X', 'Y'].map(async (name) => (await rest!.create('Organization', { name })).data.id),
      )
      const numbers: unknown[] = []
      for (const voice of [rest!, graphql!])
        for (const organizationId of organizations)
          numbers.push((await voice.create('Ticket', { organizationId, subject: 'x' })).data.number)
      assert.deepEqual(numbers, [1, 1, 2, 2])
    })

    test('10.2.9 a membership that ends reaches open subscriptions, of every instance', async (t) => {
      const { fixtures, ids } = await everyone()
      // SQLite is one process.
      const isAlone = running().engine === 'sqlite'
      const other = isAlone ? null : await startInstance(running(), { definition: helpdesk })
      if (other !== null) t.after(() => other.stop())
      const socket = await TestSocket.ready((other ?? running()).url, await running().token(ids.agent))
      socket.subscribe('1', 'subscription { ticketSolved { subject } }')
      await socket.settled()
      const [owner] = voices('ann', fixtures)
      const solve = async (id: string) => assert.equal((await owner!.move('solve', 'Ticket', id)).code, null)
      await solve(ids.mine)
      assert.deepEqual(dataOf(await socket.next()), { ticketSolved: { subject: 'mine' } })
      assert.equal((await owner!.move('turn-off', 'Membership', ids.agentWorks)).code, null)
      await solve(ids.others)
      await (other ?? running()).settled()
      socket.subscribe('2', '{ __typename }')
      assert.deepEqual(dataOf(await socket.next()), { __typename: 'Query' }, 'what came between was not heard')
      await socket.close()
    })
  },
  { definition: helpdesk },
)
