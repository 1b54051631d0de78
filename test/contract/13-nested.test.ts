// Children that are made with their parent, and lists of records that one is linked with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../support/client/subscriber.ts'
import { billing } from '../support/domain/billing.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { type Caller, withService } from '../support/server/service.ts'

const given = {
  pen: { Product: { sku: 'pen {word}' } },
  ink: { Product: { sku: 'ink {word}' } },
  old: { Product: { sku: 'old {word}', isSold: false } },
  secret: { Product: { sku: 'secret {word}', isSecret: true } },
  red: { Label: { name: 'red', owner: '{viewer}' } },
  blue: { Label: { name: 'blue', owner: '{viewer}' } },
  hidden: { Label: { name: 'hidden', isHidden: true, owner: '{other viewer}' } },
}
const camelCase = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(camelCase)
    : typeof value !== 'object' || value === null
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([name, each]) => [
            name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
            camelCase(each),
          ]),
        )
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
    variables: { input: camelCase(body) },
  },
  answer,
  ...more,
})
const restOnly = { also: undefined } as unknown as Partial<Row>
const pen = { product_id: '{pen}', quantity: 2 }
const ink = { product_id: '{ink}', quantity: 3 }
const invalid = (...fields: string[]): Step['answer'] => ({ status: 400, code: 'VALIDATION_ERROR', fields })
const refused = (...fields: string[]): Step['answer'] => ({ status: 422, code: 'BUSINESS_RULE_VIOLATION', fields })
const invoice = { Invoice: { title: 'I', owner: '{viewer}', number: 1, openedAt: null } }

