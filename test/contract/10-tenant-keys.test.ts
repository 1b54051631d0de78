// API keys that belong to tenants: what they are, who makes and sees them, and what ends them. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Voice } from '../support/client/both-faces.ts'
import { type Holder, office } from '../support/client/office.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { withService } from '../support/server/service.ts'

const hidden = 'NOT_FOUND'
const outside = 'BUSINESS_RULE_VIOLATION'
const countOf = async (voice: Voice, type: string) => {
  const list = await listed(voice, type)
  return typeof list === 'string' ? list : list.length
}
/** The ids of a list, or why there is none. */
async function listed(voice: Voice, type: string) {
  const { code, data } = await voice.list(type)
  return code ?? idsOf(data)
}
const idsOf = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id).sort()

withService(
  '10.2 Keys of tenants',
  (running) => {
    test('10.2.11 a key is a member of its tenant, and nothing of another one exists for it', async () => {
      const { ids, makeKey, each } = await office(running())
      const sees = async (key: Holder) =>
        each(key, async ({ voice }) => ({
          single: await Promise.all(
            [ids.mine, ids.others, ids.elsewhere].map(async (id) => (await voice.read('Ticket', id)).code),
          ),
          list: await listed(voice, 'Ticket'),
          organizations: [
            (await voice.read('Organization', ids.one)).code,
            (await voice.read('Organization', ids.two)).code,
          ],
          members: await listed(voice, 'Membership'),
          // Accounts are in no tenant: their rule says whom it sees.
          accounts: [(await voice.read('User', ids.agent)).code, (await voice.read('User', ids.ben)).code],
        }))
      const ofOne = [ids.annOwns, ids.agentWorks, ids.customerBuys].sort()
      const agent = await makeKey('ann', { organization_id: ids.one, role: 'AGENT' })
      assert.deepEqual(await sees(agent), {
        single: [null, null, hidden],
        list: [ids.mine, ids.others].sort(),
        organizations: [null, hidden],
        members: ofOne,
        accounts: [null, hidden],
      })
      // Nothing is its own, so a customer's key reads no tickets, whichever.
      const customer = await makeKey('ann', { organization_id: ids.one, role: 'CUSTOMER' })
      assert.deepEqual(await sees(customer), {
        single: Array(3).fill('FORBIDDEN'),
        list: 'FORBIDDEN',
        organizations: [null, hidden],
        members: ofOne,
        accounts: [null, hidden],
      })
    })

    test('10.2.11, 10.2.20 it may what its role inside may, and has no role of the service', async () => {
      const { ids, makeKey, each } = await office(running())
      const [agent, owner] = await Promise.all(
        ['AGENT', 'OWNER'].map((role) => makeKey('ann', { organization_id: ids.one, role })),
      )
      const tries = (key: Holder) =>
        each(key, async ({ voice }) => [
          (await voice.change('Ticket', ids.mine, { subject: 'new' })).code,
          (await voice.change('Ticket', ids.elsewhere, { subject: 'new' })).code,
          (await voice.change('Organization', ids.one, { name: 'One' })).code,
          (await voice.change('Organization', ids.two, { name: 'Two' })).code,
          (await voice.create('Invitation', { organizationId: ids.one, role: 'AGENT' })).code,
          (await voice.create('Invitation', { organizationId: ids.two, role: 'AGENT' })).code,
          (await voice.create('Organization', { name: 'Mine' })).code,
          (await voice.remove('Membership', ids.benOwns)).code,
        ])
      const none = 'FORBIDDEN'
      assert.deepEqual(await tries(agent!), [null, hidden, none, none, none, none, none, none])
      assert.deepEqual(await tries(owner!), [null, hidden, null, hidden, null, outside, none, hidden])
    })

    test('10.2.11 what crosses tenants crosses to no key of another one', async () => {
      const { ids, makeKey, as, holder } = await office(running())
      const key = await makeKey('ann', { organization_id: ids.one, role: 'CUSTOMER' })
      const invite = async (owner: string, organizationId: string) => {
        const { data } = await as(owner).voice.create('Invitation', { organizationId, role: 'AGENT' })
        return data as { readonly id: string; readonly code: string }
      }
      const [own, other] = [await invite('ann', ids.one), await invite('ben', ids.two)]
      for (const face of ['REST', 'GraphQL'] as const) {
        const reads = async ({ id, code }: { readonly id: string; readonly code: string }, shown: Holder) =>
          (await holder(face, { headers: { ...shown.headers, 'X-Access-Code': code } }).voice.read('Invitation', id))
            .code
        assert.equal(await reads(own, key), null)
        assert.equal(await reads(other, key), hidden)
        assert.equal(await reads(other, { headers: {} }), null)
      }
    })

    test('10.2.11 a key of a tenant inside of another one is a member of both, and a role in the outer one reaches in', async () => {
      const { ids, makeKey, makeProject, each, as } = await office(running())
      const [first, second] = [await makeProject('P'), await makeProject('Q')]
      const note = async (projectId: string) =>
        (await as('ann').voice.create('Note', { projectId, text: projectId })).data.id
      const notes = [await note(first.id), await note(second.id)]
      const sees = (key: Holder) =>
        each(key, async ({ voice }) => [
          (await voice.read('Project', first.id)).code,
          ...(await Promise.all(notes.map(async (id) => (await voice.read('Note', id)).code))),
          (await voice.change('Note', notes[0]!, { text: 'u' })).code,
          (await voice.read('Ticket', ids.mine)).code,
          (await voice.read('Organization', ids.one)).code,
          await countOf(voice, 'Note'),
        ])
      const none = 'FORBIDDEN'
      const lead = await makeKey('ann', { project_id: first.id, role: 'LEAD' })
      assert.deepEqual(await sees(lead), [null, null, hidden, null, none, none, 1])
      const guest = await makeKey('ann', { project_id: first.id, role: 'GUEST' })
      assert.deepEqual(await sees(guest), [null, null, hidden, none, none, none, 1])
      const owner = await makeKey('ann', { organization_id: ids.one, role: 'OWNER' })
      assert.deepEqual(await sees(owner), [null, null, null, null, null, null, 2])
      const agent = await makeKey('ann', { organization_id: ids.one, role: 'AGENT' })
      assert.deepEqual(await sees(agent), [none, none, none, none, null, null, none])
    })

    test('10.2.12 who may make one: a member with the permission, and no role that may more', async () => {
      const { ids, tryKey } = await office(running())
      const codes = async (as: string, more: object) => [
        (await tryKey('REST', as, more)).code,
        (await tryKey('GraphQL', as, more)).code,
      ]
      const all = async (as: string, organization_id: string) =>
        Promise.all(['OWNER', 'AGENT', 'CUSTOMER'].map((role) => codes(as, { organization_id, role })))
      const [yes, no, unknown] = [[null, null], Array(2).fill('FORBIDDEN'), Array(2).fill(outside)]
      assert.deepEqual(await all('ann', ids.one), [yes, yes, yes])
      assert.deepEqual(await all('agent', ids.one), [no, yes, yes])
      assert.deepEqual(await all('customer', ids.one), [no, no, no])
      assert.deepEqual(await all('ann', ids.two), [no, no, no])
      assert.deepEqual(await all('customer', ids.two), [unknown, unknown, unknown])
      for (const each of ['admin', 'support', 'ben'])
        assert.deepEqual(await all(each, ids.one), each === 'support' ? [no, no, no] : [unknown, unknown, unknown])
      const half = async (more: object) => codes('ann', more)
      assert.deepEqual(await half({ role: 'AGENT' }), unknown)
      assert.deepEqual(await half({ role: 'NONE', organization_id: ids.one }), Array(2).fill('VALIDATION_ERROR'))
      assert.deepEqual(await half({ role: 'LEAD', organization_id: ids.one }), no)
      assert.deepEqual(
        await codes('anonymous', { organization_id: ids.one, role: 'AGENT' }),
        Array(2).fill('UNAUTHENTICATED'),
      )
    })

    test('10.2.19 a key with a tenant and no role is its maker, narrowed to that tenant', async () => {
      const { ids, makeKey, tryKey, each, as, makeProject } = await office(running())
      const project = await makeProject('P')
      const [note] = [(await as('ann').voice.create('Note', { projectId: project.id, text: 'n' })).data.id]
      const sees = (key: Holder) =>
        each(key, async ({ voice }) => ({
          tickets: await listed(voice, 'Ticket'),
          single: await Promise.all([ids.mine, ids.elsewhere].map(async (id) => (await voice.read('Ticket', id)).code)),
          changed: await Promise.all(
            [ids.others, ids.elsewhere].map(async (id) => (await voice.change('Ticket', id, { subject: 'new' })).code),
          ),
          organizations: await listed(voice, 'Organization'),
          members: await listed(voice, 'Membership'),
          task: (await voice.read('Task', ids.task)).code,
          account: (await voice.read('User', ids.ann)).code,
          note: (await voice.read('Note', note)).code,
          keys: (await voice.list('ApiKey')).code,
        }))
      const all = await sees(await makeKey('ann', {}))
      assert.equal(all.single[1], null)
      const members = (await listed(as('ann').voice, 'Membership')) as readonly string[]
      assert(members.includes(ids.benOwns))
      const inOne = {
        ...all,
        tickets: [ids.mine, ids.others].sort(),
        single: [null, hidden],
        changed: [null, hidden],
        organizations: [ids.one],
        members: [ids.annOwns, ids.agentWorks, ids.customerBuys].sort(),
      }
      assert.deepEqual(await sees(await makeKey('ann', { organization_id: ids.one })), inOne)
      const inTwo = await sees(await makeKey('ann', { organization_id: ids.two }))
      assert.deepEqual([inTwo.tickets, inTwo.organizations, inTwo.note], [[ids.elsewhere], [ids.two], hidden])
      // Of the tenants around its own it sees these, and nothing else in them.
      const inside = await sees(await makeKey('ann', { project_id: project.id }))
      assert.deepEqual(
        [inside.tickets, inside.organizations, inside.note, inside.account],
        ['FORBIDDEN', [ids.one], null, null],
      )
      // It takes no permission there, but the maker has to see the tenant.
      for (const face of ['REST', 'GraphQL'] as const) {
        assert.equal((await tryKey(face, 'customer', { organization_id: ids.one })).code, null)
        assert.equal((await tryKey(face, 'customer', { organization_id: ids.two })).code, outside)
        assert.equal((await tryKey(face, 'ann', { organization_id: ids.one, project_id: project.id })).code, outside)
      }
    })

    test('10.2.19 what crosses tenants does not cross for it, and it ends with its tenant', async () => {
      const { ids, makeKey, each, as } = await office(running())
      const reads = (key: Holder) =>
        each(key, async ({ voice }) => [
          (await voice.read('Ticket', ids.mine)).code,
          (await voice.read('Ticket', ids.elsewhere)).code,
        ])
      assert.deepEqual(await reads(await makeKey('support', {})), [null, null])
      const narrow = await makeKey('support', { organization_id: ids.one })
      assert.deepEqual(await reads(narrow), [null, hidden])
      assert.equal((await as('ann').voice.remove('Organization', ids.one)).code, null)
      assert.deepEqual(await reads(narrow), ['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS'])
    })

    test('10.2.12 in tenants inside of tenants, members of the inner one make them', async () => {
      const { ids, tryKey, makeProject, join } = await office(running())
      const project = await makeProject('P', 'agent')
      const code = async (as: string, role: string) => (await tryKey('REST', as, { project_id: project.id, role })).code
      // Who owns the organization may all there is in it, and is no member of the project.
      assert.deepEqual([await code('ann', 'LEAD'), await code('ann', 'GUEST')], ['FORBIDDEN', 'FORBIDDEN'])
      assert.deepEqual([await code('agent', 'LEAD'), await code('agent', 'GUEST')], [null, null])
      assert.equal(await code('customer', 'GUEST'), outside)
      await join(project.id, 'customer', 'GUEST')
      assert.equal(await code('customer', 'GUEST'), 'FORBIDDEN')
      await join(project.id, 'ann', 'GUEST')
      // A rule names LEAD: so that role is more than what everything may.
      assert.deepEqual([await code('ann', 'LEAD'), await code('ann', 'GUEST')], ['FORBIDDEN', null])
      const both = { project_id: project.id, organization_id: ids.one, role: 'GUEST' }
      assert.equal((await tryKey('REST', 'ann', both)).code, outside)
    })

    test('10.2.12 no key has a scope that its role may never use, and none makes keys', async () => {
      const { ids, tryKey, makeKey, each } = await office(running())
      const code = async (role: string, scope: string) =>
        (await tryKey('REST', 'ann', { organization_id: ids.one, role, scopes: [scope] })).code
      assert.deepEqual(
        await Promise.all(
          ['read:memberships', 'read:tickets', 'delete:tickets', '*'].map((each) => code('CUSTOMER', each)),
        ),
        [null, 'FORBIDDEN', 'FORBIDDEN', null],
      )
      assert.equal(await code('AGENT', 'delete:tickets'), null)
      assert.equal(await code('AGENT', 'create:organizations'), 'FORBIDDEN')
      const owner = await makeKey('ann', { organization_id: ids.one, role: 'OWNER' })
      assert.deepEqual(
        await each(owner, async ({ voice }) => [
          (await voice.list('ApiKey')).code,
          (await voice.create('ApiKey', { name: 'K', scopes: ['*'], organizationId: ids.one, role: 'AGENT' })).code,
          (await voice.remove('ApiKey', owner.id)).code,
        ]),
        ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
      )
      const narrow = await makeKey('ann', { organization_id: ids.one, role: 'AGENT', scopes: ['read:*'] })
      const codes = await each(narrow, async ({ voice }) => [
        (await voice.list('Ticket')).code,
        (await voice.change('Ticket', ids.mine, { subject: 'x' })).code,
      ])
      assert.deepEqual(codes, [null, 'INSUFFICIENT_SCOPE'])
    })

    test('10.2.12, 10.2.21 a caller who may read keys there sees them, and having made them is no permission', async () => {
      const { ids, makeKey, as, each } = await office(running())
      const made = await makeKey('agent', { organization_id: ids.one, role: 'AGENT' })
      const personal = await makeKey('agent', {})
      const sees = (who: string) =>
        each(who, async ({ voice }) => {
          const list = idsOf((await voice.list('ApiKey')).data).filter((id) => [made.id, personal.id].includes(id))
          return [list, (await voice.read('ApiKey', made.id)).code]
        })
      assert.deepEqual(await sees('ann'), [[made.id], null])
      assert.deepEqual(await sees('agent'), [[personal.id], hidden])
      assert.deepEqual(await sees('ben'), [[], hidden])
      assert.deepEqual(await sees('admin'), [[], hidden])
      for (const face of ['REST', 'GraphQL'] as const) {
        const { data } = await as('ann', face).voice.read('ApiKey', made.id)
        assert.deepEqual([data.organizationId, data.role, data.userId ?? data.user ?? null], [ids.one, 'AGENT', null])
        assert.equal((await as('agent', face).voice.remove('ApiKey', made.id)).code, hidden)
      }
      assert.equal((await as('ann').voice.remove('ApiKey', made.id)).code, null)
    })

    test('10.2.13 it is no account: there is no me, and nothing is made that needs one', async () => {
      const { ids, makeKey, each, ask } = await office(running())
      const key = await makeKey('ann', { organization_id: ids.one, role: 'OWNER' })
      const { status, body } = await ask(key, 'GET /api/v1/users/me')
      assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN'])
      const me = await running().graphql('{ me { id } }', { headers: key.headers })
      assert.deepEqual([me.body.data, me.body.errors[0].extensions.code], [{ me: null }, 'FORBIDDEN'])
      const codes = await each(key, async ({ voice }) => [
        // Before the form is looked at, and whatever the record.
        (await voice.create('Ticket', { organizationId: ids.one, subject: 'x' })).code,
        (await voice.create('Message', { ticketId: 'tkt_0', body: '' })).code,
        (await voice.move('watch', 'Task', ids.task)).code,
        (await voice.move('watch', 'Task', 'tsk_0')).code,
      ])
      assert.deepEqual(codes, Array(4).fill('FORBIDDEN'))
    })

    test('10.2.13 but where the action takes the account, which then must be sent', async () => {
      const { ids, makeKey, each } = await office(running())
      const key = await makeKey('ann', { organization_id: ids.one, role: 'OWNER' })
      await each(key, async ({ voice }) => {
        const input = { organizationId: ids.one, title: 't' }
        assert.equal((await voice.create('Task', input)).code, 'VALIDATION_ERROR')
        const { code, data } = await voice.create('Task', { ...input, ownerId: ids.agent })
        assert.equal(code, null)
        assert.deepEqual([data.ownerId, data.reporterId ?? data.reporter ?? null], [ids.agent, null])
      })
      const { body } = await running().send('POST /api/v1/tasks', {
        headers: key.headers,
        body: { organization_id: ids.one, title: 't' },
      })
      assert.deepEqual(
        body.error.details.map(({ field }: { field: string }) => field),
        ['owner_id'],
      )
    })

    test('10.2.13 code that needs the account is refused, and nothing is stored', async () => {
      const { ids, makeKey, each, as } = await office(running())
      const key = await makeKey('ann', { organization_id: ids.one, role: 'OWNER' })
      const codes = await each(key, async ({ voice }) => [
        (await voice.move('claim', 'Task', ids.task)).code,
        (await voice.move('take', 'Task', ids.task)).code,
      ])
      assert.deepEqual(codes, ['FORBIDDEN', 'FORBIDDEN'])
      const tasks = await as('ann').voice.list('Task')
      assert.deepEqual(
        tasks.data.map(({ id, status }: { id: string; status: string }) => [id, status]),
        [[ids.task, 'open']],
      )
      const can = await running().graphql('query ($id: ID!) { task(id: $id) { can { watch claim close } } }', {
        headers: key.headers,
        variables: { id: ids.task },
      })
      assert.deepEqual(can.body.data.task.can, { watch: false, claim: true, close: true })
      assert.equal((await as('ann').voice.move('claim', 'Task', ids.task)).code, null)
    })
  },
  { definition: helpdesk },
)
