// Which keys are fit to be used, and what of them is published. (contract 5.2.1)

import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, it } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { privateJwk, publicJwk, readSigningKey, readVerifyingKey } from './jwk.ts'
import { hasRocaForm } from './roca.ts'
import { generateSigningKey, secretSigningKey, UnusableKey } from './signing-key.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const ecJwk = { ...ec.privateKey.export({ format: 'jwk' }), alg: 'ES256' }
const rsaJwk = { ...rsa.privateKey.export({ format: 'jwk' }), alg: 'RS256' }
const exportKey = (key: KeyObject) => key.export({ format: 'jwk' })
const rsaWith = (options: { modulusLength: number; publicExponent?: number }) => ({
  ...exportKey(generateKeyPairSync('rsa', options).privateKey),
  alg: 'RS256',
})
/** Some odd number of so many bits. */
const modulusOf = (bits: number) => {
  const digits = (2n ** BigInt(bits - 1) + 1n).toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url')
}
const encode = (number: bigint) => Buffer.from(number.toString(16).padStart(512, '0'), 'hex').toString('base64url')
/** 65537^e modulo the product of the small primes, plus a multiple of it: the form of those chips' moduli. */
function makeRocaModulus(): bigint {
  const product = [
    2n,
    3n,
    5n,
    7n,
    11n,
    13n,
    17n,
    19n,
    23n,
    29n,
    31n,
    37n,
    41n,
    43n,
    47n,
    53n,
    59n,
    61n,
    67n,
    71n,
    73n,
    79n,
    83n,
    89n,
    97n,
    101n,
    103n,
    107n,
    109n,
    113n,
    127n,
    131n,
    137n,
    139n,
    149n,
    151n,
    157n,
    163n,
    167n,
  ].reduce((left, right) => left * right)
  let power = 1n
  for (let exponent = 0; exponent < 1234; exponent += 1) power = (power * 65_537n) % product
  return power + product * (2n ** 2047n / product + 1n)
}

describe('a signing key', () => {
  for (const algorithm of ['ES256', 'RS256'] as const) {
    it(`${algorithm} is generated, kept and read again as the same key`, async () => {
      const key = await generateSigningKey(algorithm)
      const again = readSigningKey(JSON.parse(JSON.stringify(privateJwk(key))))
      assert.equal(again.kid, key.kid)
      assert.equal(again.algorithm, algorithm)
      assert.ok(again.verifyWith.equals(key.verifyWith) && again.signWith.equals(key.signWith))
    })

    it(`${algorithm} publishes its public members and nothing else`, async () => {
      const key = await generateSigningKey(algorithm)
      const members = algorithm === 'ES256' ? ['crv', 'x', 'y'] : ['e', 'n']
      const jwk = publicJwk(key)
      assert.deepEqual(Object.keys(jwk ?? {}).toSorted(), ['alg', 'kid', 'kty', 'use', ...members].toSorted())
      assert.deepEqual({ alg: jwk?.alg, use: jwk?.use, kid: jwk?.kid }, { alg: algorithm, use: 'sig', kid: key.kid })
      assert.equal(key.kid, await calculateJwkThumbprint({ ...jwk }))
    })
  }

  it('has a kid that a command does not take for an option', async () => {
    const kids = await Promise.all(Array.from({ length: 500 }, async () => (await generateSigningKey('ES256')).kid))
    assert.deepEqual(
      kids.filter((kid) => kid.startsWith('-')),
      [],
    )
  })

  it('that is a shared secret has nothing public', () => {
    assert.equal(publicJwk(secretSigningKey('x'.repeat(32))), null)
  })

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['is not an object', 'key', /must be a JSON object/],
    ['is null', null, /must be a JSON object/],
    ['is for encryption', { ...ecJwk, use: 'enc' }, /"use" is not "sig"/],
    ['may not sign', { ...ecJwk, key_ops: ['verify'] }, /do not allow it to sign/],
    ['has malformed key_ops', { ...ecJwk, key_ops: 'sign' }, /do not allow it to sign/],
    ['names no algorithm', { ...ecJwk, alg: undefined }, /must name its algorithm/],
    ['names the algorithm of another type', { ...ecJwk, alg: 'RS256' }, /"alg" is not ES256/],
    ['names an algorithm that is not allowed', { ...rsaJwk, alg: 'PS256' }, /"alg" is not RS256/],
    ['is symmetric', { kty: 'oct', k: 'x'.repeat(43), alg: 'HS256' }, /must be an RSA key or an EC key/],
    [
      'is on another curve',
      { ...exportKey(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey), alg: 'ES384' },
      /P-256/,
    ],
    ['is a public key', { ...exportKey(ec.publicKey), alg: 'ES256' }, /cannot be read/],
    ['is not on its curve', { ...ecJwk, x: ecJwk.y }, /cannot be read/],
    ['has a kid that is no string', { ...ecJwk, kid: 7 }, /"kid" must be/],
    ['has a kid that is too long', { ...ecJwk, kid: 'k'.repeat(129) }, /"kid" must be/],
    ['has 1024 bits', rsaWith({ modulusLength: 1024 }), /2048 to 8192 bits; this one has 1024/],
    [
      'has the exponent 3',
      rsaWith({ modulusLength: 2048, publicExponent: 3 }),
      /exponent must be odd and at least 65537/,
    ],
    ['has the exponent 1', { ...rsaJwk, e: 'AQ' }, /exponent must be odd/],
    ['can be factored', { ...rsaJwk, n: encode(makeRocaModulus()) }, /can be factored/],
    // Which of the two depends on the OpenSSL that Node comes with.
    ['has halves of two keys', { ...ecJwk, ...exportKey(otherEc.publicKey) }, /cannot be read|belong together/],
    [
      'has the exponents of two keys',
      { ...rsaJwk, d: otherRsa.d, dp: otherRsa.dp, dq: otherRsa.dq },
      /belong together/,
    ],
  ]
  for (const [what, jwk, sentence] of refused) {
    it(`is refused when it ${what}`, () => {
      assert.throws(
        () => readSigningKey(jwk),
        (error) => error instanceof UnusableKey && sentence.test(error.message),
      )
    })
  }
})

