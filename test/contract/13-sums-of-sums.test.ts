// Sums that add kept numbers: always what there is, whatever changes at any level, and however much at once. In a tenant, two and three deep.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  atMost,
  boolean,
  choice,
  decimal,
  service as duet,
  is,
  many,
  one,
  resource,
  signedIn,
  state,
  text,
  through,
  when,
} from 'duet-api'
import type { KeptNumber } from '../../src/resource/model/model.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { recountOf } from '../../src/store/sql/write/kept-number.ts'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import type { Client as HttpClient } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { startInstance } from '../support/server/instance.ts'
import { type TestService, withService } from '../support/server/service.ts'

const open = { allow: signedIn }
const Firm = resource('Firm', {
  prefix: 'frm',
  fields: {
    name: text({ max: 20 }),
    memberships: many('Membership', 'firm'),
    clients: many('Client', 'firm'),
  },
  members: { list: 'memberships', account: 'user', role: 'role' },
  sums: { owed: { of: 'clients.owed', as: 'decimal' }, lines: 'clients.lines' },
  computed: {
    label: {
      as: text({ max: 60 }),
      from: ['owed', 'lines'],
      stored: true,
      make: ({ owed, lines }: Record<string, unknown>) => `${owed} in ${lines}`,
    },
  },
  sort: ['label'],
  actions: { read: open },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'firm',
  fields: { firm: one('Firm'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER']) },
  actions: { read: open },
})
const Client = resource('Client', {
  prefix: 'cli',
  within: 'firm',
  fields: {
    firm: one('Firm'),
    name: text({ max: 20, default: 'C' }),
    invoices: many('Invoice', 'client'),
    credits: many('Credit', 'client'),
  },
  counts: { credits: 'credits' },
  sums: {
    owed: { of: 'invoices.total', where: when({ status: 'open' }) },
    lines: 'invoices.linesCount',
    fees: 'invoices.fees',
  },
  sort: ['owed'],
  filter: { name: is },
  actions: {
    read: open,
    create: { allow: signedIn, accept: ['firm', 'name', 'invoices'] },
    delete: open,
    charge: {
      allow: signedIn,
      effect: async ({ record, records }) => {
        const made = await records.create(Invoice, { firm: record.firm, client: record.id, urgent: false })
        await records.create(Line, { firm: record.firm, invoice: made.id, amount: '1.00' })
        await records.change(Invoice, made.id, { urgent: true })
      },
    },
  },
})
const Invoice = resource('Invoice', {
  prefix: 'inv',
  within: 'firm',
  fields: {
    firm: one('Firm'),
    client: one('Client', { cascade: 'regardless' }),
    status: state('open', 'paid'),
    urgent: boolean({ default: false }),
    lines: many('Line', 'invoice'),
    dues: many('Fee', 'invoice'),
  },
  counts: { lines: 'lines' },
  sums: { total: 'lines.amount', fees: 'dues.amount' },
  actions: {
    read: open,
    create: { allow: signedIn, accept: ['firm', 'client', 'urgent', 'lines'] },
    update: { allow: signedIn, accept: ['client', 'urgent', 'lines'] },
    pay: { allow: signedIn, from: 'open', to: 'paid' },
    reopen: { allow: signedIn, from: 'paid', to: 'open' },
    delete: open,
  },
})
const Line = resource('Line', {
  prefix: 'lin',
  within: 'firm',
  fields: {
    firm: one('Firm'),
    invoice: one('Invoice', { cascade: 'regardless' }),
    amount: decimal({ precision: 18, scale: 2 }),
  },
  actions: {
    read: open,
    create: { allow: signedIn, accept: ['firm', 'invoice', 'amount'] },
    update: { allow: signedIn, accept: ['invoice', 'amount'] },
    delete: open,
  },
})
/** Each forbids the other: a fee needs a client without credits, and a credit a client with few fees. */
const feesMax = '5.00'
const Fee = resource('Fee', {
  prefix: 'fee',
  within: 'firm',
  fields: {
    firm: one('Firm'),
    client: one('Client', { cascade: 'regardless' }),
    invoice: one('Invoice', { cascade: 'regardless' }),
    amount: decimal({ precision: 9, scale: 2 }),
  },
  actions: {
    read: open,
    create: {
      allow: through('client', when({ creditsCount: 0 })),
      accept: ['firm', 'client', 'invoice', 'amount'],
    },
  },
})
const Credit = resource('Credit', {
  prefix: 'crd',
  within: 'client',
  fields: { client: one('Client') },
  actions: { read: open, create: { allow: through('client', when({ fees: atMost(feesMax) })), accept: ['client'] } },
})
const definition = duet({
  resources: { User, Firm, Membership, Client, Invoice, Line, Fee, Credit },
  accounts,
  roles: { ANY: {} },
})

/** Records with a kept number that is not what there is. */
function* wrongNumbers({ engine, model }: Pick<TestService, 'engine' | 'model'>): Program<readonly StoredRow[]> {
  const wrong: StoredRow[] = []
  const numbers: readonly KeptNumber[] = [...model.byName.values()].flatMap(({ keptNumbers }) => keptNumbers)
  for (const number of numbers) {
    const { holder, column } = number
    const { sql } = recountOf(number, dialectOf(engine))
    const value = `"${holder.table}"."${column.name}"`
    const differ = `${value} <> ${sql} and "${holder.table}"."deleted_at" is null`
    wrong.push(
      ...(yield bind(query(`select "id", '${column.field}', ${value}, ${sql} from "${holder.table}" where ${differ}`))),
    )
  }
  return wrong
}

withService(
  '13.2.17 Sums of sums',
  (service) => {
    let fixtures: Fixtures
    before(async () => {
      fixtures = service().fixtures({
        firm: { Firm: { name: 'F' } },
        other: { Firm: { name: 'G' } },
        otherMembership: { Membership: { firm: '{other}', user: '{viewer}', role: 'OWNER' } },
        membership: { Membership: { firm: '{firm}', user: '{viewer}', role: 'OWNER' } },
      })
      await fixtures.idOf('membership')
      await fixtures.idOf('otherMembership')
    })
    const ask = (line: string, body?: object) =>
      service().send(line, { as: 'viewer', fixtures, ...(body === undefined ? {} : { body }) })
    const send = async (line: string, body?: object) => {
      const { status, text, body: answer } = await ask(line, body)
      assert.ok(status < 300, `${line}: ${status} ${text}`)
      return answer?.data
    }
    const client = (invoices: readonly object[] = []) => send('POST /api/v1/clients', { firm_id: '{firm}', invoices })
    const invoice = ({ id }: { id: string }, ...amounts: readonly string[]) =>
      send('POST /api/v1/invoices', { firm_id: '{firm}', client_id: id, lines: amounts.map((amount) => ({ amount })) })
    const line = ({ id }: { id: string }, amount: string) =>
      send('POST /api/v1/lines', { firm_id: '{firm}', invoice_id: id, amount })
    const numbersOf = async ({ id }: { id: string }) => {
      const { owed, lines } = await send(`GET /api/v1/clients/${id}`)
      return [owed, lines]
    }
    /** Sends to the instances in turn. */
    const sendBy = async (instances: number) => {
      const other = instances === 1 ? null : await startInstance(service(), { definition })
      const clients: readonly HttpClient[] = [service().client, ...(other === null ? [] : [other.client])]
      const headers = { Authorization: `Bearer ${await service().token(await fixtures.idOf('viewer'))}` }
      let count = 0
      return {
        send: (line: string, body: object = {}) => clients[count++ % clients.length]!.send(line, { headers, body }),
        end: async () => other?.stop(),
      }
    }
    const consistent = async () => assert.deepEqual(await service().store.read(wrongNumbers(service())), [])

    test('13.2.17 a record has them in the answer to the write, through both faces', async () => {
      const made = await client([{ lines: [{ amount: '2.00' }, { amount: '1.50' }] }, { lines: [] }])
      assert.deepEqual([made.owed, made.lines], ['3.50', 2])
      const { body } = await service().graphql(
        `{ client(id: "${made.id}") { owed lines firm { owed lines label } } }`,
        {
          as: 'viewer',
        },
      )
      const { owed, lines, label } = body.data.client.firm
      assert.deepEqual([body.data.client.owed, body.data.client.lines], ['3.50', 2])
      assert.deepEqual([label, owed], [`${owed} in ${lines}`, (await send('GET /api/v1/firms/{firm}')).owed])
      await consistent()
    })

    test('13.2.17 each write of any level changes them', async () => {
      const [one, other] = [await client(), await client()]
      const [first, second] = [await invoice(one, '10.00', '1.00'), await invoice(one, '100.00')]
      assert.deepEqual(await numbersOf(one), ['111.00', 3])
      const third = await line(first, '0.25')
      await send(`PATCH /api/v1/lines/${third.id}`, { amount: '0.75', invoice_id: second.id })
      assert.deepEqual(await numbersOf(one), ['111.75', 4])
      await send(`PATCH /api/v1/invoices/${second.id}`, { client_id: other.id })
      assert.deepEqual(
        [await numbersOf(one), await numbersOf(other)],
        [
          ['11.00', 2],
          ['100.75', 2],
        ],
      )
      await send(`POST /api/v1/invoices/${second.id}/pay`)
      await line(second, '7.00')
      assert.deepEqual(await numbersOf(other), ['0.00', 3])
      await send(`POST /api/v1/invoices/${second.id}/reopen`)
      assert.deepEqual(await numbersOf(other), ['107.75', 3])
      await send(`PATCH /api/v1/invoices/${second.id}`, { client_id: one.id, lines: [{ amount: '4.00' }] })
      assert.deepEqual(
        [await numbersOf(one), await numbersOf(other)],
        [
          ['15.00', 3],
          ['0.00', 0],
        ],
      )
      await send(`POST /api/v1/clients/${other.id}/charge`)
      assert.deepEqual(await numbersOf(other), ['1.00', 1])
      await send(`DELETE /api/v1/invoices/${first.id}`)
      assert.deepEqual(await numbersOf(one), ['4.00', 1])
      await consistent()
      await send(`DELETE /api/v1/clients/${one.id}`)
      await consistent()
      const { body } = await ask(`GET /api/v1/clients?sort=-owed&limit=1`)
      assert.equal((await send('GET /api/v1/clients?sort=-owed'))[0].id, body.data[0].id)
    })

    test('13.2.8 a sum of sums that does not fit is refused, and nothing is written', async () => {
      const inOther = async (line: string, body: object) => send(line, { ...body, firm_id: '{other}' })
      const made = await inOther('POST /api/v1/clients', {})
      const lines = [{ amount: '9999999999999999.90' }]
      await inOther('POST /api/v1/invoices', { client_id: made.id, lines })
      const invoice = await inOther('POST /api/v1/invoices', { client_id: made.id })
      const refused = await ask('POST /api/v1/lines', { firm_id: '{other}', invoice_id: invoice.id, amount: '0.20' })
      assert.deepEqual(
        [refused.status, refused.body.error.message],
        [422, 'The owed of the client would be larger than it can be.'],
      )
      assert.equal((await send(`GET /api/v1/invoices/${invoice.id}`)).total, '0.00')
      await consistent()
    })

    for (const { name, instances } of [
      { name: 'one instance', instances: 1 },
      { name: 'two instances', instances: 2 },
    ])
      test(`13.2.4 writes of all levels, twenty at once, on ${name}`, async (t) => {
        if (instances === 2 && service().engine === 'sqlite') return t.skip()
        const { send: any, end } = await sendBy(instances)
        t.after(end)
        const clients = [await client(), await client()]
        const invoices = await Promise.all(
          Array.from({ length: 6 }, (_, at) => invoice(clients[at % 2], '1.00', '2.00')),
        )
        const lines = await Promise.all(invoices.map((each) => line(each, '3.00')))
        const firm_id = await fixtures.idOf('firm')
        const amounts = (at: number) => `${(at * 7) % 5}.${10 + at}`
        const writes: readonly ((at: number) => Promise<{ status: number; text: string }>)[] = [
          (at) => any('POST /api/v1/lines', { firm_id, invoice_id: invoices[at % 6].id, amount: amounts(at) }),
          (at) =>
            any(`PATCH /api/v1/lines/${lines[at % 6].id}`, {
              amount: amounts(at),
              invoice_id: invoices[(at * 5) % 6].id,
            }),
          (at) => any(`PATCH /api/v1/invoices/${invoices[at % 6].id}`, { client_id: clients[at % 2].id }),
          (at) => any(`POST /api/v1/invoices/${invoices[at % 6].id}/${at % 3 === 0 ? 'reopen' : 'pay'}`),
          (at) => any(`POST /api/v1/clients/${clients[at % 2].id}/charge`),
          (at) =>
            any('POST /api/v1/invoices', { firm_id, client_id: clients[at % 2].id, lines: [{ amount: amounts(at) }] }),
        ]
        for (let round = 0; round < 3; round++) {
          const answers = await Promise.all(
            Array.from({ length: 20 }, (_, at) => writes[(at + round) % writes.length]!(at + round)),
          )
          for (const { status, text } of answers)
            assert.ok(
              status < 300 || (status === 409 && text.includes('status must be')) || status === 422,
              `${status} ${text}`,
            )
          await consistent()
        }
      })

    for (const instances of [1, 2])
      test(`5.4.5 of a rule about a sum of sums and writes that make it false, one side wins, on ${instances} instances`, async (t) => {
        if (instances === 2 && service().engine === 'sqlite') return t.skip()
        const { send: any, end } = await sendBy(instances)
        t.after(end)
        const firm_id = await fixtures.idOf('firm')
        const amount = '5.01'
        for (let round = 0; round < 10; round++) {
          const made = await client()
          const invoices = await Promise.all(Array.from({ length: 5 }, () => invoice(made)))
          const answers = await Promise.all(
            Array.from({ length: 20 }, (_, at) =>
              at % 2 === 0
                ? any('POST /api/v1/credits', { client_id: made.id })
                : any('POST /api/v1/fees', { firm_id, client_id: made.id, invoice_id: invoices[at % 5].id, amount }),
            ),
          )
          for (const { status, text } of answers) assert.ok([201, 403].includes(status), text)
          const won = (side: number) => answers.some(({ status }, at) => at % 2 === side && status === 201)
          assert.notEqual(won(0), won(1), `round ${round}`)
        }
        await consistent()
      })
  },
  { definition },
)
