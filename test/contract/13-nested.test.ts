// Children that are made with their parent, and lists of records that one is linked with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
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
        { as: 'viewer', send: 'PATCH /api/v2/invoices/{made}', body: { lines: [] }, answer: invalid('lines') },
      ],
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
