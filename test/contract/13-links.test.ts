// Lists of records that one is linked with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billing } from '../support/domain/billing.ts'
import { given, invalid, invoice, pen, refused } from '../support/domain/invoices.ts'
import { clauses, type Step } from '../support/rows/clauses.ts'
import { type Caller, withService } from '../support/server/service.ts'

clauses(
  '13.1 Links in inputs',
  [
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
      clause: '13.1.12',
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
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{made}',
          answer: { status: 200, headers: { etag: /^"5\.[^.]+"$/ } },
        },
        {
          as: 'viewer',
          send: 'PATCH /api/v2/invoices/{made}',
          body: { label_ids: [] },
          answer: { status: 200, headers: { etag: /^"6\.[^.]+"$/ } },
        },
        linked([]),
      ],
    },
    {
      clause: '13.1.11',
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
      it: 'what is linked is read by its ids, in the order of the list, in all answers',
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
      answer: { status: 200, data: { label_ids: ['{blue}', '{red}'] } },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{made}',
          answer: { status: 200, data: { id: '{made}', label_ids: ['{blue}', '{red}'] } },
        },
        {
          as: 'viewer',
          send: 'GET /api/v2/invoices/{made}?fields=label_ids',
          answer: { status: 200, body: { data: { label_ids: ['{blue}', '{red}'] } } },
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
          answer: { status: 200, data: [{ label_ids: ['{blue}', '{red}'] }] },
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
  ],
  { definition: billing },
)

/** These labels are those of the invoice that was made, as its owner sees them. */
function linked(labels: readonly string[]): Step {
  return {
    as: 'viewer',
    also: '{ invoice(id: "{made}") { labels(limit: 9, sort: CREATED_AT_ASC) { id name } } }',
    answer: { status: 200, data: { labels: labels.map((id) => ({ id })) } },
  }
}

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

    test('13.1.7, 13.1.14 hidden ones are not among them, and the tag reports what is read', async () => {
      const invoice = await made('viewer', 'invoices', { title: 'A' })
      const shown = await made('admin', 'labels', { name: 'shown', invoice_ids: [invoice] })
      const before = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      const hidden = await made('admin', 'labels', { name: 'hidden', is_hidden: true, invoice_ids: [invoice] })
      const after = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      assert.deepEqual(before.body.data.label_ids, [shown])
      assert.deepEqual(after.body, before.body)
      assert.equal(after.headers['etag'], before.headers['etag'], 'what is hidden leaves no trace')
      const own = await request('admin', `GET /api/v2/invoices/${invoice}`)
      assert.deepEqual(own.body.data.label_ids, [hidden, shown])
      assert.notEqual(own.headers['etag'], after.headers['etag'])
      const third = await made('admin', 'labels', { name: 'third', invoice_ids: [invoice] })
      const fresh = await service().send(`GET /api/v2/invoices/${invoice}`, {
        as: 'viewer',
        fixtures: service().fixtures({}),
        headers: { 'If-None-Match': String(before.headers['etag']) },
      })
      assert.deepEqual([fresh.status, fresh.body.data.label_ids], [200, [third, shown]])
      service().assertLog()
    })

    test('13.1.7, 13.1.13 their order is that of the list on both faces, whatever was sent', async () => {
      const { body } = await request('viewer', 'POST /api/v2/labels/batch', {
        labels: ['a', 'b', 'c', 'd'].map((name) => ({ name })),
      })
      const ids = body.data.map(({ id }: { id: string }) => id) as readonly [string, string, string, string]
      const [a, b, c, d] = ids
      for (const sent of [ids, ids.toReversed(), [c, a, d, b]]) {
        const invoice = await made('viewer', 'invoices', { title: 'A', label_ids: sent })
        const { data } = (await request('viewer', `GET /api/v2/invoices/${invoice}`)).body
        const list = (await request('viewer', `GET /api/v2/invoices/${invoice}/labels`)).body.data
        const graph = await service().graphql(`{ invoice(id: "${invoice}") { labels { id } } }`, { as: 'viewer' })
        const orders = [list, graph.body.data.invoice.labels].map((records) =>
          records.map(({ id }: { id: string }) => id),
        )
        assert.deepEqual([...ids].sort().reverse(), data.label_ids)
        assert.deepEqual(orders, [data.label_ids, data.label_ids])
        const changed = await request('viewer', `PATCH /api/v2/invoices/${invoice}`, { label_ids: [b, d, a] })
        assert.deepEqual(changed.body.data.label_ids, [a, b, d].sort().reverse())
      }
    })

    test('13.1.7 a hundred are answered, and of more none', async () => {
      const invoice = await made('viewer', 'invoices', { title: 'A' })
      const ids: string[] = []
      for (let label = 0; label < 100; label++)
        ids.push(await made('admin', 'labels', { name: `${label}`, invoice_ids: [invoice] }))
      const full = await request('viewer', `GET /api/v2/invoices/${invoice}`)
      assert.deepEqual(full.body.data.label_ids, ids.toReversed())
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