describe('a verifying key', () => {
  const publicRsa = exportKey(rsa.publicKey)
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['may not verify', { ...publicRsa, key_ops: ['encrypt'] }, /do not allow it to verify/],
    ['has the exponent 1', { ...publicRsa, e: 'AQ' }, /exponent must be odd/],
    ['has an even exponent', { ...publicRsa, e: 'AQAC' }, /exponent must be odd/],
    ['has an exponent of 33 bits', { ...publicRsa, e: 'AQAAAAE' }, /exponent must be/],
    ['has 8193 bits', { ...publicRsa, n: modulusOf(8193) }, /2048 to 8192 bits; this one has 8193/],
    ['has 2047 bits', { ...publicRsa, n: modulusOf(2047) }, /2048 to 8192 bits; this one has 2047/],
    ['can be factored', { ...publicRsa, n: encode(makeRocaModulus()) }, /CVE-2017-15361/],
  ]
  for (const [what, jwk, sentence] of refused) {
    it(`is refused when it ${what}`, () => {
      assert.throws(
        () => readVerifyingKey(jwk),
        (error) => error instanceof UnusableKey && sentence.test(error.message),
      )
    })
  }

  it('may have 2048 to 8192 bits and an exponent of 32', () => {
    for (const jwk of [{ n: modulusOf(2048) }, { n: modulusOf(8192) }, { e: '_____w' }]) {
      assert.equal(readVerifyingKey({ ...publicRsa, ...jwk }).algorithm, 'RS256')
    }
  })

  it('without an alg has the one algorithm of its type', () => {
    assert.equal(readVerifyingKey(publicRsa).algorithm, 'RS256')
    assert.equal(readVerifyingKey(exportKey(ec.publicKey)).algorithm, 'ES256')
  })
})

describe('a secret', () => {
  it('of 32 bytes is enough, of 31 is refused by name and without being quoted', () => {
    assert.equal(secretSigningKey('s'.repeat(32)).algorithm, 'HS256')
    assert.equal(secretSigningKey('ü'.repeat(16)).algorithm, 'HS256')
    assert.throws(
      () => secretSigningKey('s'.repeat(31)),
      (error) => error instanceof UnusableKey && /^JWT_SECRET .* 32 bytes long; it has 31\.$/.test(error.message),
    )
  })
})

describe('the form of moduli that can be factored', () => {
  it('is seen in one of them and in no ordinary one', () => {
    assert.equal(hasRocaForm(makeRocaModulus()), true)
    assert.equal(
      hasRocaForm(BigInt(`0x${Buffer.from(exportKey(rsa.publicKey).n ?? '', 'base64url').toString('hex')}`)),
      false,
    )
  })
})
