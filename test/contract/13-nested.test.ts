// Children that are made with their parent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billing } from '../support/domain/billing.ts'
import { given, ink, invalid, invoice, notes, pen, refused, restOnly } from '../support/domain/invoices.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { camelled } from '../support/rows/graphql-question.ts'
import { withService } from '../support/server/service.ts'

/** An invoice made through both faces. */
const makes = (it: string, body: object, answer: Step['answer'], more: Partial<Row> = {}): Row => ({
  clause: '13.1.1',
  it,
  as: 'viewer',
  given,
  send: 'POST /api/v2/invoices',
  body,
  also: {
    query: 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id title total status number } }',
    variables: { input: camelled(body) },
  },
  answer,
  ...more,
})

clauses(
  '13.1 Children in inputs',
  [
    makes(
      'children are made with their parent, and theirs with them',
      { title: 'A', lines: [{ ...pen, discounts: [{ percent: 5 }, { percent: 7 }] }, ink] },
      { status: 201, data: { title: 'A', total: 5, status: 'draft' } },
      {
        keep: { made: 'body.data.id' },
        ...restOnly,
        then: [
          {
            as: 'viewer',
            also: '{ invoice(id: "{made}") { lines(limit: 9, sort: POSITION_ASC) { quantity position discounts(limit: 9, sort: PERCENT_ASC) { percent } } } }',
            answer: {
              status: 200,
              data: {
                lines: [
                  { quantity: 2, position: 1, discounts: [{ percent: 5 }, { percent: 7 }] },
                  { quantity: 3, position: 2, discounts: [] },
                ],
              },
            },
          },
        ],
      },
    ),
    makes('through both faces', { title: 'A', lines: [pen, ink] }, { status: 201, data: { title: 'A', total: 5 } }),
    makes('an empty list makes none', { title: 'A', lines: [] }, { status: 201, data: { total: 0 } }),
    makes(
      'children name records by key',
      { title: 'A', lines: [{ product: { sku: 'pen {word}' }, quantity: 1 }] },
      {
        status: 201,
        data: { total: 1 },
      },
    ),
    makes(
      'problems are reported by their place, all at once',
      {
        title: '',
        lines: [pen, { product_id: '{ink}', quantity: 0 }, { ...ink, discounts: [{ percent: 100 }, { percent: 'x' }] }],
      },
      invalid('title', 'lines[1].quantity', 'lines[2].discounts[0].percent', 'lines[2].discounts[1].percent'),
      { clause: '13.1.2', ...restOnly },
    ),
    makes(
      'what a child lacks, has too much, or is not',
      { title: 'A', lines: [{ quantity: 1 }, { ...pen, colour: 1 }, 7, { ...pen, invoice_id: '{pen}' }] },
      invalid('lines[0].product_id', 'lines[1].colour', 'lines[2]', 'lines[3].invoice_id'),
      { clause: '13.1.2', ...restOnly },
    ),
    makes('no list', { title: 'A', lines: { ...pen } }, invalid('lines'), { clause: '13.1.2', ...restOnly }),
    makes('null', { title: 'A', lines: null }, invalid('lines'), { clause: '13.1.2' }),
    makes(
      'a record that is missing, hidden or may not be named',
      {
        title: 'A',
        lines: [
          { product_id: 'prd_x', quantity: 1 },
          pen,
          { product_id: '{secret}', quantity: 1 },
          { product_id: '{old}', quantity: 1 },
        ],
      },
      refused('lines[0].product_id', 'lines[2].product_id', 'lines[3].product_id'),
      {
        clause: '13.1.2',
        also: {
          query: 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }',
          variables: {
            input: {
              title: 'A',
              lines: [
                { productId: 'prd_x', quantity: 1 },
                { productId: '{pen}', quantity: 2 },
                { productId: '{secret}', quantity: 1 },
                { productId: '{old}', quantity: 1 },
              ],
            },
          },
        },
      },
    ),
    makes('a check of children', { title: 'A', lines: [pen, { ...ink, quantity: 13 }] }, refused('lines[1]'), {
      clause: '13.1.10',
    }),
    makes('an effect of a child', { title: 'A', lines: [pen, { ...ink, quantity: 99 }] }, refused('lines[1]'), {
      clause: '13.1.2',
    }),
    makes(
      'what must be unique',
      { title: 'A', lines: [pen, ink, { ...pen, quantity: 1 }] },
      { status: 409, code: 'CONFLICT', fields: ['lines[2].invoice_id', 'lines[2].product_id'] },
      { clause: '13.1.2', ...restOnly },
    ),
    makes(
      'what is taken elsewhere',
      { title: 'A', lines: [pen, { ...ink, remark: 'taken {word}' }] },
      { status: 409, code: 'CONFLICT', fields: ['lines[1].remark'] },
      {
        clause: '13.1.2',
        given: {
          ...given,
          other: invoice,
          line: { Line: { invoice: '{other}', position: 1, product: '{pen}', quantity: 1, remark: 'taken {word}' } },
        },
      },
    ),
    makes(
      'of a batch, with the place of the parent',
      { invoices: [{ title: 'A' }, { title: 'B', lines: [pen, { ...ink, quantity: 0 }] }] },
      invalid('invoices[1].lines[1].quantity'),
      { clause: '13.1.2', send: 'POST /api/v2/invoices/batch', ...restOnly },
    ),
    makes(
      'each is as many as a batch',
      { title: 'A', lines: Array.from({ length: 101 }, () => pen) },
      invalid('lines'),
      {
        clause: '13.1.3',
        ...restOnly,
      },
    ),
    {
      clause: '13.1.3',
      it: 'a thousand records are written by one request',
      as: 'viewer',
      send: 'POST /api/v2/notes/batch',
      body: { notes: notes(10, 99) },
      answer: { status: 201, meta: { created: 10 } },
      then: [
        {
          as: 'viewer',
          send: 'POST /api/v2/notes/batch',
          body: { notes: [...notes(9, 99), ...notes(1, 100)] },
          answer: invalid('notes[9].words'),
        },
      ],
    },
    {
      clause: '13.1.3',
      it: 'a list of as many as a batch',
      as: 'viewer',
      send: 'POST /api/v2/notes',
      body: notes(1, 100)[0],
      answer: { status: 201, data: { words_count: 100 } },
    },
    makes(
      'their own rule sees the parent as it will be',
      { title: 'A', is_locked: true, lines: [pen] },
      { status: 403, code: 'FORBIDDEN' },
      {
        clause: '13.1.4',
      },
    ),
    makes(
      'a refusal of one wins over later failures of others',
      { title: 'Nothing', is_locked: true, lines: [pen] },
      { status: 403, code: 'FORBIDDEN' },
      { clause: '13.1.4' },
    ),
    makes(
      'form wins over both',
      { title: 'Nothing', is_locked: true, lines: [{ ...pen, quantity: 0 }] },
      invalid('lines[0].quantity'),
      {
        clause: '13.1.4',
      },
    ),
    makes(
      'who may not make the parent learns nothing of children',
      { title: 'A', lines: [7] },
      { status: 401, code: 'UNAUTHENTICATED' },
      {
        clause: '13.1.4',
        as: 'anonymous',
        ...restOnly,
      },
    ),
  ],
  { definition: billing },
)

