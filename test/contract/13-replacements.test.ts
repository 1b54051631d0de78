// Lists of children that replace those a record has: what it costs, its events, and many at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, signIn } from '../support/client/subscriber.ts'
import { billing } from '../support/domain/billing.ts'
import { lines, notes } from '../support/domain/invoices.ts'
import { type Caller, withService } from '../support/server/service.ts'

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
