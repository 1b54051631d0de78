// Reads JSON Web Keys, refuses weak ones, and publishes their public members. (RFC 7517)

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { hasRocaForm } from './roca.ts'
import {
  type Algorithm,
  isKid,
  isSignatureOf,
  type SigningKey,
  signText,
  thumbprint,
  UnusableKey,
  type VerifyingKey,
} from './signing-key.ts'

type Members = Readonly<Record<string, unknown>>
/** A member of the published key set; contains nothing private. */
export type PublicJwk = Members & {
  readonly kty: string
  readonly kid: string
  readonly alg: Algorithm
  readonly use: 'sig'
}

const minModulusBits = 2048
/** Larger keys only slow down verification. */
const maxModulusBits = 8192
const minExponent = 65_537n
const maxExponent = 0xffff_ffffn
const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg']

/** Reads a private JWK that names its `alg`. Fails with UnusableKey, also if its halves do not match. */
export function readSigningKey(jwk: unknown): SigningKey {
  const members = readMembers(jwk, 'sign')
  if (members['alg'] === undefined) throw new UnusableKey('A signing key must name its algorithm in "alg".')
  const publicHalf = Object.entries(members).filter(([name]) => publicMembers.includes(name))
  const key = {
    ...readVerifyingKey(Object.fromEntries(publicHalf)),
    signWith: importKey(() => createPrivateKey({ key: members, format: 'jwk' })),
  }
  const probe = Buffer.from('probe')
  if (!isSignatureOf(key, probe, signText(key, probe))) {
    throw new UnusableKey('The private and the public part of the key do not belong together.')
  }
  return key
}

/** Reads a public JWK. The key type determines the algorithm, never a token's header. Fails with UnusableKey. */
export function readVerifyingKey(jwk: unknown): VerifyingKey {
  const members = readMembers(jwk, 'verify')
  const algorithm = algorithmOf(members)
  const verifyWith = importKey(() => createPublicKey({ key: members, format: 'jwk' }))
  if (algorithm === 'RS256') requireStrongRsa(verifyWith)
  return { kid: readKid(members) ?? thumbprint(verifyWith), algorithm, verifyWith }
}

/** The whole key, for the database only. */
export const privateJwk = ({ signWith, kid, algorithm }: SigningKey): Members => ({
  ...signWith.export({ format: 'jwk' }),
  kid,
  alg: algorithm,
  use: 'sig',
})

/** Null for a shared secret, which has no public part. (contract 5.2.1) */
export function publicJwk({ verifyWith, kid, algorithm }: VerifyingKey): PublicJwk | null {
  if (verifyWith.type !== 'public') return null
  const { kty = '', ...members } = verifyWith.export({ format: 'jwk' })
  return { kty, ...members, kid, alg: algorithm, use: 'sig' }
}

function readMembers(jwk: unknown, operation: 'sign' | 'verify'): Members {
  if (typeof jwk !== 'object' || jwk === null) throw new UnusableKey('A key must be a JSON object.')
  const { use, key_ops: operations, ...members }: Members = { ...jwk }
  if (use !== undefined && use !== 'sig') throw new UnusableKey('The key\'s "use" is not "sig".')
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes(operation))) {
    throw new UnusableKey(`The key's "key_ops" do not allow it to ${operation}.`)
  }
  return members
}

function algorithmOf({ kty, crv, alg }: Members): Algorithm {
  const algorithm = kty === 'RSA' ? 'RS256' : kty === 'EC' && crv === 'P-256' ? 'ES256' : null
  if (algorithm === null) throw new UnusableKey('A key must be an RSA key or an EC key on the curve P-256.')
  if (alg !== undefined && alg !== algorithm) throw new UnusableKey(`The key's "alg" is not ${algorithm}.`)
  return algorithm
}

function importKey(create: () => KeyObject): KeyObject {
  try {
    return create()
  } catch (cause) {
    throw new UnusableKey('The key cannot be read.', { cause })
  }
}

function requireStrongRsa(key: KeyObject): void {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < minModulusBits || modulusLength > maxModulusBits) {
    throw new UnusableKey(
      `An RSA key must have ${minModulusBits} to ${maxModulusBits} bits; this one has ${modulusLength}.`,
    )
  }
  if (publicExponent < minExponent || publicExponent > maxExponent || publicExponent % 2n === 0n) {
    throw new UnusableKey(
      `An RSA key's exponent must be odd and at least ${minExponent}; this one's is ${publicExponent}.`,
    )
  }
  const modulus = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url').toString('hex')
  if (hasRocaForm(BigInt(`0x${modulus}`))) throw new UnusableKey('This RSA key can be factored. (CVE-2017-15361)')
}

function readKid({ kid }: Members): string | null {
  if (kid === undefined) return null
  if (!isKid(kid)) throw new UnusableKey('A key\'s "kid" must be 1 to 128 visible characters.')
  return kid
}
