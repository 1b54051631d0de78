// Keys that count within a tenant, and records that others name by their keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agency } from '../support/domain/agency.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const one = {
  ann: { User: {} },
  guest: { User: {} },
  ben: { User: {} },
  one: { Agency: { slug: 'one {word}' } },
  two: { Agency: { slug: 'two {word}' } },
  annWorks: { Membership: { agency: '{one}', user: '{ann}', role: 'STAFF' } },
  annGuest: { Membership: { agency: '{two}', user: '{ann}', role: 'STAFF' } },
  guestIs: { Membership: { agency: '{one}', user: '{guest}', role: 'GUEST' } },
  benWorks: { Membership: { agency: '{two}', user: '{ben}', role: 'STAFF' } },
  known: customer('one', '42', 'K'),
  same: customer('two', '42', 'S'),
  abroad: customer('one', '7', 'A', { region: 'us' }),
  hidden: customer('one', '13', 'H', { isHidden: true, owner: '{ben}' }),
}
function customer(of: string, externalId: string, code: string, more: object = {}) {
  return {
    Customer: { agency: `{${of}}`, externalId, code, vat: `${code} {word}`, name: code, owner: '{ann}', ...more },
  }
}
const at = '/api/v2/agencies/{one}/customers/by'
const deal = (customerName: unknown, more: object = {}) => ({
  agency_id: '{one}',
  label: 'D {word}',
  customer: customerName,
  ...more,
})
const camelCase = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? value
    : Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
          name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
          camelCase(each),
        ]),
      )
/** A deal made through both faces. */
const makes = (it: string, body: object, answer: Step['answer'], more: Partial<Row> = {}): Row => ({
  clause: '11.2.12',
  it,
  as: '{ann}',
  given: one,
  send: 'POST /api/v2/deals',
  body,
  also: {
    query:
      'mutation ($input: CreateDealInput!) { createDeal(input: $input) { id label customer { id } payer { id } agency { id } } }',
    variables: { input: camelCase(body) },
  },
  answer,
  ...more,
})
const restOnly = { also: undefined } as unknown as Partial<Row>

