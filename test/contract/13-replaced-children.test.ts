// Lists of children that replace those a record has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, signIn } from '../support/client/subscriber.ts'
import { billing } from '../support/domain/billing.ts'
import { given, invalid, invoice, notes, refused, restOnly } from '../support/domain/invoices.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { camelled } from '../support/rows/graphql-question.ts'
import { type Caller, withService } from '../support/server/service.ts'

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
  ],
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

    test('13.1.9, 13.1.19 what is left out counts among the records that a request writes', async () => {
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

    test('13.1.9 each child has its own events: created, changed and deleted', async () => {
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

    test('13.1.18 an update that changes nothing by its lists has no event, unless it sends something else', async () => {
      const fixtures = service().fixtures({ ...lines, tenth: { Discount: { line: '{first}', percent: 10 } } })
      for (const name of [...Object.keys(lines), 'tenth']) await fixtures.idOf(name)
      const socket = await signIn(service(), 'viewer')
      socket.subscribe('changes', 'subscription { lineChanged { quantity discounts { percent } } }')
      await socket.settled()
      const unchanged = [{ id: '{tenth}' }]
      for (const body of [
        { discounts: unchanged },
        { discounts: unchanged, quantity: 1 },
        { discounts: [{ id: '{tenth}', percent: 20 }] },
        { discounts: [] },
        { discounts: [] },
        { quantity: 2 },
      ]) {
        const { status, text } = await service().send('PATCH /api/v2/lines/{first}', { as: 'viewer', fixtures, body })
        assert.equal(status, 200, text)
        await service().settled()
      }
      const frames = [await socket.next(), await socket.next(), await socket.next(), await socket.next()]
      assert.deepEqual(
        frames.map((frame) => dataOf(frame)['lineChanged']),
        [
          { quantity: 1, discounts: [{ percent: 10 }] },
          { quantity: 1, discounts: [{ percent: 20 }] },
          { quantity: 1, discounts: [] },
          { quantity: 2, discounts: [] },
        ],
      )
      await socket.close()
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
