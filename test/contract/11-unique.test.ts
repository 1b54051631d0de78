// What no two records have alike: fields together, of some records only, and whatever the case; on every path that writes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledger } from '../support/domain/ledger.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const given = {
  invoice: { Invoice: { number: 1, owner: '{viewer}' } },
  'other invoice': { Invoice: { number: 2, owner: '{viewer}' } },
  line: { Line: { invoice: '{invoice}', position: 1, label: 'Straße' } },
  'second line': { Line: { invoice: '{invoice}', position: 2, label: 'Second' } },
  'loose line': { Line: { invoice: '{invoice}', position: null, label: 'Loose' } },
}
type Body = Readonly<Record<string, unknown>>
const camel = (body: Body) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name.replace('_id', 'Id'), value]))

const create = (clause: Row['clause'], it: string, body: Body, answer: Step['answer'], graphql?: Body): Row => ({
  clause,
  it,
  as: 'viewer',
  given,
  send: 'POST /api/v2/lines',
  body: { invoice_id: '{invoice}', label: 'New', ...body },
  also: {
    query: 'mutation ($input: CreateLineInput!) { createLine(input: $input) { id } }',
    variables: { input: { invoiceId: '{invoice}', label: 'New', ...camel(body) } },
    ...(graphql === undefined ? {} : { answer: graphql }),
  },
  answer,
})
const taken = { status: 409, code: 'CONFLICT', fields: ['invoice_id', 'position'] } as const
const takenLabel = { status: 409, code: 'CONFLICT', fields: ['invoice_id', 'label'] } as const

clauses(
  '11.2 Fields that are unique together',
  [
    create(
      '11.2.1',
      'both are another record’s',
      { position: 1 },
      {
        ...taken,
        message: /^Another record has this invoice(_id|Id) and position\.$/,
      },
    ),
    create('11.2.1', 'one is', { position: 3 }, { status: 201 }),
    create('11.2.1', 'the other is', { invoice_id: '{other invoice}', position: 1 }, { status: 201 }),
    {
      clause: '11.2.1',
      it: 'an update makes them so',
      as: 'viewer',
      given,
      send: 'PATCH /api/v2/lines/{second line}',
      body: { position: 1 },
      also: 'mutation { updateLine(id: "{second line}", input: { position: 1 }) { id } }',
      answer: taken,
      then: [{ as: 'viewer', send: 'GET /api/v2/lines/{second line}', answer: { status: 200, data: { position: 2 } } }],
    },
    {
      clause: '11.2.1',
      it: 'one that changes neither does not',
      as: 'viewer',
      given,
      send: 'PATCH /api/v2/lines/{line}',
      body: { position: 1, label: 'STRASSE' },
      answer: { status: 200, data: { label: 'STRASSE' } },
    },
    {
      clause: '11.2.1',
      it: 'two of a batch have the same, and none is made',
      as: 'viewer',
      given,
      send: 'POST /api/v2/lines/batch',
      body: {
        lines: [
          { invoice_id: '{other invoice}', position: 7, label: 'A' },
          { invoice_id: '{other invoice}', position: 7, label: 'B' },
        ],
      },
      answer: { status: 409, code: 'CONFLICT', fields: ['lines[1].invoice_id', 'lines[1].position'] },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{other invoice}/lines',
          answer: { status: 200, meta: { total: 0 } },
        },
      ],
    },
    {
      clause: '11.2.1',
      it: 'an update of many gives several the same',
      as: 'viewer',
      given,
      send: 'PATCH /api/v2/lines',
      body: { ids: ['{second line}', '{loose line}'], position: 9 },
      answer: { status: 409, code: 'CONFLICT' },
    },
    {
      clause: '11.2.1',
      it: 'an effect writes them into another record',
      as: 'viewer',
      given,
      send: 'POST /api/v2/lines/{line}/swap',
      also: 'mutation { swapLine(id: "{line}") { id } }',
      answer: taken,
    },
    {
      clause: '11.2.1',
      it: 'an effect writes them into one of another resource, whose fields the client did not name',
      as: 'viewer',
      given,
      send: 'POST /api/v2/copies',
      body: { line_id: '{line}' },
      also: 'mutation { createCopy(input: { lineId: "{line}" }) { id } }',
      answer: { status: 409, code: 'CONFLICT', message: /^Another line has this invoice(_id|Id) and position\.$/ },
    },
    create('11.2.2', 'a record without one of them collides with none', { position: null }, { status: 201 }),
    {
      ...create('11.2.2', 'nor with one that was deleted', { position: 1, label: 'Straße' }, { status: 201 }),
      first: [{ as: 'viewer', send: 'DELETE /api/v2/lines/{line}' }],
    },
    {
      clause: '11.2.3',
      it: 'records that the condition leaves out may have the same',
      as: 'viewer',
      given,
      send: 'POST /api/v2/invoices',
      body: { number: 1 },
      also: 'mutation { createInvoice(input: { number: 1 }) { id } }',
      answer: { status: 201 },
    },
    {
      clause: '11.2.3',
      it: 'a move brings a record among them',
      as: 'viewer',
      given: {
        issued: { Invoice: { number: 41, owner: '{editor}', status: 'issued' } },
        mine: { Invoice: { number: 41, owner: '{viewer}' } },
      },
      send: 'POST /api/v2/invoices/{mine}/issue',
      answer: { status: 409, code: 'CONFLICT', field: 'number' },
      then: [{ as: 'viewer', send: 'GET /api/v2/invoices/{mine}', answer: { status: 200, data: { status: 'draft' } } }],
    },
    {
      clause: '11.2.3',
      it: 'and one that has left them gives its values back',
      as: 'viewer',
      given: {
        issued: { Invoice: { number: 42, owner: '{viewer}', status: 'issued' } },
        mine: { Invoice: { number: 42, owner: '{viewer}' } },
      },
      first: [{ as: 'viewer', send: 'POST /api/v2/invoices/{issued}/cancel' }],
      send: 'POST /api/v2/invoices/{mine}/issue',
      answer: { status: 200 },
    },
    {
      ...create('11.2.4', 'also those of a record that one may not read', { position: 5 }, taken),
      given: {
        invoice: { Invoice: { number: 3, owner: '{editor}', status: 'void' } },
        hidden: { Line: { invoice: '{invoice}', position: 5, label: 'Hidden' } },
      },
    },
    create('11.2.5', 'case folds as Unicode has it', { label: 'STRASSE' }, takenLabel),
    create('11.2.5', 'and so do forms of a letter', { label: 'ｓｔｒａｓｓｅ' }, takenLabel),
    create('11.2.5', 'a dotless letter is another letter', { label: 'Lıose' }, { status: 201 }),
    {
      ...create(
        '11.2.5',
        'a text that folds to a long one is compared as a whole',
        { label: 'ﷺ'.repeat(50) },
        takenLabel,
      ),
      given: { ...given, long: { Line: { invoice: '{invoice}', position: 8, label: 'ﷺ'.repeat(50) } } },
    },
    {
      ...create(
        '11.2.5',
        'and one that differs at its end is another',
        { label: `${'ﷺ'.repeat(49)}x` },
        { status: 201 },
      ),
      given: { ...given, long: { Line: { invoice: '{invoice}', position: 8, label: 'ﷺ'.repeat(50) } } },
    },
    {
      ...create(
        '11.2.5',
        'a single field may be so, and absent',
        { note: 'À {word}' },
        { status: 409, code: 'CONFLICT', field: 'note' },
      ),
      given: { ...given, noted: { Line: { invoice: '{invoice}', position: 8, label: 'N', note: 'a\u0300 {word}' } } },
    },
    {
      clause: '11.2.5',
      it: 'the folded form follows an update, and gives the former one back',
      as: 'viewer',
      given,
      first: [{ as: 'viewer', send: 'PATCH /api/v2/lines/{line}', body: { label: 'Renamed' } }],
      send: 'POST /api/v2/lines',
      body: { invoice_id: '{invoice}', label: 'strasse' },
      answer: { status: 201, data: { label: 'strasse' } },
      then: [
        {
          as: 'viewer',
          send: 'POST /api/v2/lines',
          body: { invoice_id: '{invoice}', label: 'RENAMED' },
          answer: takenLabel,
        },
      ],
    },
  ],
  { definition: ledger },
)

