// Starts the service on a database in memory and asks it what clients would.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient, verifyWebhook, type WebhookMessage } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

const names = ['ann', 'bob', 'cat', 'gil', 'sue', 'adam'] as const
let service: StartedService
const people = {} as Record<(typeof names)[number], Client<typeof api>>

before(async () => {
  // More people sign in here than from one address in a minute.
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LIMIT_LOGIN_PER_MINUTE: '0' }
  service = await start(api, { environment, demo: fillDemo })
  for (const name of names) {
    people[name] = createClient<typeof api>(service.url)
    await people[name].signIn({ email: `${name}@example.com`, password: demoPassword })
  }
})
after(() => service.stop())

type AnyClient = Client<typeof api>
const subjectsOf = async (client: AnyClient) => (await client.tickets.page()).data.map(({ subject }) => subject).sort()
const idOf = async (client: AnyClient, name: string) =>
  (await client.organizations.page()).data.find((each) => each.name === name)!.id
const [printer, chair, invoice] = ['The printer is on fire', 'A new chair', 'An invoice is missing']

test('each sees what is in the organizations of theirs, and what their role there lets them', async () => {
  assert.deepEqual(await subjectsOf(people.ann), [chair, invoice, printer])
  assert.deepEqual(await subjectsOf(people.bob), [chair, printer])
  assert.deepEqual(await subjectsOf(people.cat), [printer])
  assert.deepEqual(await subjectsOf(people.gil), [invoice])
})

test('roles of the service reach in only where they say so', async () => {
  assert.deepEqual(await subjectsOf(people.sue), [chair, invoice, printer])
  assert.deepEqual(await subjectsOf(people.adam), [])
  const [ticket] = (await people.sue.tickets.page()).data
  await assert.rejects(people.sue.tickets.update(ticket!.id, { subject: 'x' }), { code: 'FORBIDDEN' })
})

test('one person owns one organization and is a customer of another', async () => {
  const tickets = (await people.ann.tickets.page()).data
  const idBy = (subject: string) => tickets.find((each) => each.subject === subject)!.id
  assert.equal((await people.ann.tickets.update(idBy(chair), { subject: chair })).subject, chair)
  await assert.rejects(people.ann.tickets.update(idBy(invoice), { subject: 'x' }), { code: 'FORBIDDEN' })
})

test('a customer never learns of an internal note', async () => {
  const [ticket] = (await people.cat.tickets.page()).data
  const seen = async (client: AnyClient) => {
    const found = await client.graphql<{ ticket: { messages: readonly { body: string }[] } }>(
      'query ($id: ID!) { ticket(id: $id) { messages { body } } }',
      { id: ticket!.id },
    )
    return found.ticket.messages.map(({ body }) => body).sort()
  }
  assert.deepEqual(await seen(people.cat), ['Please hurry.'])
  assert.deepEqual(await seen(people.bob), ['It is the third this week.', 'Please hurry.'])
  await assert.rejects(people.cat.messages.create({ ticketId: ticket!.id, body: 'x', internal: true }), {
    code: 'FORBIDDEN',
  })
})

test('tickets are numbered in each organization', async () => {
  const [acme, umbra] = [await idOf(people.ann, 'Acme'), await idOf(people.ann, 'Umbra')]
  const make = async (organizationId: string) =>
    (await people.ann.tickets.create({ organizationId, subject: 's', body: 'b' })).number
  assert.deepEqual([await make(umbra), await make(acme), await make(umbra)], [2, 3, 3])
})

test('an invitation makes anyone with its code a member, once', async () => {
  const organizationId = await idOf(people.ann, 'Acme')
  const { id, code } = await people.ann.invitations.create({ organizationId, email: 'gil@example.com', role: 'AGENT' })
  await assert.rejects(people.gil.invitations.accept(id), { code: 'FORBIDDEN' })
  await acceptAs('gil', code, id)
  assert.ok((await subjectsOf(people.gil)).includes(printer))
  await assert.rejects(acceptAs('cat', code, id), { code: 'NOT_FOUND' })
})

async function acceptAs(name: 'gil' | 'cat', accessCode: string, id: string): Promise<void> {
  const client = createClient<typeof api>(service.url, { accessCode })
  await client.signIn({ email: `${name}@example.com`, password: demoPassword })
  await client.invitations.accept(id)
}