const line = (position: number, product: string) => ({
  invoice: '{made}',
  position,
  product: `{${product}}`,
  quantity: position,
})
/** An invoice with three lines, whose owner replaces them. */
const lines = {
  ...given,
  'old pen': { Product: { sku: 'old pen {word}' } },
  made: invoice,
  first: { Line: line(1, 'pen') },
  second: { Line: line(2, 'ink') },
  third: { Line: line(3, 'old') },
}
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
    variables: { lines: camelCase(elements) },
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
  '13.1 Lists in inputs',
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
      'what is wrong is told by its place, all at once',
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
      clause: '13.1.2',
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
    {
      clause: '13.1.6',
      it: 'a new record is linked with those that are listed',
      as: 'viewer',
      given,
      send: 'POST /api/v2/invoices',
      body: { title: 'A', label_ids: ['{red}', '{blue}'], lines: [{ ...pen, label_ids: ['{red}'] }] },
      answer: { status: 201 },
      keep: { made: 'body.data.id' },
      then: [
        {
          as: 'viewer',
          also: '{ invoice(id: "{made}") { lines(limit: 9) { labels(limit: 9) { name } } } }',
          answer: { status: 200, data: { lines: [{ labels: [{ name: 'red' }] }] } },
        },
        linked(['{red}', '{blue}']),
      ],
    },
    {
      clause: '13.1.6',
      it: 'a list replaces the links, and raises the version where it changes any',
      as: 'viewer',
      given: { ...given, made: invoice },
      first: [{ as: 'viewer', send: 'PATCH /api/v2/invoices/{made}', body: { label_ids: ['{red}'] } }],
      send: 'PATCH /api/v2/invoices/{made}',
      body: { label_ids: ['{blue}'] },
      answer: { status: 200, headers: { etag: /^"3\.[^.]+"$/ } },
      then: [
        linked(['{blue}']),
        {
          as: 'viewer',
          send: 'PATCH /api/v2/invoices/{made}',
          body: { label_ids: ['{blue}'] },
          answer: { status: 200, headers: { etag: /^"3\.[^.]+"$/ } },
        },
        {
          as: 'viewer',
          send: 'PUT /api/v2/invoices/{made}',
          body: { title: 'B' },
          answer: { status: 200, headers: { etag: /^"4\.[^.]+"$/ } },
        },
        linked(['{blue}']),
        {
          as: 'viewer',
          also: 'mutation { updateInvoice(id: "{made}", input: { labelIds: ["{red}", "{blue}"] }) { id } }',
          answer: { status: 200 },
        },
        linked(['{red}', '{blue}']),
        { as: 'viewer', send: 'PATCH /api/v2/invoices/{made}', body: { label_ids: [] }, answer: { status: 200 } },
        linked([]),
      ],
    },
    {
      clause: '13.1.6',
      it: 'what the writer may not read stays, and cannot be named',
      as: 'viewer',
      given: { ...given, made: invoice },
      first: [
        { as: 'viewer', send: 'PATCH /api/v2/invoices/{made}', body: { label_ids: ['{red}'] } },
        {
          as: 'other viewer',
          send: 'POST /api/v2/labels',
          body: { name: 'x', invoice_ids: [] },
        },
      ],
      send: 'PATCH /api/v2/invoices/{made}',
      body: { label_ids: ['{red}', '{hidden}', 'lab_x'] },
      also: 'mutation { updateInvoice(id: "{made}", input: { labelIds: ["{red}", "{hidden}", "lab_x"] }) { id } }',
      answer: refused('label_ids[1]', 'label_ids[2]'),
      then: [linked(['{red}'])],
    },
    {
      clause: '13.1.7',
      it: 'what is linked is read by its ids, in their order, in all answers',
      as: 'viewer',
      given: { ...given, made: invoice },
      first: [
        {
          as: 'other viewer',
          send: 'POST /api/v2/labels',
          body: { name: 'x' },
          answer: { status: 201, data: { invoice_ids: [] } },
        },
      ],
      send: 'PATCH /api/v2/invoices/{made}',
      body: { label_ids: ['{blue}', '{red}'] },
      answer: { status: 200, data: { label_ids: ['{red}', '{blue}'] } },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{made}',
          answer: { status: 200, data: { id: '{made}', label_ids: ['{red}', '{blue}'] } },
        },
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{made}?fields=label_ids',
          answer: { status: 200, body: { data: { label_ids: ['{red}', '{blue}'] } } },
        },
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{made}?fields=title',
          answer: { status: 200, body: { data: { title: 'I' } } },
        },
        {
          as: 'viewer',
          send: 'GET /api/v2/labels/{red}',
          answer: { status: 200, data: { invoice_ids: ['{made}'] } },
        },
        {
          as: 'other viewer',
          send: 'GET /api/v2/labels/{red}',
          answer: { status: 200, data: { invoice_ids: [] } },
        },
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices?per_page=1&fields=label_ids',
          answer: { status: 200, data: [{ label_ids: ['{red}', '{blue}'] }] },
        },
      ],
    },
    {
      clause: '13.1.6',
      it: 'a list of ids, each once, as many as a batch',
      as: 'viewer',
      given: { ...given, made: invoice },
      send: 'PATCH /api/v2/invoices/{made}',
      body: { label_ids: ['{red}', '{red}', 7] },
      answer: invalid('label_ids[1]', 'label_ids[2]'),
      then: [
        {
          as: 'viewer',
          send: 'PATCH /api/v2/invoices/{made}',
          body: { label_ids: Array.from({ length: 101 }, (_, index) => `lab_${index}`) },
          answer: invalid('label_ids'),
        },
        {
          as: 'viewer',
          send: 'PATCH /api/v2/invoices/{made}',
          body: { label_ids: null },
          answer: invalid('label_ids'),
        },
      ],
    },
    replaces(
      'children that are named stay or change, new ones are made, and those that are left out are deleted',
      [{ id: '{first}', quantity: 5 }, { id: '{second}' }, { product_id: '{old pen}', quantity: 3 }],
      { status: 200, data: { id: '{made}', title: 'I' } },
      {
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
      clause: '13.1.8',
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
      'what is wrong is told by its place, all at once',
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
      { given: { ...lines, ...foreign }, then: [listed([{ id: '{first}' }, { id: '{second}' }, { id: '{third}' }])] },
    ),
    replaces('nor below a child that is hidden', [{ id: '{hidden}', discounts: [] }], refused('lines[0].id'), {
      given: { ...lines, ...foreign, ten: { Discount: { line: '{hidden}', percent: 10 } } },
    }),
    replaces(
      'nor children of another child',
      [{ id: '{first}', discounts: [] }, { id: '{second}', discounts: [{ id: '{ten}' }] }, { id: '{third}' }],
      refused('lines[1].discounts[0].id'),
      { given: { ...lines, ten: { Discount: { line: '{first}', percent: 10 } } } },
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
      clause: '13.1.9',
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
  ],
  { definition: billing },
)

function notes(count: number, words: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    text: `${index}`,
    words: Array.from({ length: words }, (_, word) => ({ text: `${word}` })),
  }))
}

