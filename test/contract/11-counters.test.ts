// Numbers that are counted: in one order, given once, through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { on } from 'duet-api'
import { Invoice, invoicing, visibilities } from '../support/domain/invoicing.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

let report: (number: number | null) => void = () => undefined

withService(
  '11.3 Counters',
  (service) => {
    const send = (line: string, body?: object) =>
      service().send(line, { as: 'viewer', ...(body === undefined ? {} : { body }) })
    const make = async (body: object = {}) =>
      (await wanted(send('POST /api/v2/invoices', { note: 'N', ...body }), 201)).data
    const issue = async (id: string) => (await wanted(send(`POST /api/v2/invoices/${id}/issue`), 200)).data
    const ask = async (query: string) => {
      const { body } = await service().graphql(query, { as: 'viewer' })
      assert.equal(body.errors, undefined, JSON.stringify(body.errors))
      return body.data
    }

    test('11.3.5 a record is given the next number when it is made', async () => {
      const first = await make()
      const made = await ask('mutation { createInvoice(input: { note: "N" }) { entry number } }')
      assert.deepEqual(made.createInvoice, { entry: first.entry + 1, number: null })
      const batch = await wanted(send('POST /api/v2/invoices/batch', { invoices: Array(100).fill({ note: 'N' }) }), 201)
      const entries = batch.data.map(({ entry }: { entry: number }) => entry)
      assert.deepEqual(
        entries,
        Array.from({ length: 100 }, (_, at) => first.entry + 2 + at),
      )
      const costOf = async (count: number) => {
        const before = service().store.counts.statements
        await wanted(send('POST /api/v2/invoices/batch', { invoices: Array(count).fill({ note: 'N' }) }), 201)
        return service().store.counts.statements - before
      }
      const two = await costOf(2)
      const more = (await costOf(100)) - two
      // Each record, and its event; counted one by one, a hundred would be as many more. Meanwhile others ask for events.
      assert.ok(more < 2 * 98 + 49, `one statement counts a hundred: ${more} are more than for two`)
    })

    test('11.3.6 a move gives it, once, and before there is none', async () => {
      const { id, number } = await make()
      assert.equal(number, null)
      const last = (await issue((await make()).id)).number
      assert.equal((await issue(id)).number, last + 1)
      await wanted(send(`POST /api/v2/invoices/${id}/reopen`), 200)
      assert.equal((await issue(id)).number, last + 1)
      assert.equal((await make({ issue: true })).number, last + 2)
      assert.equal((await issue((await make()).id)).number, last + 3)
    })

    test('11.3.7 nothing that fails takes a number, and what is deleted leaves a hole', async () => {
      const first = await make({ slug: 'taken' })
      await wanted(send('POST /api/v2/invoices', { note: 'refused' }), 422)
      await wanted(send('POST /api/v2/invoices', { note: 'N', slug: 'taken' }), 409)
      const twice = { invoices: [{ note: 'N' }, { note: 'N', slug: 'taken' }] }
      await wanted(send('POST /api/v2/invoices/batch', twice), 409)
      const second = await make()
      assert.equal(second.entry, first.entry + 1)
      await wanted(send(`DELETE /api/v2/invoices/${second.id}`), 204)
      assert.equal((await make()).entry, first.entry + 2)
      const issued = (await issue(first.id)).number
      for (const note of ['not to be issued', 'fails late'])
        await wanted(send(`POST /api/v2/invoices/${(await make({ note })).id}/issue`), 422)
      assert.equal((await issue((await make()).id)).number, issued + 1)
    })

    test('11.3.8 each record has numbers of its own within it', async () => {
      const [one, other] = [await make(), await make()]
      const line = async (invoice: { id: string }) =>
        (await wanted(send('POST /api/v2/lines', { invoice_id: invoice.id, what: 'W' }), 201)).data.position
      assert.deepEqual([await line(one), await line(other), await line(one), await line(one)], [1, 1, 2, 3])
      const both = [one, other, one].map(({ id }) => ({ invoice_id: id, what: 'W' }))
      const { data } = await wanted(send('POST /api/v2/lines/batch', { lines: both }), 201)
      assert.deepEqual(
        data.map(({ position }: { position: number }) => position),
        [4, 2, 5],
      )
      const list = await wanted(send(`GET /api/v2/lines?invoice_id=${one.id}&sort=-position&limit=2`), 200)
      assert.deepEqual(
        list.data.map(({ position }: { position: number }) => position),
        [5, 4],
      )
    })

    test('11.3.9 it is null in check and effect, and there in the answer, in events and reactions', async () => {
      visibilities.length = 0
      const { id } = await make()
      const heard = new Promise<number | null>((resolve) => {
        report = resolve
      })
      const { number } = await issue(id)
      assert.ok(number > 0)
      assert.deepEqual(visibilities, [
        ['check', null],
        ['effect', null],
      ])
      assert.equal(await heard, number)
      visibilities.length = 0
      await wanted(send(`POST /api/v2/invoices/${id}/copy`), 200)
      assert.deepEqual(visibilities, [
        ['copy', null],
        ['check', null],
        ['effect', null],
      ])
      const { data } = await wanted(send('GET /api/v2/invoices?sort=-number&issued=true&limit=1'), 200)
      assert.equal(data[0].number, number + 1)
    })

    test('11.3.8 code can change neither a number nor what it is counted within', async () => {
      const { id } = await make()
      const { data } = await wanted(send('POST /api/v2/lines', { invoice_id: id, what: 'W' }), 201)
      for (const what of ['position', 'invoice']) {
        service().forgetLog()
        const answer = await send(`POST /api/v2/lines/${data.id}/move`, { what })
        assert.equal(answer.status, 500)
        assert.match(service().log().join(), new RegExp(`The service's own code changes Line.${what}, `))
        service().forgetLog()
      }
    })

    test('11.3.5 documents say that it is only read', async () => {
      const { schemas } = (await service().client.send('GET /api/v2/openapi.json')).body.components
      assert.equal(schemas.CreateInvoice.properties.number, undefined)
      assert.deepEqual(schemas.Invoice.properties.number.type, ['integer', 'null'])
      assert.equal(schemas.Invoice.properties.entry.type, 'integer')
      const { __type } = await ask('{ __type(name: "Invoice") { fields { name type { kind name } } } }')
      const typeOf = (name: string) => __type.fields.find((each: { name: string }) => each.name === name).type
      assert.deepEqual([typeOf('number').name, typeOf('entry').kind], ['Int', 'NON_NULL'])
    })
  },
  {
    definition: invoicing,
    reactions: [on(Invoice, 'invoiceIssued', async ({ record }) => report(record!.number))],
  },
)

// biome-ignore lint/suspicious/noExplicitAny: answers have whatever shape they have
async function wanted(answer: Promise<{ status: number; text: string; body: any }>, status: number): Promise<any> {
  const { status: actual, text, body } = await answer
  assert.equal(actual, status, text)
  return body
}

const unwritable: readonly Row[] = [
  {
    clause: '11.3.5',
    it: 'is never sent',
    as: 'viewer',
    send: 'POST /api/v2/invoices',
    body: { note: 'N', number: 7 },
    also: {
      query: 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }',
      variables: { input: { note: 'N', number: 7 } },
    },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'number' },
  },
  {
    clause: '11.3.5',
    it: 'is filtered by whole numbers from 1',
    as: 'viewer',
    send: 'GET /api/v2/invoices?min_number=0',
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'min_number' },
  },
]
clauses('11.3 Counters, of clients', unwritable, { definition: invoicing })
