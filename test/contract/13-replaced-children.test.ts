// Lists of children that replace those a record has.

import { billing } from '../support/domain/billing.ts'
import { invalid, invoice, line, lines, refused, restOnly } from '../support/domain/invoices.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { camelled } from '../support/rows/graphql-question.ts'

/** A line of another invoice of the same owner, and one that the owner may not read. */
const foreign = {
  other: invoice,
  elsewhere: { Line: { ...line(1, 'pen'), invoice: '{other}', remark: 'taken {word}' } },
  hidden: { Line: { ...line(4, 'secret'), isInternal: true } },
}
const replaces = (it: string, elements: readonly object[], answer: Step['answer'], more: Partial<Row> = {}): Row => ({
  clause: '13.1.8',
  it,
  as: 'viewer',
  given: lines,
  send: 'PATCH /api/v2/invoices/{made}',
  body: { lines: elements },
  also: {
    query:
      'mutation ($lines: [UpsertLineInInvoiceInput!]) { updateInvoice(id: "{made}", input: { lines: $lines }) { id title } }',
    variables: { lines: camelled(elements) },
  },
  answer,
  ...more,
})
const forbidden = (...fields: string[]): Step['answer'] => ({ status: 403, code: 'FORBIDDEN', fields })
/** These lines are those of the invoice, as its owner sees them. */
const listed = (expected: readonly object[]): Step => ({
  as: 'viewer',
  also: '{ invoice(id: "{made}") { lines(limit: 9, sort: POSITION_ASC) { id quantity position remark discounts(limit: 9, sort: PERCENT_ASC) { id percent } } } }',
  answer: { status: 200, data: { lines: expected } },
})

