// Forged tokens: their text, header, payload and signature. (contract 5.1.1)

import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { alterToken, encodePart, forgeToken, type Part } from '../../../test/support/client/forged-token.ts'
import {
  claims,
  claimsText,
  createTokens,
  header,
  headerText,
  now,
  ours,
  refused,
  refuses,
  signatureText,
  theirs,
  tokens,
  valid,
  withHeader,
} from '../../../test/support/client/token-attack.ts'
import { defaultLimits } from '../../limits.ts'
import { publicJwk } from '../key/jwk.ts'
import { createOpaqueToken } from '../opaque-token.ts'

const signature = Buffer.from(signatureText, 'base64url')
const withSignature = (bytes: Uint8Array) => `${headerText}.${claimsText}.${Buffer.from(bytes).toString('base64url')}`

describe('a token of ours', () => {
  it('is accepted', () => assert.equal(tokens.verify(valid, now).subject, 'usr_1'))
  it('is accepted without a kid while there is one key', () => {
    assert.equal(tokens.verify(withHeader({ kid: undefined }), now).subject, 'usr_1')
    refuses(withHeader({ kid: undefined }), createTokens(ours, theirs))
  })
})

describe('the signature', () => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const encodeNumber = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0').slice(-64), 'hex')
  const [r, s] = [number(signature.subarray(0, 32)), number(signature.subarray(32))]
  const pairs: readonly (readonly [bigint, bigint])[] = [0n, 1n, order, order - 1n, order + 1n].flatMap((value) => [
    [value, s] as const,
    [r, value] as const,
    [value, value] as const,
  ])
  const der = sign('sha256', Buffer.from(`${headerText}.${claimsText}`), ours.signWith)

  refused([
    { it: 'is not 64 zero bytes', text: withSignature(new Uint8Array(64)) },
    ...pairs.map(([one, other], index) => ({
      it: `has r and s in their range (${index})`,
      text: withSignature(Buffer.concat([encodeNumber(one), encodeNumber(other)])),
    })),
    {
      it: 'is not r + n in a longer form',
      text: withSignature(
        Buffer.from((r + order).toString(16).padStart(66, '0') + s.toString(16).padStart(66, '0'), 'hex'),
      ),
    },
    { it: 'is not DER', text: withSignature(der) },
    { it: 'is not cut', text: withSignature(signature.subarray(0, 63)) },
    { it: 'is not longer by a byte', text: withSignature(Buffer.concat([signature, Buffer.from([1])])) },
    { it: 'is not longer by zeros', text: withSignature(Buffer.concat([signature, Buffer.alloc(8)])) },
    { it: 'is not doubled', text: withSignature(Buffer.concat([signature, signature])) },
    { it: "is not another token's", text: alterToken(valid, 'claims', { sub: 'usr_2' }) },
    { it: 'is not made by a known key under an unknown kid', text: withHeader({ kid: 'unknown' }) },
    { it: 'is not made by another key under our kid', text: forgeToken(theirs, header, claims) },
  ])

  it('may be the twin n − s, which is the same token', () => {
    const twin = withSignature(Buffer.concat([encodeNumber(r), encodeNumber(order - s)]))
    assert.deepEqual(tokens.verify(twin, now), tokens.verify(valid, now))
  })

  it('fits no text with one bit flipped, whichever byte it is in', () => {
    for (let position = 0; position < valid.length; position += 1) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const flipped = String.fromCharCode(valid.charCodeAt(position) ^ bit)
        refuses(valid.slice(0, position) + flipped + valid.slice(position + 1))
      }
    }
  })

  it('fits no bytes with one bit flipped, in any part', () => {
    for (const part of [0, 1, 2]) {
      const bytes = Buffer.from(valid.split('.')[part] ?? '', 'base64url')
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        refuses(valid.split('.').with(part, flipped.toString('base64url')).join('.'))
      }
    }
  })
})

describe('the text', () => {
  const last = signatureText.at(-1) ?? ''
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const otherLast = alphabet[alphabet.indexOf(last) ^ 1] ?? ''
  const inserted = [' ', '\n', '\t', '\r\n', '=', '==', '+', '/', '\0', '%0A', 'é', '\u{feff}']

  refused([
    ...[
      '',
      '.',
      '..',
      '...',
      'a.b',
      'a.b.c',
      'null',
      `${headerText}.${claimsText}`,
      `${headerText}.${claimsText}.`,
    ].map((text) => ({
      it: `is not ${JSON.stringify(text.slice(0, 10))}`,
      text,
    })),
    { it: 'is not a refresh token', text: createOpaqueToken('rt_').text },
    { it: 'has a header', text: `.${claimsText}.${signatureText}` },
    { it: 'has claims', text: `${headerText}..${signatureText}` },
    { it: 'has no fourth part', text: `${valid}.` },
    { it: 'has no five parts', text: `${valid}.${claimsText}.${signatureText}` },
    {
      it: 'is not JSON',
      text: JSON.stringify({ protected: headerText, payload: claimsText, signature: signatureText }),
    },
    { it: 'has no unused bits set', text: valid.slice(0, -1) + otherLast },
    {
      it: 'is not too long',
      text: forgeToken(ours, header, { ...claims, more: 'x'.repeat(defaultLimits.tokenBytes) }),
    },
    ...inserted.flatMap((text) =>
      [0, 5, headerText.length, headerText.length + 1, valid.length - signatureText.length, valid.length].map(
        (position) => ({
          it: `has no ${JSON.stringify(text)} at ${position}`,
          text: valid.slice(0, position) + text + valid.slice(position),
        }),
      ),
    ),
  ])

  it('of any kind but ours is refused and breaks nothing', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((parts) => parts.join('.')),
    )
    fc.assert(fc.property(anything, (text) => refuses(text)))
  })

  it('is one for one token: signed payloads encoded in any other way are refused', () => {
    const bytes = Buffer.from(claimsText, 'base64url').toString('base64')
    for (const text of [bytes, `${claimsText}=`, claimsText.replace(/(.{60})/g, '$1\n')].filter(
      (other) => other !== claimsText,
    )) {
      const input = `${headerText}.${text}`
      refuses(
        `${input}.${sign('sha256', Buffer.from(input), { key: ours.signWith, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`,
      )
    }
  })
})

