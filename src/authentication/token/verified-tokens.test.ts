// The cache of verified tokens stays within its bound. (contract 5.1.4)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateSigningKey } from '../key/signing-key.ts'
import { createVerifiedTokens } from './verified-tokens.ts'

const start = new Date('2026-11-20T09:00:00Z')
const seconds = start.getTime() / 1000
const key = await generateSigningKey('ES256')
const verification = (subject: string) => ({
  token: {
    subject,
    role: 'VIEWER',
    sessionId: null,
    epoch: null,
    issuedAt: start,
    expiresAt: new Date((seconds + 900) * 1000),
  },
  kid: null,
  key,
  notBefore: seconds,
  expiresAt: seconds + 900,
})

const limits = { verifiedTokens: 3, verifiedTokenBytes: 100_000 }

describe('verified tokens', () => {
  it('are evicted at the bound exactly, the one used least recently first', () => {
    const tokens = createVerifiedTokens(limits)
    for (const text of ['a', 'b', 'c']) tokens.remember(text, verification(text))
    assert.equal(tokens.find('a', () => key, start)?.subject, 'a')
    tokens.remember('d', verification('d'))
    assert.equal(tokens.size, 3)
    assert.equal(
      tokens.find('b', () => key, start),
      null,
    )
    assert.equal(tokens.find('a', () => key, start)?.subject, 'a')
  })

  it('are forgotten when they expired and when their key is gone', () => {
    const tokens = createVerifiedTokens(limits)
    tokens.remember('a', verification('a'))
    assert.throws(() => tokens.find('a', () => key, new Date((seconds + 900) * 1000)), { code: 'TOKEN_EXPIRED' })
    assert.equal(tokens.size, 0)
    tokens.remember('a', verification('a'))
    assert.equal(
      tokens.find('a', () => null, start),
      null,
    )
    assert.equal(tokens.size, 0)
  })
})
