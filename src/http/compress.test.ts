import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { compress } from './compress.ts'
import type { WholeReply } from './message/exchange.ts'

const limits = { compressFromBytes: 1_000 }
const large: WholeReply = { status: 200, headers: { ETag: '"3.1"', Vary: 'Authorization' }, body: 'é'.repeat(1_000) }

describe('large answers', () => {
  test('are sent as gzip to who asks for gzip', async () => {
    const { headers, body } = await compress(large, 'gzip', limits)
    assert.deepEqual(headers, { ETag: '"3.1"', Vary: 'Authorization, Accept-Encoding', 'Content-Encoding': 'gzip' })
    assert.equal(gunzipSync(body as Uint8Array).toString(), large.body)
  })

  test('are sent as br to who asks for either', async () => {
    const { headers, body } = await compress({ ...large, body: Buffer.from(large.body as string) }, 'gzip, br', limits)
    assert.equal(headers['Content-Encoding'], 'br')
    assert.equal(brotliDecompressSync(body as Uint8Array).toString(), large.body)
  })

  test('are sent as they are to others, and still vary', async () => {
    for (const header of [undefined, 'identity', 'gzip;q=0']) {
      const { headers, body } = await compress(large, header, limits)
      assert.deepEqual(headers, { ETag: '"3.1"', Vary: 'Authorization, Accept-Encoding' })
      assert.equal(body, large.body)
    }
  })

  test('are left alone when they are encoded already', () => {
    const encoded = { ...large, headers: { 'Content-Encoding': 'gzip' } }
    assert.equal(compress(encoded, 'br', limits), encoded)
  })
})

test('small answers and answers without a body are left alone, just over the limit is not', async () => {
  for (const body of [null, '', 'a'.repeat(999)]) {
    const reply: WholeReply = { ...large, body }
    assert.equal(compress(reply, 'gzip', limits), reply)
  }
  assert.equal(
    (await compress({ ...large, body: 'a'.repeat(1_000) }, 'gzip', limits)).headers['Content-Encoding'],
    'gzip',
  )
})

test('what is made while it is sent is left alone', () => {
  const reply = { ...large, body: (async function* () {})() }
  assert.equal(compress(reply, 'gzip', limits), reply)
})
