// Starts the service on a database in memory and asks it what a client would.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

let service: StartedService
/** The owner of Acme, a member and a guest there, and the owner of Umbra. */
let ada: Client<typeof api>
let ben: Client<typeof api>
let cleo: Client<typeof api>
let eve: Client<typeof api>

before(async () => {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LIMIT_LOGIN_PER_MINUTE: '0' }
  service = await start(api, { environment, demo: fillDemo })
  ada = await signIn('ada')
  ben = await signIn('ben')
  cleo = await signIn('cleo')
  eve = await signIn('eve')
})
after(() => service.stop())

async function signIn(name: string, accessCode?: string): Promise<Client<typeof api>> {
  const client = createClient<typeof api>(service.url, accessCode === undefined ? {} : { accessCode })
  await client.signIn({ email: `${name}@example.com`, password: demoPassword })
  return client
}

const projectNames = async (client: Client<typeof api>) => (await client.projects.page()).data.map(({ name }) => name)
const organizationOf = async (client: Client<typeof api>) => (await client.organizations.page()).data[0]!.id

test('what is in an organization exists for its members alone', async () => {
  for (const client of [ada, ben, cleo]) assert.deepEqual(await projectNames(client), ['Learn Duet'])
  assert.deepEqual(await projectNames(eve), ['Hidden'])
  const [project] = (await ada.projects.page()).data
  await assert.rejects(eve.projects.get(project!.id), { code: 'NOT_FOUND' })
  await assert.rejects(eve.tasks.create({ projectId: project!.id, title: 'Not hers' }), {
    code: 'BUSINESS_RULE_VIOLATION',
  })
})

test('a role inside says what its members may do', async () => {
  const organizationId = await organizationOf(ada)
  const project = await ben.projects.create({ organizationId, name: 'Garden' })
  const task = await ben.tasks.create({ projectId: project.id, title: 'Water the roses' })
  assert.equal((await ben.tasks.finish(task.id)).status, 'done')

  assert.equal((await cleo.tasks.get(task.id)).title, 'Water the roses')
  await assert.rejects(cleo.tasks.reopen(task.id), { code: 'FORBIDDEN' })
  await assert.rejects(ben.projects.delete(project.id), { code: 'FORBIDDEN' })
  await ada.projects.delete(project.id)
  await assert.rejects(ben.tasks.get(task.id), { code: 'NOT_FOUND' })
})

test('a caller who makes an organization owns it, and its last owner stays', async () => {
  const organization = await cleo.organizations.create({ name: 'Cleo and sons' })
  const mine = (await cleo.memberships.page()).data.find(({ organizationId }) => organizationId === organization.id)!
  assert.equal(mine.role, 'OWNER')
  await assert.rejects(cleo.memberships.delete(mine.id), { code: 'BUSINESS_RULE_VIOLATION' })
  await assert.rejects(ada.organizations.get(organization.id), { code: 'NOT_FOUND' })
})

test('an invitation makes anyone with its code a member, once', async () => {
  const organizationId = await organizationOf(ada)
  await assert.rejects(ben.invitations.create({ organizationId, role: 'GUEST' }), { code: 'FORBIDDEN' })
  const { id, code } = await ada.invitations.create({ organizationId, role: 'GUEST' })
  await (await signIn('eve', code)).invitations.accept(id)
  assert.deepEqual((await projectNames(eve)).sort(), ['Hidden', 'Learn Duet'])
  await assert.rejects((await signIn('admin', code)).invitations.accept(id), { code: 'NOT_FOUND' })
})

test('GraphQL answers from the same definitions', async () => {
  interface Found {
    readonly organizations: { readonly nodes: readonly { readonly name: string }[] }
  }
  const query = '{ organizations(first: 5) { nodes { name memberships { role user { name } } } } }'
  const seen = await ben.graphql<Found>(query)
  assert.deepEqual(
    seen.organizations.nodes.map(({ name }) => name),
    ['Acme'],
  )
})
