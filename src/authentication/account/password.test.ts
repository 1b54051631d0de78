// Passwords are hashed with argon2id, a few at a time, and nobody's takes as long as somebody's. (contract 4.12.10)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import fc from 'fast-check'
import { processMs } from '../../../test/support/check/processor-time.ts'
import { defaultLimits } from '../../limits.ts'
import { silentLog } from '../../observation/log.ts'
import { createPasswords } from './password.ts'

const passwords = await createPasswords(defaultLimits, { error: assert.fail })

describe('a password', () => {
  it('is hashed with argon2id at 19 MiB, 2, 1 and a salt of its own', async () => {
    const [one, other] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.ok(parseOptions(one).saltLen >= 16 && parseOptions(one).outputLen === 32)
    assert.notEqual(one, other)
  })

  it('fits its own hash and no other', async () => {
    const stored = await passwords.hash('correct horse')
    assert.equal(await passwords.verify(stored, 'correct horse'), true)
    assert.equal(await passwords.verify(stored, 'correct horsf'), false)
    assert.equal(await passwords.verify(stored, ''), false)
  })

  it('counts to its last byte, NUL included', async () => {
    const stored = await passwords.hash(`${'x'.repeat(150)}\0a`)
    for (const other of [`${'x'.repeat(150)}\0b`, `${'x'.repeat(150)}`, `${'x'.repeat(150)}\0`, `${'x'.repeat(72)}`]) {
      assert.equal(await passwords.verify(stored, other), false)
    }
    assert.equal(await passwords.verify(stored, `${'x'.repeat(150)}\0a`), true)
  })

  it('is the same however a keyboard composes its characters', async () => {
    const [composed, decomposed, fullWidth] = ['caf\u00e9 \u2163 8', 'cafe\u0301 IV 8', 'cafe\u0301 IV \uff18'] as const
    const stored = await passwords.hash(decomposed)
    assert.equal(await verify(stored, composed.normalize('NFKC')), true, 'the hash is that of the NFKC form')
    for (const each of [composed, decomposed, fullWidth]) assert.equal(await passwords.verify(stored, each), true)
    assert.equal(await passwords.verify(stored, 'cafe IV 8'), false)
  })

  it('hashed with other costs still fits', async () => {
    const stored = await hash('correct horse', { memoryCost: 8192, timeCost: 3, parallelism: 1 })
    assert.equal(await passwords.verify(stored, 'correct horse'), true)
  })

  it('of no account never fits', async () => {
    assert.equal(await passwords.verify(null, ''), false)
    assert.equal(await passwords.verify(null, 'correct horse'), false)
  })

  it('that no account can have is a hash like any other', async () => {
    const form = (hash: string) => hash.replaceAll(/[A-Za-z0-9+/]{22,}/g, ({ length }) => String(length))
    assert.equal(form(passwords.unusableHash), form(await passwords.hash('correct horse')))
    assert.equal(await passwords.verify(passwords.unusableHash, ''), false)
  })

  it('of any kind fits itself', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(text, async (password) => passwords.verify(await passwords.hash(password), password)),
      { numRuns: 10 },
    )
  })
})

describe('a damaged hash', () => {
  const damaged = [
    '',
    'x',
    '$argon2id$',
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA',
    '$2b$10$abcdefghijklmnopqrstuv',
    '\0',
  ]
  for (const stored of damaged) {
    it(`${JSON.stringify(stored)} is reported, without being quoted, and fits nothing`, async () => {
      const problems: string[] = []
      const reporting = await createPasswords(defaultLimits, { error: (problem) => problems.push(problem) })
      assert.equal(await reporting.verify(stored, 'correct horse'), false)
      assert.deepEqual(problems, ['A stored password hash is damaged.'])
    })
  }
})

describe('hashing takes the same time', () => {
  it('for no account, for a damaged hash, and for a wrong password', async () => {
    const reporting = await createPasswords(defaultLimits, silentLog)
    const stored = { somebody: await reporting.hash('correct horse'), nobody: null, damaged: 'x' }
    const times = { somebody: [] as number[], nobody: [] as number[], damaged: [] as number[] }
    // Interleaved, so that other work of the machine concerns all of them.
    for (let round = 0; round < 25; round += 1) {
      for (const who of ['somebody', 'nobody', 'damaged'] as const) {
        const begunMs = processMs()
        await reporting.verify(stored[who], 'wrong horse')
        times[who].push(processMs() - begunMs)
      }
    }
    // The quickest of many is what the work takes; without it, it would be a hundredth.
    const usual = Math.min(...times.somebody)
    for (const who of ['nobody', 'damaged'] as const) {
      const other = Math.min(...times[who])
      assert.ok(other > usual * 0.5 && other < usual * 2, `${who} takes ${other} ms, somebody ${usual} ms`)
    }
  })
})

describe('a storm of passwords', () => {
  it('is bounded: so many at once, so many waiting, the rest SERVICE_UNAVAILABLE', async () => {
    const few = await createPasswords({ passwordHashesAtOnce: 2, passwordHashesWaiting: 6 }, { error: assert.fail })
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => few.verify(null, 'x')))
    const refused = answers.filter((answer) => answer.status === 'rejected')
    assert.equal(refused.length, 12)
    for (const { reason } of refused)
      assert.deepEqual([reason.code, reason.retryAfterSeconds], ['SERVICE_UNAVAILABLE', 1])
    assert.equal(await few.verify(null, 'x'), false)
  })
})