withService(
  '11.2 Many at once',
  (service) => {
    const all = (
      count: number,
      ask: (index: number) => object,
      line: string,
      fixtures: ReturnType<ReturnType<typeof service>['fixtures']>,
    ) =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const { status } = await service().send(line, { as: 'viewer', fixtures, body: ask(index) })
          return status
        }),
      )
    const counts = (statuses: readonly number[]) =>
      Object.fromEntries([...new Set(statuses)].map((each) => [each, statuses.filter((one) => one === each).length]))

    test('11.2.6 of fifty with the same values, one is made', async () => {
      const fixtures = service().fixtures(given)
      const body = () => ({ invoice_id: '{invoice}', position: 50, label: `{unique}` })
      assert.deepEqual(counts(await all(50, body, 'POST /api/v2/lines', fixtures)), { 201: 1, 409: 49 })
      service().assertLog()
    })
    test('11.2.6 of fifty whose texts differ in case, one is made', async () => {
      const fixtures = service().fixtures(given)
      const body = (index: number) => ({
        invoice_id: '{invoice}',
        label: [...'dozens'].map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
      })
      assert.deepEqual(counts(await all(50, body, 'POST /api/v2/lines', fixtures)), { 201: 1, 409: 49 })
      service().assertLog()
    })
    test('11.2.6 batches with the same values in opposite orders do not stand in each other’s way', async () => {
      const fixtures = service().fixtures(given)
      const body = (index: number) => {
        const lines = [1, 2, 3].map((each) => ({ invoice_id: '{invoice}', position: 60 + each, label: `B ${each}` }))
        return { lines: index % 2 === 0 ? lines : lines.toReversed() }
      }
      assert.deepEqual(counts(await all(20, body, 'POST /api/v2/lines/batch', fixtures)), { 201: 1, 409: 19 })
      service().assertLog()
    })
  },
  { definition: ledger },
)
