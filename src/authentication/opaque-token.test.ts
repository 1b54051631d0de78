// Secrets of 256 bits, of which only the hash is kept.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createOpaqueToken, hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'

const prefixes = ['rt_', 'prt_', 'duet_'] as const

describe('an opaque token', () => {
  for (const prefix of prefixes) {
    it(`${prefix} has 256 bits behind its prefix, and no other form`, () => {
      const { text } = createOpaqueToken(prefix)
      assert.equal(Buffer.from(text.slice(prefix.length), 'base64url').length, 32)
      assert.deepEqual(
        prefixes.filter((other) => isOpaqueToken(other, text)),
        [prefix],
      )
    })
  }

  it('is found again by the hash of its text, which does not contain it', () => {
    const { text, hash } = createOpaqueToken('rt_')
    assert.equal(hash, hashOpaqueToken(text))
    assert.equal(hash, createHash('sha256').update(text).digest('base64url'))
    assert.ok(!hash.includes(text.slice(3, 10)))
  })

  it('is never made twice', () => {
    const texts = Array.from({ length: 10_000 }, () => createOpaqueToken('rt_').text)
    assert.equal(new Set(texts).size, 10_000)
  })

  it('has random bits at every place', () => {
    const counts = new Array<number>(256).fill(0)
    for (let round = 0; round < 2000; round += 1) {
      const bytes = Buffer.from(createOpaqueToken('rt_').text.slice(3), 'base64url')
      for (const bit of counts.keys()) counts[bit] = (counts[bit] ?? 0) + (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1)
    }
    // Seven standard deviations from the middle: one run in a billion fails by chance.
    for (const count of counts) assert.ok(Math.abs(count - 1000) < 157, `a bit was set ${count} times of 2000`)
  })

  it('is refused when a character is missing, added, or not one of its alphabet', () => {
    const { text } = createOpaqueToken('rt_')
    const body = text.slice(3)
    const wrong = [
      '',
      'rt_',
      body,
      `RT_${body}`,
      `rt-${body}`,
      text.slice(0, -1),
      `${text}A`,
      `${text} `,
      `${text}\n`,
      ` ${text}`,
      `${text}=`,
    ]
    for (const other of wrong) assert.equal(isOpaqueToken('rt_', other), false, JSON.stringify(other))
    for (const character of ['=', '+', '/', '.', '\n', '\0', 'é']) {
      assert.equal(isOpaqueToken('rt_', text.slice(0, 10) + character + text.slice(11)), false)
    }
  })

  it('has one text: only what encoding 32 bytes gives has its form', () => {
    const body = fc.string({ minLength: 42, maxLength: 44, unit: fc.constantFrom(...'ABCwxyz0189_-+=') })
    fc.assert(
      fc.property(body, (text) => {
        const bytes = Buffer.from(text, 'base64url')
        const isCanonical = bytes.length === 32 && bytes.toString('base64url') === text
        assert.equal(isOpaqueToken('rt_', `rt_${text}`), isCanonical)
      }),
      { numRuns: 2000 },
    )
  })
})