withService(
  '13.1 What a list costs',
  (service) => {
    const statementsOf = async (words: number): Promise<number> => {
      const fixtures = service().fixtures({})
      const before = service().store.counts.statements
      const { status, text } = await service().send('POST /api/v2/notes', {
        as: 'viewer',
        fixtures,
        body: notes(1, words)[0]!,
      })
      assert.equal(status, 201, text)
      return service().store.counts.statements - before
    }

    test('13.1.5 a hundred children take few statements more than one', async () => {
      await statementsOf(1)
      const [one, many] = [await statementsOf(1), await statementsOf(100)]
      assert(many - one <= 7, `${many} statements for 100 children, ${one} for one`)
    })

    test('13.1.1 all or none: a failure leaves nothing', async () => {
      const fixtures = service().fixtures(given)
      for (const name of Object.keys(given)) await fixtures.idOf(name)
      const rows = async () => (await service().tables('invoices', 'lines', 'discounts')).length
      const before = await rows()
      const { status } = await service().send('POST /api/v2/invoices', {
        as: 'viewer',
        fixtures,
        body: { title: 'A', lines: [pen, { ...ink, discounts: [{ percent: 1 }] }, { ...pen, quantity: 4 }] },
      })
      assert.equal(status, 409)
      assert.equal(await rows(), before)
      service().assertLog()
    })
  },
  { definition: billing },
)
