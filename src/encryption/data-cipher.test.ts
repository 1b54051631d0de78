// What is encrypted with one key, and moved, cut, or read with another one.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createDataCipher } from './data-cipher.ts'
import { readDataKeys } from './data-key.ts'

const [one, other] = [randomBytes(32), randomBytes(32)]

test('what is encrypted is decrypted, differs each time, and reveals nothing', () => {
  const cipher = createDataCipher([one])
  const stored = cipher.encrypt('geheim 😀', 'a')
  assert.equal(cipher.decrypt(stored, 'a'), 'geheim 😀')
  assert.notEqual(stored, cipher.encrypt('geheim 😀', 'a'))
  assert.match(stored, /^[0-9a-f]{8}\.[\w-]+$/)
  assert.equal(cipher.decrypt(cipher.encrypt('', 'a'), 'a'), '')
})

test('in another place, or changed, it cannot be decrypted', () => {
  const cipher = createDataCipher([one])
  const stored = cipher.encrypt('geheim', 'a')
  assert.throws(() => cipher.decrypt(stored, 'b'))
  for (let at = 9; at < stored.length; at++) {
    const changed = stored.slice(0, at) + (stored[at] === 'A' ? 'B' : 'A') + stored.slice(at + 1)
    if (Buffer.from(changed.slice(9), 'base64url').equals(Buffer.from(stored.slice(9), 'base64url'))) continue
    assert.throws(() => cipher.decrypt(changed, 'a'), changed)
  }
  for (const cut of [stored.slice(0, -4), stored.slice(0, 9), stored.slice(0, 20)])
    assert.throws(() => cipher.decrypt(cut, 'a'))
})

test('the first key encrypts, and each decrypts what it encrypted', () => {
  const before = createDataCipher([one]).encrypt('geheim', 'a')
  const rotated = createDataCipher([other, one])
  assert.equal(rotated.decrypt(before, 'a'), 'geheim')
  const after = rotated.encrypt('geheim', 'a')
  assert.equal(createDataCipher([other]).decrypt(after, 'a'), 'geheim')
  const id = before.slice(0, 8)
  assert.throws(() => createDataCipher([other]).decrypt(before, 'a'), {
    message: `DATA_KEY lacks the key ${id}, with which a was encrypted: set it behind the first.`,
  })
})

test('a value that is not encrypted is reported by its place, and by no word of it', () => {
  for (const clear of ['hunter2', 'hunter2.more', '', 'ABCDEF01.x'])
    assert.throws(() => createDataCipher([one]).decrypt(clear, 'key of hook_1'), {
      message: 'The key of hook_1 is not encrypted.',
    })
})

test('keys are 32 bytes, in base64 or hex, between commas', () => {
  const texts = [one.toString('base64'), one.toString('base64url'), one.toString('hex')]
  for (const text of texts) assert.deepEqual(readDataKeys(text), [one])
  assert.deepEqual(readDataKeys(` ${texts[0]} , ${other.toString('base64')}`), [one, other])
  const wrong = [
    '',
    ',',
    'x',
    one.toString('base64').slice(4),
    `${texts[0]},`,
    randomBytes(33).toString('base64'),
    `${texts[2]}00`,
  ]
  for (const text of wrong) assert.equal(readDataKeys(text), null, text)
})