clauses(
  '11.2 Keys in tenants',
  [
    {
      clause: '11.2.11',
      it: 'a record is read by its key below its tenant',
      as: '{ann}',
      given: one,
      send: `GET ${at}/external_id/42`,
      also: '{ customerByExternalId(agencyId: "{one}", externalId: "42") { id name } }',
      answer: { status: 200, data: { id: '{known}', name: 'K' } },
      then: [
        {
          as: '{ann}',
          send: 'GET /api/v2/agencies/{two}/customers/by/external_id/42',
          also: '{ customerByExternalId(agencyId: "{two}", externalId: "42") { id name } }',
          answer: { status: 200, data: { id: '{same}', name: 'S' } },
        },
        { as: '{ann}', send: `GET ${at}/code/K/region/eu`, answer: { status: 200, data: { id: '{known}' } } },
        { as: '{ann}', send: 'GET /api/v1/agencies/{one}/customers/by/foreign_id/42', answer: { status: 200 } },
        { as: '{ann}', send: 'GET /api/v2/agencies/{one}/clients/by/external_id/42', answer: { status: 404 } },
        { as: '{ann}', send: 'GET /api/v2/customers/by/external_id/42', answer: { status: 404 } },
      ],
    },
    ...['GET', 'PATCH', 'DELETE'].map(
      (method): Row => ({
        clause: '11.2.21',
        it: `${method} below a tenant that one is no member of`,
        as: '{ben}',
        given: one,
        send: `${method} ${at}/external_id/42`,
        ...(method === 'PATCH' ? { body: { name: 'X' } } : {}),
        answer: { status: 404, code: 'NOT_FOUND' },
      }),
    ),
    {
      clause: '11.2.20',
      it: 'a key that counts everywhere has its address without a tenant',
      as: '{ann}',
      given: one,
      send: 'GET /api/v2/customers/by/vat/K%20{word}',
      also: '{ customerByVat(vat: "K {word}") { id } }',
      answer: { status: 200, data: { id: '{known}' } },
      then: [
        { as: '{ann}', send: `GET ${at}/vat/K%20{word}`, answer: { status: 404 } },
        { as: '{ben}', send: 'GET /api/v2/customers/by/vat/K%20{word}', answer: { status: 404 } },
      ],
    },
    {
      clause: '11.2.11',
      it: 'PUT creates in the tenant of the address, and replaces there',
      as: '{ann}',
      given: one,
      send: `PUT ${at}/external_id/n%20{word}`,
      body: { code: 'N', vat: 'n {word}', name: 'New' },
      also: {
        query:
          'mutation ($by: CustomerKey!, $input: UpsertCustomerInput!) { upsertCustomer(by: $by, input: $input) { name externalId agency { id } } }',
        variables: {
          by: { agencyId: '{one}', externalId: 'n {word}' },
          input: { code: 'N', vat: 'n {word}', name: 'New' },
        },
      },
      answer: { status: 201, data: { name: 'New', external_id: 'n {word}', agency_id: '{one}' } },
      then: [
        {
          as: '{ann}',
          send: `PUT ${at}/external_id/n%20{word}`,
          body: { code: 'N', vat: 'n {word}', name: 'Newer', agency_id: '{one}' },
          answer: { status: 200, data: { name: 'Newer' } },
        },
        {
          as: '{ann}',
          send: `PUT ${at}/external_id/n%20{word}`,
          body: { code: 'N', vat: 'n {word}', name: 'Newer', agency_id: '{two}' },
          answer: { status: 400, field: 'agency_id' },
        },
        { as: '{ann}', send: `PATCH ${at}/external_id/n%20{word}`, body: { note: 'x' }, answer: { status: 200 } },
        { as: '{guest}', send: `PATCH ${at}/external_id/n%20{word}`, body: { note: 'x' }, answer: { status: 403 } },
        { as: '{ann}', send: `DELETE ${at}/external_id/n%20{word}`, answer: { status: 204 } },
      ],
    },
    {
      clause: '11.2.21',
      it: 'PUT below a tenant that one is no member of names what there is not',
      as: '{ben}',
      given: one,
      send: `PUT ${at}/external_id/42`,
      body: { code: 'N', vat: 'n {word}', name: 'New' },
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'agency_id' },
    },
    {
      clause: '11.2.22',
      it: 'what has its tenant from another record is not created by its key',
      as: '{ann}',
      given: {
        ...one,
        deal: { Deal: { agency: '{one}', customer: '{known}', label: 'L' } },
        note: { Note: { deal: '{deal}', text: 'T' } },
      },
      send: 'PUT /api/v2/agencies/{one}/notes/by/text/T',
      body: {},
      answer: { status: 405, headers: { allow: 'GET, HEAD, PATCH, OPTIONS' } },
      then: [
        {
          as: '{ann}',
          send: 'GET /api/v2/agencies/{one}/notes/by/text/T',
          answer: { status: 200, data: { id: '{note}' } },
        },
        {
          as: '{ann}',
          send: 'PATCH /api/v2/agencies/{one}/notes/by/text/T',
          body: { about: { external_id: '42' } },
          answer: { status: 200, data: { about_id: '{known}' } },
        },
      ],
    },
    makes('a record is named by its key, in the tenant of the record', deal({ external_id: '42' }), {
      status: 201,
      data: { customer_id: '{known}', agency_id: '{one}' },
    }),
    makes(
      'in another tenant it is another',
      { ...deal({ external_id: '42' }), agency_id: '{two}' },
      {
        status: 201,
        data: { customer_id: '{same}' },
      },
    ),
    makes('by the fields of another key', deal({ code: 'K', region: 'eu' }, { payer: { vat: 'A {word}' } }), {
      status: 201,
      data: { customer_id: '{known}', payer_id: '{abroad}' },
    }),
    makes(
      'the tenant itself too',
      { agency: { slug: 'one {word}' }, label: 'D {word}', customer: { external_id: '42' } },
      {
        status: 201,
        data: { customer_id: '{known}', agency_id: '{one}' },
      },
    ),
    makes('one that there is not is missing', deal({ external_id: 'none' }), {
      status: 422,
      code: 'BUSINESS_RULE_VIOLATION',
      field: 'customer',
    }),
    makes(
      'one that may not be read as well, and one of another tenant',
      deal({ external_id: '13' }, { payer: { vat: 'S {word}' } }),
      {
        status: 422,
        code: 'BUSINESS_RULE_VIOLATION',
        fields: ['customer', 'payer'],
      },
    ),
    makes('one that may not be named so', deal({ external_id: '7' }), {
      status: 422,
      code: 'BUSINESS_RULE_VIOLATION',
      field: 'customer',
    }),
    makes(
      'a tenant that one is no member of',
      { agency: { slug: 'two {word}' }, label: 'D', customer: { external_id: '42' } },
      {
        status: 422,
        code: 'BUSINESS_RULE_VIOLATION',
        fields: ['agency', 'customer'],
      },
      { as: '{guest}' },
    ),
    makes('the id and the key together are one too many', deal({ external_id: '42' }, { customer_id: '{known}' }), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'customer',
    }),
    makes(
      'one of them is needed',
      { agency_id: '{one}', label: 'D' },
      {
        status: 400,
        code: 'VALIDATION_ERROR',
        field: 'customer_id',
      },
    ),
    makes('fields of two keys name nothing', deal({ external_id: '42', code: 'K' }), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'customer',
    }),
    makes('a value that the key cannot have', deal({ external_id: 'x'.repeat(61) }), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'customer.external_id',
    }),
    makes('what is no key', deal('42'), { status: 400, code: 'VALIDATION_ERROR', field: 'customer' }, restOnly),
    makes('nor null, where there must be one', deal(null), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'customer',
    }),
    makes(
      'null for one that may be absent',
      { ...deal({ external_id: '42' }), payer: null },
      { status: 201, data: { customer_id: '{known}' } },
    ),
    makes(
      'by the name that the relation has in a version',
      { agency_id: '{one}', label: 'D {word}', buyer: { foreign_id: '42' } },
      {
        status: 201,
        data: { buyer_id: '{known}' },
      },
      { ...restOnly, send: 'POST /api/v1/deals' },
    ),
    makes(
      'a field that few may write is so by key too',
      deal({ external_id: '42' }, { payer: { vat: 'K {word}' } }),
      {
        status: 403,
        code: 'FORBIDDEN',
      },
      { as: '{guest}' },
    ),
    {
      clause: '11.2.23',
      it: 'a change names by key too, in the tenant of the record',
      as: '{ann}',
      given: { ...one, deal: { Deal: { agency: '{two}', customer: '{same}', label: 'L' } } },
      send: 'PATCH /api/v2/deals/{deal}',
      body: { payer: { external_id: '42' } },
      also: 'mutation { updateDeal(id: "{deal}", input: { payer: { externalId: "42" } }) { payer { id } } }',
      answer: { status: 200, data: { payer_id: '{same}' } },
      then: [
        {
          as: '{ann}',
          send: 'PATCH /api/v2/deals/{deal}',
          body: { payer: null },
          answer: { status: 200, data: { payer_id: null } },
        },
        {
          as: '{ann}',
          send: 'PATCH /api/v2/deals/{deal}',
          body: { customer: { external_id: '7' } },
          answer: { status: 422, field: 'customer', code: 'BUSINESS_RULE_VIOLATION' },
        },
      ],
    },
    {
      clause: '11.2.33',
      it: 'where the record has its tenant from the one that is named, the tenant is part of the key',
      as: '{ann}',
      given: { ...one, deal: { Deal: { agency: '{one}', customer: '{known}', label: 'L' } } },
      send: 'POST /api/v2/notes',
      body: { deal: { label: 'L' }, text: 'T' },
      answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['deal.agency_id'] },
      then: [
        {
          as: '{ann}',
          send: 'POST /api/v2/notes',
          body: { deal: { agency_id: '{one}', label: 'L' }, about: { external_id: '42' }, text: 'by key' },
          answer: { status: 201, data: { deal_id: '{deal}', agency_id: '{one}', about_id: '{known}' } },
        },
        {
          as: '{ann}',
          also: 'mutation { createNote(input: { deal: { agencyId: "{one}", label: "L" }, text: "both" }) { id } }',
          answer: { status: 201 },
        },
        {
          as: '{ann}',
          send: 'POST /api/v2/notes',
          body: { deal: { agency_id: '{two}', label: 'L' }, text: 'T' },
          also: 'mutation { createNote(input: { deal: { agencyId: "{two}", label: "L" }, text: "T" }) { id } }',
          answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'deal' },
        },
        {
          as: '{ann}',
          send: 'POST /api/v2/notes',
          body: { deal_id: '{deal}', about: { external_id: '42' }, text: 'T' },
          answer: { status: 201, data: { about_id: '{known}' } },
        },
      ],
    },
  ],
  { definition: agency },
)

