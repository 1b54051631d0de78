// Keys that some records lack, that only some records have, and that the service counts. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { always } from '../../src/resource/model/rule/condition.ts'
import { uniqueIndex } from '../../src/store/sql/schema/constraint-index.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { boundTo, noCaller } from '../../src/store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../src/store/sql/write/write-statements.ts'
import { bind, command, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { tickets } from '../support/domain/tickets.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const given = {
  known: { Customer: { externalId: 'k {word}', name: 'Known' } },
  unnamed: { Customer: { externalId: null, name: 'Unnamed' } },
  live: { Coupon: { code: 'c {word}' } },
  ended: { Coupon: { code: 'c {word}', status: 'ended' } },
  gone: { Coupon: { code: 'g {word}', status: 'ended' } },
}
const row = (clause: Row['clause'], it: string, more: Omit<Row, 'clause' | 'it'>): Row => ({
  clause,
  it,
  as: 'viewer',
  given,
  ...more,
})

clauses(
  '11.2 Kinds of keys',
  [
    row('11.2.29', 'a record with the field is found by it', {
      send: 'GET /api/v1/customers/by/external_id/k%20{word}',
      also: '{ customerByExternalId(externalId: "k {word}") { id name externalId } }',
      answer: { status: 200, data: { id: '{known}', name: 'Known' } },
    }),
    row('11.2.29', 'one without it by nothing', {
      send: 'GET /api/v1/customers/by/external_id/null',
      also: '{ customerByExternalId(externalId: "null") { id } }',
      answer: { status: 404, code: 'NOT_FOUND' },
    }),
    row('11.2.29', 'PUT creates a record that has it', {
      send: 'PUT /api/v1/customers/by/external_id/n%20{word}',
      body: { name: 'New' },
      also: 'mutation { upsertCustomer(by: { externalId: "n {word}" }, input: { name: "New" }) { name externalId } }',
      answer: { status: 201, data: { name: 'New' } },
    }),
    row('11.2.29', 'and replaces it', {
      send: 'PUT /api/v1/customers/by/external_id/k%20{word}',
      body: { name: 'Again' },
      also: 'mutation { upsertCustomer(by: { externalId: "k {word}" }, input: { name: "Again" }) { id name externalId } }',
      answer: { status: 200, data: { id: '{known}', name: 'Again' } },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v1/customers/{known}',
          answer: { status: 200, data: { external_id: 'k {word}', name: 'Again' } },
        },
      ],
    }),
    row('11.2.29', 'many without a value are no conflict', {
      send: 'POST /api/v1/customers/batch',
      body: { customers: [{ name: 'A' }, { name: 'B', external_id: null }] },
      also: 'mutation { createCustomers(input: { customers: [{ name: "A" }, { name: "B" }] }) { name } }',
      answer: { status: 201, data: [{ name: 'A' }, { name: 'B' }] },
    }),
    row('11.2.29', 'a batch by the key needs it in each record', {
      send: 'POST /api/v1/customers/batch?by=external_id',
      body: { customers: [{ name: 'A', external_id: 'a {word}' }, { name: 'B' }, { name: 'C', external_id: null }] },
      answer: {
        status: 400,
        code: 'VALIDATION_ERROR',
        fields: ['customers[1].external_id', 'customers[2].external_id'],
      },
    }),
    row('11.2.29', 'in GraphQL as well', {
      also: {
        query: 'mutation ($input: UpsertVouchersInput!) { upsertVouchers(input: $input) { id } }',
        variables: { input: { vouchers: [{ by: { code: null }, input: { series: 'A' } }] } },
        answer: { code: 'VALIDATION_ERROR', fields: ['vouchers[0].by'] },
      },
      answer: { status: 200 },
    }),
    row('11.2.29', 'null names nothing', {
      send: 'POST /api/v1/sales',
      body: { customer: { external_id: null } },
      answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['customer.external_id'] },
    }),
    row('11.2.29', 'a record whose field is cleared has the key no more', {
      send: 'PATCH /api/v1/customers/{known}',
      body: { external_id: null },
      answer: { status: 200 },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v1/customers/by/external_id/k%20{word}',
          answer: { status: 404, code: 'NOT_FOUND' },
        },
      ],
    }),
    row('11.2.30', 'of two records with one value, the key is that of the one with the condition', {
      send: 'GET /api/v1/coupons/by/code/c%20{word}',
      also: '{ couponByCode(code: "c {word}") { id status } }',
      answer: { status: 200, data: { id: '{live}' } },
    }),
    row('11.2.30', 'one that lacks the condition has no address', {
      send: 'GET /api/v1/coupons/by/code/g%20{word}',
      also: '{ couponByCode(code: "g {word}") { id } }',
      answer: { status: 404, code: 'NOT_FOUND' },
    }),
    row('11.2.30', 'is changed by it', {
      send: 'PATCH /api/v1/coupons/by/code/c%20{word}',
      body: { percent: '20' },
      also: 'mutation { updateCoupon(by: { code: "c {word}" }, input: { percent: "20" }) { id percent } }',
      answer: { status: 200, data: { id: '{live}', percent: '20' } },
    }),
    row('11.2.30', 'is moved by it, after which it has the key no more', {
      send: 'POST /api/v1/coupons/by/code/c%20{word}/end',
      also: 'mutation { endCoupon(by: { code: "c {word}" }) { id status } }',
      answer: { status: 200, data: { id: '{live}', status: 'ended' } },
      then: [
        { as: 'viewer', send: 'GET /api/v1/coupons/by/code/c%20{word}', answer: { status: 404, code: 'NOT_FOUND' } },
      ],
    }),
    row('11.2.30', 'and deleted', {
      send: 'DELETE /api/v1/coupons/by/code/c%20{word}',
      also: 'mutation { deleteCoupon(by: { code: "c {word}" }) }',
      answer: { status: 204 },
    }),
    row('11.2.30', 'lists below it', {
      send: 'GET /api/v1/coupons/by/code/c%20{word}/sales',
      answer: { status: 200, data: [] },
    }),
    row('11.2.30', 'is referred to by it', {
      send: 'POST /api/v1/sales',
      body: { coupon: { code: 'c {word}' } },
      also: 'mutation { createSale(input: { coupon: { code: "c {word}" } }) { coupon { id } } }',
      answer: { status: 201 },
    }),
    row('11.2.30', 'not one that lacks the condition', {
      send: 'POST /api/v1/sales',
      body: { coupon: { code: 'g {word}' } },
      also: 'mutation { createSale(input: { coupon: { code: "g {word}" } }) { id } }',
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', fields: ['coupon'] },
    }),
    row('11.2.30', 'nor among those of one request', {
      send: 'POST /api/v1/sales/batch',
      body: { sales: [{ coupon: { code: 'c {word}' } }, { coupon: { code: 'g {word}' } }] },
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', fields: ['sales[1].coupon'] },
    }),
    row('11.2.30', 'there is no PUT to it', {
      send: 'PUT /api/v1/coupons/by/code/c%20{word}',
      body: { percent: '20' },
      answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: /^GET, HEAD, PATCH, DELETE, OPTIONS$/ } },
    }),
    row('11.2.30', 'a second one with the condition is a conflict', {
      send: 'POST /api/v1/coupons',
      body: { code: 'c {word}' },
      also: 'mutation { createCoupon(input: { code: "c {word}" }) { id } }',
      answer: { status: 409, code: 'CONFLICT', fields: ['code'] },
    }),
    row('11.2.30', 'so is a move into it', {
      send: 'POST /api/v1/coupons/{ended}/revive',
      also: 'mutation { reviveCoupon(id: "{ended}") { id } }',
      answer: { status: 409, code: 'CONFLICT' },
    }),
  ],
  { definition: tickets },
)

