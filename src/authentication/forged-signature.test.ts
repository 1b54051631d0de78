// What is nearly a signature of RS256 or HS256, as Wycheproof's vectors have it. What an
// ES256 signature can be is tested with the text.

import assert from 'node:assert/strict'
import { constants, createHash, createHmac, privateEncrypt, randomBytes, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { encodePart } from '../../test/support/client/forged-token.ts'
import { claims, createTokens, now, ours, refuses, signatureText } from '../../test/support/client/token-attack.ts'
import { generateSigningKey, type SigningKey, secretSigningKey, signText } from './key/signing-key.ts'

/** Tokens of one key, as whoever signs with it would make them. */
function tokensOf(key: SigningKey) {
  const tokens = createTokens(key)
  const input = (members: object = {}) =>
    `${encodePart({ alg: key.algorithm, typ: 'JWT', kid: key.kid })}.${encodePart({ ...claims, ...members })}`
  const withSignature = (bytes: Uint8Array, text = input()) => `${text}.${Buffer.from(bytes).toString('base64url')}`
  return {
    input,
    withSignature,
    accepts: (text: string) => assert.equal(tokens.verify(text, now).subject, claims['sub']),
    refusesAll: (rows: Readonly<Record<string, Uint8Array>>) => {
      for (const [what, bytes] of Object.entries(rows))
        it(`is not ${what}`, () => refuses(withSignature(bytes), tokens))
    },
    refuses: (text: string) => refuses(text, tokens),
  }
}

const key = await generateSigningKey('RS256')

describe('an RS256 signature', () => {
  const { input, withSignature, accepts, refusesAll, refuses: refusesText } = tokensOf(key)
  const text = Buffer.from(input())
  const valid = signText(key, text)
  const bytes = valid.length
  const modulus = BigInt(`0x${Buffer.from(key.verifyWith.export({ format: 'jwk' }).n!, 'base64url').toString('hex')}`)
  const encoded = (value: bigint, length = bytes) => Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex')

  // What the key's owner could sign, were the padding another: whoever checks less than all of it can be fooled without
  // the key. (RFC 8017 8.2.2, 9.2)
  const hash = (name: string) => createHash(name).update(text).digest()
  const sha256Info = '3031300d060960864801650304020105000420'
  const info = (hex: string, digest: Buffer) => Buffer.concat([Buffer.from(hex, 'hex'), digest])
  const digestInfo = info(sha256Info, hash('sha256'))
  const framed = (rest: Buffer, { type = 1, lead = 0, fill = 0xff, after = Buffer.alloc(0) } = {}): Buffer => {
    const padding = Buffer.alloc(bytes - 3 - rest.length - after.length, fill)
    return privateEncrypt(
      { key: key.signWith, padding: constants.RSA_NO_PADDING },
      Buffer.concat([Buffer.from([lead, type]), padding, Buffer.from([0]), rest, after]),
    )
  }
  const oneOther = framed(digestInfo)
  const shortPadding = (after: Buffer) => {
    const block = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(8, 0xff), Buffer.from([0]), digestInfo, after])
    return privateEncrypt({ key: key.signWith, padding: constants.RSA_NO_PADDING }, block)
  }

  it('is accepted, and is what the frames below make', () => {
    accepts(withSignature(valid))
    assert.deepEqual(oneOther, valid)
  })

  refusesAll({
    'all zeros': Buffer.alloc(bytes),
    'the number one': encoded(1n),
    'n − 1': encoded(modulus - 1n),
    'the modulus': encoded(modulus),
    'all ones': Buffer.alloc(bytes, 0xff),
    's + n, a byte longer': encoded(BigInt(`0x${valid.toString('hex')}`) + modulus, bytes + 1),
  })
  refusesAll({
    'cut at its end': valid.subarray(0, bytes - 1),
    'cut at its beginning': valid.subarray(1),
    'longer by a zero at its beginning': Buffer.concat([Buffer.alloc(1), valid]),
    'longer by a zero at its end': Buffer.concat([valid, Buffer.alloc(1)]),
    doubled: Buffer.concat([valid, valid]),
    "an ES256 signature's bytes": Buffer.from(signatureText, 'base64url'),
  })
  refusesAll({
    'of SHA-1': sign('sha1', text, key.signWith),
    'of SHA-384': sign('sha384', text, key.signWith),
    'of SHA-512': sign('sha512', text, key.signWith),
    'RSA-PSS': sign('sha256', text, { key: key.signWith, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    'of a hash that nothing names': framed(hash('sha256')),
    'of another hash under the name of SHA-256': framed(info(sha256Info, hash('sha3-256'))),
    'of a name without its NULL': framed(info('302f300b06096086480165030402010420', hash('sha256'))),
    'of a length in a longer form': framed(info('308131300d060960864801650304020105000420', hash('sha256'))),
    'of the name of SHA-1 over SHA-256': framed(info('302d300906052b0e03021a05000420', hash('sha256'))),
    'padded with other bytes': framed(digestInfo, { fill: 0xfe }),
    'padded as encryption is': framed(digestInfo, { type: 2, fill: 0x5a }),
    'padded as nothing is': framed(digestInfo, { type: 0, fill: 0 }),
    'followed by a byte': framed(digestInfo, { after: Buffer.alloc(1) }),
    'followed by anything, its padding short': shortPadding(randomBytes(bytes - 11 - digestInfo.length)),
    'followed by zeros, its padding short': shortPadding(Buffer.alloc(bytes - 11 - digestInfo.length)),
  })

  it('has a zero at its beginning where its number has, and is not shorter', () => {
    for (let count = 0; ; count++) {
      const own = input({ count })
      const signature = signText(key, Buffer.from(own))
      if (signature[0] !== 0) continue
      accepts(withSignature(signature, own))
      refusesText(withSignature(signature.subarray(1), own))
      return
    }
  })
})

describe('an HS256 signature', () => {
  const secret = 'a secret of at least 32 bytes, as it must be'
  const key = secretSigningKey(secret)
  const { input, withSignature, accepts, refusesAll } = tokensOf(key)
  const text = Buffer.from(input())
  const valid = signText(key, text)
  const mac = (with_: string | Buffer, name = 'sha256', over: Buffer = text) =>
    createHmac(name, with_).update(over).digest()

  it('is accepted', () => accepts(withSignature(valid)))

  refusesAll({
    'all zeros': Buffer.alloc(32),
    'cut at its end': valid.subarray(0, 31),
    'cut to its half': valid.subarray(0, 16),
    'its first byte': valid.subarray(0, 1),
    'cut at its beginning': valid.subarray(1),
    'longer by a zero at its end': Buffer.concat([valid, Buffer.alloc(1)]),
    'longer by a zero at its beginning': Buffer.concat([Buffer.alloc(1), valid]),
    doubled: Buffer.concat([valid, valid]),
    'written in hex': Buffer.from(valid.toString('hex')),
    "an ES256 signature's bytes": signText(ours, text),
  })
  refusesAll({
    'a hash without a key': createHash('sha256').update(text).digest(),
    'a hash of key and text': createHash('sha256').update(secret).update(text).digest(),
    'made with no key': mac(''),
    "made with the key's name": mac(key.kid),
    'made with a key cut short': mac(secret.slice(0, -1)),
    'made with a longer key': mac(`${secret}!`),
    'made with the hash of the key': mac(createHash('sha256').update(secret).digest()),
    'made of the text without its last byte': mac(secret, 'sha256', text.subarray(0, -1)),
    HS384: mac(secret, 'sha384'),
    HS512: mac(secret, 'sha512'),
    'HS512, cut': mac(secret, 'sha512').subarray(0, 32),
    'HMAC with SHA-3': mac(secret, 'sha3-256'),
  })
})