/** These labels are those of the invoice that was made, as its owner sees them. */
function linked(labels: readonly string[]): Step {
  return {
    as: 'viewer',
    also: '{ invoice(id: "{made}") { labels(limit: 9, sort: CREATED_AT_ASC) { id name } } }',
    answer: { status: 200, data: { labels: labels.map((id) => ({ id })) } },
  }
}

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

withService(
  '13.1 Children that are replaced',
  (service) => {
    const request = (send: string, body?: object, as: Caller = 'viewer') =>
      service().send(send, { as, fixtures: service().fixtures({}), ...(body === undefined ? {} : { body }) })
    const noteOf = async (words: number): Promise<string> => {
      const { status, body, text } = await request('POST /api/v2/notes', notes(1, words)[0]!)
      assert.equal(status, 201, text)
      return body.data.id as string
    }
    const wordsOf = async (note: string) => {
      const query = `{ note(id: "${note}") { wordsCount words(limit: 100) { id text } } }`
      const { body, text } = await request('POST /graphql', { query })
      assert(body.data?.note, text)
      return body.data.note as { wordsCount: number; words: { id: string; text: string }[] }
    }
    const replace = async (note: string, words: readonly object[]) => {
      const { status, text } = await request(`PATCH /api/v2/notes/${note}`, { words })
      assert.equal(status, 200, text)
    }

    test('13.1.5 a hundred that are replaced take few statements more than two', async () => {
      const statementsOf = async (count: number): Promise<number> => {
        const note = await noteOf(count)
        const { words } = await wordsOf(note)
        const half = words.slice(0, count / 2)
        const before = service().store.counts.statements
        await replace(note, [...half.map(({ id }) => ({ id, text: `${id}!` })), ...half.map(({ text }) => ({ text }))])
        return service().store.counts.statements - before
      }
      await statementsOf(2)
      const [two, many] = [await statementsOf(2), await statementsOf(100)]
      assert(many - two <= 12, `${many} statements for 100 children, ${two} for two`)
    })

    test('13.2.2 kept numbers follow', async () => {
      const note = await noteOf(5)
      const { words } = await wordsOf(note)
      await replace(note, [{ id: words[1]!.id }, { text: 'new' }])
      const after = await wordsOf(note)
      assert.deepEqual(
        [after.wordsCount, after.words.map(({ text }) => text).sort()],
        [2, [words[1]!.text, 'new'].sort()],
      )
    })

    test('13.1.9 what is left out counts among the records that a request writes', async () => {
      const note = await noteOf(100)
      const { status } = await request('POST /api/v2/words/batch', {
        words: Array.from({ length: 100 }, (_, index) => ({ note_id: note, text: `${index}` })),
      })
      assert.equal(status, 201)
      for (let batch = 0; batch < 8; batch++)
        await request('POST /api/v2/words/batch', {
          words: Array.from({ length: 100 }, (_, index) => ({ note_id: note, text: `${index}` })),
        })
      const { status: refused, body } = await request(`PATCH /api/v2/notes/${note}`, { words: [] })
      assert.deepEqual([refused, body.error.code, body.error.details[0].field], [400, 'VALIDATION_ERROR', 'words'])
      const { words } = await wordsOf(note)
      await replace(note, [{ id: words[0]!.id }, { id: words[1]!.id }])
      assert.equal((await wordsOf(note)).wordsCount, 2)
    })

    test('13.1.9 each tells of itself: what is made, changed and deleted', async () => {
      const fixtures = service().fixtures(lines)
      for (const name of Object.keys(lines)) await fixtures.idOf(name)
      const socket = await signIn(service(), 'viewer')
      const names = ['lineAdded', 'lineChanged', 'lineRemoved']
      for (const name of names) socket.subscribe(name, `subscription { ${name} { id quantity } }`)
      await socket.settled()
      const { status, text } = await service().send('PATCH /api/v2/invoices/{made}', {
        as: 'viewer',
        fixtures,
        body: { lines: [{ id: '{first}', quantity: 8 }, { id: '{second}' }, { product_id: '{old pen}', quantity: 4 }] },
      })
      assert.equal(status, 200, text)
      const frames = [await socket.next(), await socket.next(), await socket.next()]
      const quantities = frames.map(({ id, payload }) => {
        const { data } = payload as { data: Record<string, { quantity: number }> }
        return [id, data[id as string]!.quantity]
      })
      assert.deepEqual(quantities.sort(), [
        ['lineAdded', 4],
        ['lineChanged', 8],
        ['lineRemoved', 3],
      ])
      await socket.close()
      service().assertLog()
    })

    test('13.1.9 all or none: a failure leaves nothing', async () => {
      const fixtures = service().fixtures(lines)
      for (const name of Object.keys(lines)) await fixtures.idOf(name)
      const rows = () => service().tables('invoices', 'lines')
      const before = await rows()
      const { status } = await service().send('PATCH /api/v2/invoices/{made}', {
        as: 'viewer',
        fixtures,
        body: {
          title: 'B',
          lines: [
            { id: '{first}', quantity: 4 },
            { product_id: '{old pen}', quantity: 99 },
          ],
        },
      })
      assert.equal(status, 422)
      assert.deepEqual(await rows(), before)
    })

    test('13.1.8 of many that replace at once, beside changes of single children, one is what remains', async () => {
      const note = await noteOf(3)
      const { words } = await wordsOf(note)
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, turn) =>
          turn % 3 === 0
            ? request(`PATCH /api/v2/words/${words[turn % 2]!.id}`, { text: `changed ${turn}` })
            : turn % 3 === 1
              ? request('POST /api/v2/words', { note_id: note, text: `added ${turn}` })
              : request(`PATCH /api/v2/notes/${note}`, { words: [{ id: words[0]!.id }, { text: `replaced ${turn}` }] }),
        ),
      )
      for (const { status, text } of answers) assert([200, 201, 404].includes(status), text)
      const after = await wordsOf(note)
      assert.equal(after.wordsCount, after.words.length)
      assert.equal(after.words.filter(({ id }) => id === words[0]!.id).length, 1)
      assert(after.words.every(({ id }) => id !== words[2]!.id))
      service().assertLog()
    })
  },
  { definition: billing },
)

