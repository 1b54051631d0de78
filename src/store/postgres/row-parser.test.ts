// How rows are read off a connection: whatever is in them, and however their bytes come.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withLevels } from '../../../test/support/domain/postgres-levels.ts'
import { RowParser, RowsClient, type RowTexts } from './row-parser.ts'

const message = (code: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(code, 'latin1')
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
const rowMessage = (fields: RowTexts): Buffer => {
  const count = Buffer.alloc(2)
  count.writeUInt16BE(fields.length)
  const values = fields.map((field) => {
    const text = Buffer.from(field ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(field === null ? -1 : text.length)
    return Buffer.concat([length, text])
  })
  return message('D', Buffer.concat([count, ...values]))
}

type Heard = RowTexts | Buffer
/** Other messages that stand side by side are one text: nobody is promised how they are divided. */
function joined(heard: readonly Heard[]): (RowTexts | string)[] {
  const all: (RowTexts | string)[] = []
  for (const each of heard) {
    const last = all.at(-1)
    if (!Buffer.isBuffer(each)) all.push(each)
    else if (typeof last === 'string') all[all.length - 1] = last + each.toString('latin1')
    else all.push(each.toString('latin1'))
  }
  return all
}

/** What is heard when bytes come in pieces of these lengths, the last of them as long as it takes. */
function heard(bytes: Buffer, lengths: readonly number[]): readonly Heard[] {
  const all: Heard[] = []
  const note = (each: Heard) => void all.push(each)
  const messages = new RowParser({ row: note, others: note })
  let at = 0
  for (const length of [...lengths, bytes.length]) {
    if (at < bytes.length) messages.take(bytes.subarray(at, at + length))
    at += length
  }
  return all
}

const short = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }))
// Lengths of which a byte looks like one outside of ASCII.
const long = fc.tuple(short, fc.integer({ min: 100, max: 300 })).map(([text, times]) => text.repeat(times))
const row = fc.array(fc.option(fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: long })), {
  maxLength: 6,
})
const other = fc
  .tuple(fc.constantFrom('T', '2', 'C', 'Z', 'E', 'N', 'A'), fc.uint8Array({ maxLength: 300 }))
  .map(([code, body]) => message(code, Buffer.from(body)))

test('rows come as they were sent, in their order among other messages, however the bytes are divided', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: row }, { weight: 1, arbitrary: other }), { maxLength: 12 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 2_000 })), { maxLength: 40 }),
      (sent, lengths) => {
        const bytes = Buffer.concat(sent.map((each) => (Buffer.isBuffer(each) ? each : rowMessage(each))))
        assert.deepEqual(joined(heard(bytes, lengths)), joined(sent))
      },
    ),
    { numRuns: 1_000 },
  )
})

withLevels('postgres, rows of any text', (given) => {
  const texts = [
    '',
    'plain',
    `"it's" \\ {a,b}`,
    'ä',
    '日本語 🙂',
    '\u0001\u007f\u0080ÿ',
    'x'.repeat(70_000),
    'é'.repeat(70_000),
  ]

  test('each value is what the server has, whatever stands beside it', async () => {
    const client = new RowsClient({ connectionString: given.url })
    await client.connect()
    try {
      const { rows } = await client.query({
        text: 'select text, null, place from unnest($1::text[]) with ordinality as all_of(text, place)',
        values: [texts],
        rowMode: 'array',
      })
      assert.deepEqual(
        rows,
        texts.map((text, at) => [text, null, String(at + 1)]),
      )
      const { rows: singly } = await client.query('select $1 as text, $2::integer as number', ['ß', 300])
      assert.deepEqual(singly, [{ text: 'ß', number: 300 }])
      await assert.rejects(client.query(`select 10 / (3 - place) from generate_series(1, 9) place`), { code: '22012' })
      const { rowCount } = await client.query('select 1 where false')
      assert.equal(rowCount, 0)
    } finally {
      await client.end()
    }
  })
})