describe('the length', () => {
  it('may be 8 KiB and not a character more', () => {
    for (const extra of [-1, 0, 1]) {
      const text = tokenOfLength(defaultLimits.tokenBytes + extra)
      if (extra === 1) refuses(text)
      else assert.equal(tokens.verify(text, now).subject, 'usr_1')
    }
  })
  /** Base64 has no text of every length: the header makes up for what the claims lack. */
  function tokenOfLength(length: number): string {
    for (let ballast = 0; ballast < 4; ballast += 1) {
      const longHeader = { ...header, ballast: 'x'.repeat(ballast) }
      const rest = length - encodePart(longHeader).length - signatureText.length - 2
      const more = Math.floor((rest * 3) / 4) - JSON.stringify({ ...claims, more: '' }).length
      const text = forgeToken(ours, longHeader, { ...claims, more: 'x'.repeat(more) })
      if (text.length === length) return text
    }
    return assert.fail(`no token has ${length} characters`)
  }
})

describe('the header', () => {
  const attacker = publicJwk(theirs)
  const members: readonly Readonly<Record<string, unknown>>[] = [
    { jwk: attacker },
    { jku: 'http://127.0.0.1:1/keys' },
    { x5u: 'http://127.0.0.1:1/chain' },
    { x5c: ['MIIB'] },
    { crit: ['x'], x: 1 },
    { crit: [] },
    { crit: ['b64'], b64: false },
    { b64: true },
    { zip: 'DEF' },
    { cty: 'JWT' },
    { cty: null },
    { typ: 'at+jwt' },
    { typ: 'refresh' },
    { typ: 'jwt' },
    { typ: undefined },
    { typ: null },
    { typ: ['JWT'] },
    ...[
      '../../dev/null',
      '/proc/sys/kernel/random/boot_id',
      "' OR 1=1--",
      ';id',
      '',
      '__proto__',
      'constructor',
      'k'.repeat(4000),
      1,
      null,
      [ours.kid],
      {},
    ].map((kid) => ({ kid })),
  ]
  refused(
    members.map((member) => ({
      it: `has no ${JSON.stringify(member).slice(0, 60)}`,
      text: withHeader(member),
    })),
  )
  refused([
    {
      it: "has no key beside that key's signature",
      text: forgeToken(theirs, { ...header, jwk: attacker }, claims),
    },
    {
      it: 'names no member twice',
      text: forgeToken(ours, `{"alg":"none",${JSON.stringify(header).slice(1)}`, claims),
    },
    {
      it: 'names no member twice, escaped',
      text: forgeToken(ours, `{"\\u0061lg":"ES256",${JSON.stringify(header).slice(1)}`, claims),
    },
    { it: 'is an object', text: forgeToken(ours, '["ES256"]', claims) },
  ])
})

describe('the payload', () => {
  const json = JSON.stringify(claims)
  const payloads: readonly (readonly [string, Part])[] = [
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['not JSON', 'x'],
    ['cut', json.slice(0, -1)],
    ['followed by more', `${json} {}`],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['after a byte order mark', `\u{feff}${json}`],
    ['naming a claim twice', `{"sub":"usr_2",${json.slice(1)}`],
    ['naming a claim twice, escaped', `{"\\u0073ub":"usr_2",${json.slice(1)}`],
    ['naming a nested member twice', `{"x":{"a":1,"a":1},${json.slice(1)}`],
    ['nested too deeply', `{"x":${'['.repeat(3000)}${']'.repeat(3000)},${json.slice(1)}`],
  ]
  refused(
    payloads.map(([what, payload]) => ({
      it: `is not ${what}`,
      text: forgeToken(ours, header, payload),
    })),
  )

  it('cannot change the role through a prototype', () => {
    const text = forgeToken(
      ours,
      header,
      `{"__proto__":{"role":"ADMIN"},"constructor":{"prototype":{"role":"ADMIN"}},${json.slice(1)}`,
    )
    assert.equal(tokens.verify(text, now).role, 'VIEWER')
    const { role: _, ...others } = claims
    refuses(forgeToken(ours, header, `{"__proto__":{"role":"ADMIN"},${JSON.stringify(others).slice(1)}`))
  })
})