withService(
  '13.1.7 Links that are read by their ids',
  (service) => {
    const request = (as: Caller, send: string, body?: object) =>
      service().send(send, { as, fixtures: service().fixtures({}), ...(body === undefined ? {} : { body }) })
    const made = async (as: Caller, path: string, body: object): Promise<string> => {
      const { status, body: answer, text } = await request(as, `POST /api/v2/${path}`, body)
      assert.equal(status, 201, text)
      return answer.data.id as string
    }

    test('13.1.7 hidden ones are not among them, and the tag tells what is read', async () => {
      const invoice = await made('viewer', 'invoices', { title: 'A' })
      const shown = await made('admin', 'labels', { name: 'shown', invoice_ids: [invoice] })
      const before = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      const hidden = await made('admin', 'labels', { name: 'hidden', is_hidden: true, invoice_ids: [invoice] })
      const after = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      assert.deepEqual(before.body.data.label_ids, [shown])
      assert.deepEqual(after.body, before.body)
      assert.equal(after.headers['etag'], before.headers['etag'], 'what is hidden leaves no trace')
      const own = await request('admin', `GET /api/v2/invoices/${invoice}`)
      assert.deepEqual(own.body.data.label_ids, [shown, hidden].sort())
      assert.notEqual(own.headers['etag'], after.headers['etag'])
      const third = await made('admin', 'labels', { name: 'third', invoice_ids: [invoice] })
      const fresh = await service().send(`GET /api/v2/invoices/${invoice}`, {
        as: 'viewer',
        fixtures: service().fixtures({}),
        headers: { 'If-None-Match': String(before.headers['etag']) },
      })
      assert.deepEqual([fresh.status, fresh.body.data.label_ids], [200, [shown, third].sort()])
      service().assertLog()
    })

    test('13.1.7 a hundred are told, and of more nothing', async () => {
      const invoice = await made('viewer', 'invoices', { title: 'A' })
      const ids: string[] = []
      for (let label = 0; label < 100; label++)
        ids.push(await made('admin', 'labels', { name: `${label}`, invoice_ids: [invoice] }))
      const full = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      assert.deepEqual(full.body.data.label_ids, ids.sort())
      await made('admin', 'labels', { name: 'one more', invoice_ids: [invoice] })
      const beyond = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      assert.equal('label_ids' in beyond.body.data, false)
      const page = await request('viewer', 'GET /api/v2/invoices?fields=id,label_ids')
      assert(page.body.data.some((each: object) => 'label_ids' in each))
      assert(page.body.data.every((each: { id: string }) => each.id !== invoice || !('label_ids' in each)))
      service().assertLog()
    })
  },
  { definition: billing },
)