withService(
  '11.2 The cost of a key that some records have',
  (service) => {
    test('11.2.30 it is a search of its index', async () => {
      const { model, engine, store } = service()
      const coupons = model.byName.get('Coupon')!
      const dialect = dialectOf(engine)
      const found = createWriteStatements(dialect).find(coupons, coupons.keys[0]!, always)
      const { statement, values } = boundTo(found, { ...noCaller, input: ['c'] })
      function* explain(): Program<readonly StoredRow[]> {
        if (engine === 'postgres') yield bind(command('set local enable_seqscan = off'))
        const words = engine === 'postgres' ? 'explain' : 'explain query plan'
        return yield { statement: query(`${words} ${statement.sql}`), values }
      }
      const plan = JSON.stringify(await store.write(() => explain()))
      const { name } = uniqueIndex(coupons, coupons.uniques[0]!, dialect)
      assert.ok(plan.includes(name), plan)
    })
  },
  { definition: tickets },
)

withService(
  '11.2 Counted keys',
  (service) => {
    const send = async (line: string, body?: object) => {
      const answer = await service().send(line, { as: 'viewer', ...(body === undefined ? {} : { body }) })
      return { status: answer.status, data: answer.body?.data, text: answer.text }
    }
    const ask = async (query: string) => (await service().graphql(query, { as: 'viewer' })).body

    test('11.2.31 a record is read, changed, moved, deleted and named by its number', async () => {
      const { data: made } = await send('POST /api/v1/tickets', { title: 'First' })
      const address = `/api/v1/tickets/by/number/${made.number}`
      assert.equal((await send(`GET ${address}`)).data.id, made.id)
      const { data } = await ask(`{ ticketByNumber(number: ${made.number}) { id title } }`)
      assert.deepEqual(data.ticketByNumber, { id: made.id, title: 'First' })
      assert.equal((await send(`PATCH ${address}`, { title: 'Second' })).data.title, 'Second')
      assert.equal((await send(`PATCH ${address}`, { title: 'Second', number: made.number })).status, 200)
      assert.equal((await send(`PATCH ${address}`, { number: made.number + 1 })).status, 400)
      const sale = await send('POST /api/v1/sales', { ticket: { number: made.number } })
      assert.equal(sale.data.ticket_id, made.id)
      const moved = await ask(`mutation { payTicket(by: { number: ${made.number} }) { id receipt } }`)
      const { receipt } = moved.data.payTicket
      assert.equal((await send(`GET /api/v1/tickets/by/receipt/${receipt}`)).data.id, made.id)
      assert.equal((await send(`GET ${address}/sales`)).data[0].id, sale.data.id)
      assert.equal((await send(`DELETE ${address}`)).status, 204)
      assert.equal((await send(`GET ${address}`)).status, 404)
    })

    test('11.2.31 what is no number has no record, and there is no PUT', async () => {
      for (const number of ['0', '-1', '1.5', '01', 'one', '99999999999', 'null'])
        assert.equal((await send(`GET /api/v1/tickets/by/number/${number}`)).status, 404, number)
      assert.equal((await send('PUT /api/v1/tickets/by/number/1', { title: 'X' })).status, 405)
      assert.equal((await send('POST /api/v1/tickets/batch?by=number', { tickets: [{ title: 'X' }] })).status, 400)
    })

    test('11.2.31 a number that counts within a record follows it', async () => {
      const fixtures = service().fixtures({
        org: { Organization: {} },
        membership: { Membership: { organization: '{org}', user: '{viewer}', role: 'STAFF' } },
        one: { Project: { organization: '{org}', name: 'One' } },
        two: { Project: { organization: '{org}', name: 'Two' } },
      })
      await fixtures.idOf('membership')
      const [org, one, two] = await Promise.all(['org', 'one', 'two'].map((each) => fixtures.idOf(each)))
      const issues = []
      for (const project of [one, two, one])
        issues.push((await send('POST /api/v1/issues', { project_id: project, title: 'An issue' })).data)
      assert.deepEqual(
        issues.map(({ number }) => number),
        [1, 1, 2],
      )
      const at = (project: unknown, number: number) =>
        `/api/v1/organizations/${org}/issues/by/project_id/${project}/number/${number}`
      assert.equal((await send(`GET ${at(one, 2)}`)).data.id, issues[2].id)
      assert.equal((await send(`GET ${at(two, 1)}`)).data.id, issues[1].id)
      assert.equal((await send(`GET ${at(two, 2)}`)).status, 404)
      const key = `organizationId: "${org}", projectId: "${two}", number: 1`
      const { data } = await ask(`mutation { updateIssue(by: { ${key} }, input: { title: "Other" }) { id title } }`)
      assert.deepEqual(data.updateIssue, { id: issues[1].id, title: 'Other' })
    })
  },
  { definition: tickets },
)
