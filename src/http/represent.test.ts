import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Reply, WholeReply } from './message/exchange.ts'
import { represent } from './represent.ts'

const limits = { compressFromBytes: 1_000 }
const large: WholeReply = { status: 200, headers: { ETag: '"3.1"', Vary: 'Authorization' }, body: 'é'.repeat(1_000) }

const represented = (reply: Reply, accepted?: string, more: object = {}, method = 'GET') =>
  represent(
    reply,
    { method, headers: { ...(accepted === undefined ? {} : { 'accept-encoding': accepted }), ...more } },
    limits,
  )

describe('large answers', () => {
  test('are sent as gzip if the client prefers gzip', async () => {
    const { headers, body } = await represented(large, 'gzip')
    assert.deepEqual(headers, {
      ETag: '"3.1+gzip"',
      Vary: 'Authorization, Accept-Encoding',
      'Content-Encoding': 'gzip',
    })
    assert.equal(gunzipSync(body as Uint8Array).toString(), large.body)
  })

  test('are sent as br if the client accepts both', async () => {
    const { headers, body } = await represented({ ...large, body: Buffer.from(large.body as string) }, 'gzip, br')
    assert.equal(headers['Content-Encoding'], 'br')
    assert.equal(brotliDecompressSync(body as Uint8Array).toString(), large.body)
  })

  test('are sent as they are to others, and still vary', async () => {
    for (const header of [undefined, 'identity', 'gzip;q=0']) {
      const { headers, body } = await represented(large, header)
      assert.deepEqual(headers, { ETag: '"3.1"', Vary: 'Authorization, Accept-Encoding' })
      assert.equal(body, large.body)
    }
  })

  test('are left alone when they are encoded already', () => {
    const encoded = { ...large, headers: { 'Content-Encoding': 'gzip' } }
    assert.equal(represented(encoded, 'br'), encoded)
  })
})

test('small answers and answers without a body are left alone, just over the limit is not', async () => {
  for (const body of [null, '', 'a'.repeat(999)]) {
    const reply: WholeReply = { ...large, body }
    assert.equal(represented(reply, 'gzip'), reply)
  }
  assert.equal((await represented({ ...large, body: 'a'.repeat(1_000) }, 'gzip')).headers['Content-Encoding'], 'gzip')
})

test('what is made while it is sent is left alone', () => {
  const reply = { ...large, body: (async function* () {})() }
  assert.equal(represented(reply, 'gzip'), reply)
})

test('4.11.8 304 is for the representation that the client would get, and no other', async () => {
  for (const [ifNoneMatch, accepted, status, method] of [
    ['"3.1"', 'identity', 304],
    ['"3.1"', 'identity', 304, 'HEAD'],
    ['"3.1+gzip"', 'gzip', 304],
    ['W/"3.1+gzip"', 'gzip', 304],
    ['*', 'gzip', 304],
    ['"3.1"', 'gzip', 200],
    ['"3.1+gzip"', 'identity', 200],
    ['"3.1+gzip"', 'br', 200],
    ['"3.1"', 'identity', 200, 'PUT'],
  ] as const) {
    const reply = { ...large, headers: { ...large.headers, 'Content-Type': 'text/plain' } }
    const answer = await represented(reply, accepted, { 'if-none-match': ifNoneMatch }, method)
    assert.equal(answer.status, status, `${ifNoneMatch} ${accepted} ${method}`)
    if (status === 200) continue
    const tag = accepted === 'gzip' ? '"3.1+gzip"' : '"3.1"'
    assert.deepEqual(answer.headers, { ETag: tag, Vary: 'Authorization, Accept-Encoding' })
    assert.equal(answer.body, null)
  }
})
