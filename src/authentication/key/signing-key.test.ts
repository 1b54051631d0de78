// Refuses algorithms that the configuration does not allow, and keys used in the wrong one. (contract 5.1.1)

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { encodePart, forgeToken } from '../../../test/support/client/forged-token.ts'
import {
  claims,
  claimsText,
  createTokens,
  grant,
  header,
  headerText,
  now,
  ours,
  refused,
  refuses,
  withHeader,
} from '../../../test/support/client/token-attack.ts'
import { publicJwk } from './jwk.ts'
import { generateSigningKey, type SigningKey, secretSigningKey } from './signing-key.ts'

const rsa = await generateSigningKey('RS256')

describe('the algorithm', () => {
  const names = [
    'none',
    'None',
    'NONE',
    'nOnE',
    '',
    'es256',
    'ES256 ',
    'ES384',
    'ES512',
    'PS256',
    'EdDSA',
    'HS256',
    'RS256',
  ]
  refused([
    {
      it: 'none with an empty signature',
      text: `${encodePart({ ...header, alg: 'none' })}.${claimsText}.`,
    },
    ...[...names, null, 1, ['ES256'], { ES256: 1 }, true, undefined].map((alg) => ({
      it: `is not ${JSON.stringify(alg)}`,
      text: withHeader({ alg }),
    })),
    {
      it: 'is not RS256 with a key of the attacker',
      text: forgeToken(rsa, { ...header, alg: 'RS256' }, claims),
    },
    { it: 'is not claimed to be ours over an RSA signature', text: forgeToken(rsa, header, claims) },
  ])

  const pem = ours.verifyWith.export({ format: 'pem', type: 'spki' }).toString()
  const jwk = publicJwk(ours)
  const secrets: readonly (readonly [string, string | Uint8Array])[] = [
    ['the PEM', pem],
    ['the PEM after a space', ` ${pem}`],
    ['the PEM after a line break', `\n${pem}`],
    ['the PEM without its last line break', pem.trimEnd()],
    ['the DER', ours.verifyWith.export({ format: 'der', type: 'spki' })],
    ['the JWK', JSON.stringify(jwk)],
    ['the x of the JWK', String(jwk?.['x'])],
    ['the bytes of x', Buffer.from(String(jwk?.['x']), 'base64url')],
    ['nothing', ''],
    ['"secret"', 'secret'],
    ['"null"', 'null'],
    ['the kid', ours.kid],
  ]
  for (const [what, secret] of secrets) {
    it(`is not HS256 keyed with ${what}`, () => {
      for (const alg of ['HS256', 'ES256']) {
        const input = `${encodePart({ ...header, alg })}.${claimsText}`
        refuses(`${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`)
      }
    })
  }
})

describe('with another algorithm configured', () => {
  const secret = secretSigningKey('s'.repeat(32))
  const rows: readonly (readonly [SigningKey, readonly SigningKey[]])[] = [
    [rsa, [ours, secret]],
    [secret, [ours, rsa]],
  ]
  for (const [key, others] of rows) {
    it(`${key.algorithm} takes its own tokens and no other algorithm's`, () => {
      const verifier = createTokens(key)
      const text = verifier.issue(grant, now).text
      assert.equal(verifier.verify(text, now).subject, 'usr_1')
      for (const other of others) {
        refuses(forgeToken(other, { ...header, alg: other.algorithm, kid: key.kid }, claims), verifier)
        refuses(forgeToken(other, { ...header, alg: key.algorithm, kid: key.kid }, claims), verifier)
      }
    })
  }

  it('RS256 takes no MAC keyed with its modulus or its PEM', () => {
    const { n = '' } = rsa.verifyWith.export({ format: 'jwk' })
    const pem = rsa.verifyWith.export({ format: 'pem', type: 'spki' })
    for (const secretBytes of [n, Buffer.from(n, 'base64url'), pem]) {
      const input = `${encodePart({ alg: 'HS256', typ: 'JWT', kid: rsa.kid })}.${claimsText}`
      refuses(`${input}.${createHmac('sha256', secretBytes).update(input).digest('base64url')}`, createTokens(rsa))
    }
  })

  it('takes no signature of another curve', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const input = `${headerText}.${claimsText}`
    refuses(
      `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`,
    )
  })
})
