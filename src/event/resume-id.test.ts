// Event ids: they come back as they were, tell nothing, and nobody else can make one. (contract 6.3.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createResumeIds } from './resume-id.ts'

const secret = Buffer.alloc(32, 7).toString('base64url')
const ids = createResumeIds(secret, 'epoch')
const anyNumber = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const anyPosition = fc.record({ transaction: anyNumber, number: anyNumber }, { noNullPrototype: true })

test('6.3.4 an id stands for its position, on every instance and however often it is sent', () => {
  const elsewhere = createResumeIds(secret, 'epoch')
  fc.assert(
    fc.property(anyPosition, (position) => {
      assert.equal(ids.ofEvent(position), elsewhere.ofEvent({ ...position }))
      assert.notEqual(ids.ofProgress(position), ids.ofProgress(position))
      for (const id of [ids.ofEvent(position), ids.ofProgress(position)]) assert.deepEqual(elsewhere.read(id), position)
    }),
  )
})

test('6.3.4 ids of events that follow each other share nothing but their length', () => {
  const texts = Array.from({ length: 1_000 }, (_, index) => ids.ofEvent({ transaction: 1n, number: BigInt(index) }))
  assert.equal(new Set(texts.map((each) => each.slice(0, 8))).size, 1_000)
  assert.equal(new Set(texts.map((each) => each.length)).size, 1)
})

test('6.3.4 what was altered, made elsewhere or has another form is no id', () => {
  fc.assert(
    fc.property(anyPosition, fc.nat(351), (position, bit) => {
      const bytes = Buffer.from(ids.ofEvent(position), 'base64url')
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      assert.equal(ids.read(bytes.toString('base64url')), null)
    }),
  )
  const id = ids.ofEvent({ transaction: 3n, number: 4n })
  const others = [createResumeIds(secret, 'other epoch'), createResumeIds(`${secret.slice(1)}A`, 'epoch')]
  for (const other of others) assert.equal(other.read(id), null)
  for (const text of ['', 'x', 'epoch.3.4', `${id}A`, id.slice(1), `${id} `, id.replace(/^./, '=')])
    assert.equal(ids.read(text), null)
})