const makeKey = `mutation ($organizationId: ID!, $role: ApiKeyRole!) {
  createApiKey(input: { name: "Billing", scopes: ["read:*"], organizationId: $organizationId, role: $role }) { key }
}`

test('the key of a company reaches what is in that company', async () => {
  const organizationId = await idOf(people.ann, 'Acme')
  const make = async (client: AnyClient, role: string) =>
    (await client.graphql<{ createApiKey: { key: string } }>(makeKey, { organizationId, role })).createApiKey.key
  const key = await make(people.ann, 'AGENT')
  const program = createClient<typeof api>(service.url, { apiKey: key })
  assert.ok((await subjectsOf(program)).includes(printer))
  assert.ok(!(await subjectsOf(program)).includes(invoice))
  await assert.rejects(make(people.bob, 'OWNER'), { code: 'FORBIDDEN' })
})

test('the webhook of a company receives, signed, what its role may read there', async (t) => {
  const [organizationId, other] = [await idOf(people.ann, 'Acme'), await idOf(people.ann, 'Umbra')]
  const received = Promise.withResolvers<WebhookMessage>()
  let secret = ''
  const receiver = createServer(async (request, response) => {
    verifyWebhook(secret, { headers: request.headers, body: await text(request) }).then(
      received.resolve,
      received.reject,
    )
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const webhook = await people.ann.webhooks.create({ url, events: ['ticketCreated'], organizationId, role: 'AGENT' })
  secret = webhook.secret
  for (const organization of [other, organizationId])
    await people.ann.tickets.create({ organizationId: organization, subject: 'A lamp', body: 'It is dark.' })
  const { type, data } = await received.promise
  assert.deepEqual([type, data!['subject'], data!['organization_id']], ['ticketCreated', 'A lamp', organizationId])
  await people.ann.webhooks.delete(webhook.id)
})

test('/docs reports what each role in an organization may, and it is so', async () => {
  const html = await (await fetch(`${service.url}/docs`, { headers: { Accept: 'text/html' } })).text()
  const tickets = html.split('<section class="resource" aria-labelledby="tickets">')[1]!.split('</table>')[1]!
  const callers = Array.from(tickets.matchAll(/<th scope="col">([^<]*)</g), ([, name]) => name!)
  const rightsTo = (action: string) => {
    const [, row] = new RegExp(`<code>${action}</code></th>(.*?)<td class="rule">`).exec(tickets)!
    const cells = Array.from(row!.matchAll(/<td[^>]*>([^<]*)</g), ([, text]) => text!)
    return ['OWNER', 'AGENT', 'CUSTOMER'].map((role) => cells[callers.indexOf(`${role} in its Organization`)])
  }
  assert.deepEqual(rightsTo('read'), ['inside the tenant', 'inside the tenant', 'own'])
  assert.deepEqual(rightsTo('update'), ['inside the tenant', 'inside the tenant', 'no'])
  assert.deepEqual(rightsTo('solve'), ['inside the tenant', 'inside the tenant', 'own'])

  const [mine] = (await people.cat.tickets.page()).data
  for (const name of ['ann', 'bob'] as const) await people[name].tickets.update(mine!.id, { subject: mine!.subject })
  await assert.rejects(people.cat.tickets.update(mine!.id, { subject: 'x' }), { code: 'FORBIDDEN' })
  const others = (await people.bob.tickets.page()).data.filter(({ id }) => id !== mine!.id)
  await assert.rejects(people.cat.tickets.solve(others[0]!.id), { code: 'NOT_FOUND' })
  assert.equal((await people.cat.tickets.solve(mine!.id)).status, 'solved')
})

test('the last owner stays, and who leaves sees nothing more', async () => {
  const memberships = (await people.ann.memberships.page()).data
  const me = (await people.ann.graphql<{ me: { id: string } }>('{ me { id } }')).me.id
  const mine = memberships.find(({ userId, role }) => userId === me && role === 'OWNER')!
  await assert.rejects(people.ann.memberships.delete(mine.id), { code: 'BUSINESS_RULE_VIOLATION' })
  await assert.rejects(people.ann.users.delete(me), { code: 'BUSINESS_RULE_VIOLATION' })
  const bob = (await people.bob.graphql<{ me: { id: string } }>('{ me { id } }')).me.id
  await people.ann.memberships.turnOff(memberships.find(({ userId }) => userId === bob)!.id)
  assert.deepEqual(await subjectsOf(people.bob), [])
})