clauses(
  '13.1 Children that are listed',
  [
    replaces(
      'children that are named stay or change, new ones are made, and those that are left out are deleted',
      [{ id: '{first}', quantity: 5 }, { id: '{second}' }, { product_id: '{old pen}', quantity: 3 }],
      { status: 200, data: { id: '{made}', title: 'I' } },
      {
        clause: '13.1.18',
        then: [
          listed([{ id: '{first}', quantity: 5 }, { id: '{second}', quantity: 2 }, { quantity: 3 }]),
          { as: 'viewer', send: 'GET /api/v2/lines/{third}', answer: { status: 404, code: 'NOT_FOUND' } },
          {
            as: 'viewer',
            send: 'GET /api/v2/lines/{first}',
            answer: { status: 200, headers: { etag: /^"2\.[^.]+"$/ } },
          },
          {
            as: 'viewer',
            send: 'GET /api/v2/lines/{second}',
            answer: { status: 200, headers: { etag: /^"1\.[^.]+"$/ } },
          },
          {
            as: 'viewer',
            send: 'GET /api/v2/invoices/{made}',
            answer: { status: 200, headers: { etag: /^"3\.[^.]+"$/ } },
          },
        ],
      },
    ),
    replaces(
      'what is deleted frees its values',
      [{ product_id: '{ink}', quantity: 9 }],
      { status: 200 },
      {
        then: [listed([{ quantity: 9 }])],
      },
    ),
    replaces(
      'an empty list deletes all, but for what the writer may not read',
      [],
      { status: 200 },
      {
        given: { ...lines, hidden: { Line: { ...line(4, 'secret'), isInternal: true } } },
        then: [
          listed([]),
          { as: 'admin', send: 'GET /api/v2/lines/{hidden}', answer: { status: 200, data: { id: '{hidden}' } } },
        ],
      },
    ),
    {
      clause: '13.1.8',
      it: 'where nothing is sent, by PUT as well, all stay',
      as: 'viewer',
      given: lines,
      send: 'PUT /api/v2/invoices/{made}',
      body: { title: 'B' },
      answer: { status: 200, data: { title: 'B' } },
      then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }])],
    },
    {
      clause: '13.1.15',
      it: 'PUT takes them as PATCH does',
      as: 'viewer',
      given: lines,
      send: 'PUT /api/v2/invoices/{made}',
      body: { title: 'B', lines: [{ id: '{second}', remark: 'stays' }] },
      answer: { status: 200, data: { title: 'B' } },
      then: [listed([{ id: '{second}', quantity: 2, remark: 'stays' }])],
    },
    replaces(
      'children of children are replaced alike',
      [
        { id: '{first}', discounts: [{ id: '{ten}', percent: 11 }, { percent: 30 }] },
        { id: '{second}' },
        { product_id: '{old pen}', quantity: 1, discounts: [{ percent: 5 }] },
      ],
      { status: 200 },
      {
        clause: '13.1.17',
        given: {
          ...lines,
          ten: { Discount: { line: '{first}', percent: 10 } },
          twenty: { Discount: { line: '{first}', percent: 20 } },
          kept: { Discount: { line: '{second}', percent: 40 } },
        },
        then: [
          listed([
            { id: '{first}', discounts: [{ id: '{ten}', percent: 11 }, { percent: 30 }] },
            { id: '{second}', discounts: [{ id: '{kept}' }] },
            { quantity: 1, discounts: [{ percent: 5 }] },
          ]),
        ],
      },
    ),
    replaces(
      'problems are reported by their place, all at once',
      [
        { id: '{first}', quantity: 0 },
        { id: '{first}' },
        { id: 7 },
        { product_id: '{pen}' },
        { id: '{second}', product_id: '{pen}' },
        { id: '{third}', discounts: [{ percent: 100 }, { id: 'dsc_1', percent: 0 }] },
      ],
      invalid(
        'lines[0].quantity',
        'lines[1].id',
        'lines[2].id',
        'lines[3].quantity',
        'lines[4].product_id',
        'lines[5].discounts[0].percent',
        'lines[5].discounts[1].percent',
      ),
      { clause: '13.1.2', ...restOnly },
    ),
    replaces(
      'what is no child of it, or hidden, cannot be named',
      [{ id: '{first}' }, { id: '{elsewhere}' }, { id: '{hidden}', quantity: 2 }, { id: 'lin_x' }],
      refused('lines[1].id', 'lines[2].id', 'lines[3].id'),
      {
        clause: '13.1.16',
        given: { ...lines, ...foreign },
        then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }])],
      },
    ),
    replaces('nor below a child that is hidden', [{ id: '{hidden}', discounts: [] }], refused('lines[0].id'), {
      clause: '13.1.16',
      given: { ...lines, ...foreign, ten: { Discount: { line: '{hidden}', percent: 10 } } },
    }),
    replaces(
      'nor children of another child',
      [{ id: '{first}', discounts: [] }, { id: '{second}', discounts: [{ id: '{ten}' }] }, { id: '{third}' }],
      refused('lines[1].discounts[0].id'),
      { clause: '13.1.16', given: { ...lines, ten: { Discount: { line: '{first}', percent: 10 } } } },
    ),
    replaces('one that is left out and may not be deleted', [{ id: '{first}' }], forbidden('lines'), {
      clause: '13.1.9',
      given: { ...lines, fixed: { Line: { ...line(4, 'old pen'), isFixed: true } } },
      then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }, { id: '{fixed}' }])],
    }),
    replaces('a check of one that is changed', [{ id: '{first}', quantity: 13 }], refused('lines[0]'), {
      clause: '13.1.9',
      then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }])],
    }),
    replaces('an effect of one that is deleted', [{ id: '{second}' }], refused('lines'), {
      clause: '13.1.9',
      given: { ...lines, seven: { Line: { ...line(4, 'old pen'), quantity: 7 } } },
      then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }, { id: '{seven}' }])],
    }),
    replaces(
      'a rule of a new one',
      [{ product_id: '{old pen}', quantity: 1 }],
      { status: 403, code: 'FORBIDDEN' },
      {
        clause: '13.1.9',
        given: { ...lines, made: { Invoice: { ...invoice.Invoice, isLocked: true } } },
      },
    ),
    replaces(
      'what a new one names',
      [{ id: '{first}' }, { product_id: '{secret}', quantity: 1 }],
      refused('lines[1].product_id'),
      { clause: '13.1.9' },
    ),
    replaces(
      'what must be unique',
      [{ id: '{first}' }, { id: '{second}', remark: 'taken {word}' }],
      { status: 409, code: 'CONFLICT', fields: ['lines[1].remark'] },
      {
        clause: '13.1.9',
        ...restOnly,
        given: { ...lines, ...foreign },
        then: [listed([{ id: '{first}' }, { id: '{second}', remark: null }, { id: '{third}' }])],
      },
    ),
    replaces(
      'another version',
      [],
      { status: 409, code: 'CONFLICT' },
      {
        clause: '13.1.9',
        ...restOnly,
        headers: { 'If-Match': '"7.1"' },
      },
    ),
    {
      clause: '13.1.9',
      it: 'who may not change the record learns nothing of its children',
      as: 'admin',
      given: lines,
      send: 'PATCH /api/v2/invoices/{made}',
      body: { lines: [{ id: 'lin_x' }] },
      also: 'mutation { updateInvoice(id: "{made}", input: { lines: [{ id: "lin_x" }] }) { id } }',
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    {
      clause: '13.1.21',
      it: 'the children of one record are not those of another',
      as: 'viewer',
      given: { ...lines, other: invoice },
      send: 'PATCH /api/v2/invoices',
      body: { ids: ['{made}', '{other}'], lines: [] },
      also: {
        query: 'mutation ($ids: [ID!]!) { updateInvoices(input: { ids: $ids, set: { lines: [] } }) { id } }',
        variables: { ids: ['{made}', '{other}'] },
      },
      answer: { status: 400, code: 'VALIDATION_ERROR' },
      then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }])],
    },
    {
      clause: '13.1.21',
      it: 'one id takes children',
      as: 'viewer',
      given: lines,
      send: 'PATCH /api/v2/invoices',
      body: { ids: ['{made}'], lines: [{ id: '{second}' }] },
      also: {
        query:
          'mutation ($ids: [ID!]!, $second: ID!) { updateInvoices(input: { ids: $ids, set: { lines: [{ id: $second }] } }) { id } }',
        variables: { ids: ['{made}'], second: '{second}' },
      },
      answer: { status: 200 },
      then: [listed([{ id: '{second}' }])],
    },
  ],
  { definition: billing },
)