withService(
  '11.2 References of a batch',
  (service) => {
    test('11.2.12, 11.2.24 all records that a batch names by one key are found by one statement', async () => {
      const fixtures = service().fixtures(one)
      for (const name of Object.keys(one)) await fixtures.idOf(name)
      const statementsOf = async (count: number) => {
        const deals = Array.from({ length: count }, (_, index) => ({
          agency_id: '{one}',
          label: `B${count} ${index} {word}`,
          customer: index % 2 === 0 ? { external_id: '42' } : { region: 'eu', code: 'K' },
          payer: { vat: index % 3 === 0 ? 'K {word}' : 'A {word}' },
        }))
        const before = service().store.counts.statements
        const question = { as: '{ann}', fixtures, body: { deals } } as const
        const { status, text, body } = await service().send('POST /api/v2/deals/batch', question)
        assert.equal(status, 201, text)
        const payers = body.data.map(({ payer_id }: { payer_id: string }) => payer_id)
        const [first, second] = await Promise.all(['known', 'abroad'].map((name) => fixtures.idOf(name)))
        assert.deepEqual(
          payers,
          payers.map((_: string, index: number) => (index % 3 === 0 ? first : second)),
        )
        return service().store.counts.statements - before
      }
      await statementsOf(2)
      const [few, many] = [await statementsOf(4), await statementsOf(64)]
      // The service asks for news meanwhile.
      assert(many - few < 20, `${many} statements for 64 records, ${few} for 4`)
    })
  },
  { definition: agency },
)
