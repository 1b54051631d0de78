// Splits a signed token and checks form, header and signature before its claims are read: steps 1 and 2 of contract 5.1.3. (RFC
// 7515)

import { Failure } from '../../failure/failure.ts'
import { type Algorithm, isKid, isSignatureOf, type VerifyingKey } from '../key/signing-key.ts'

/** Strict JSON without duplicate members; throws otherwise. */
export type ReadJson = (bytes: Uint8Array) => unknown
export type Members = Readonly<Record<string, unknown>>

/** Untrusted until the signature is verified. */
export interface SignedText {
  readonly algorithm: Algorithm
  readonly kid: string | null
  readonly signingInput: Uint8Array
  readonly signature: Uint8Array
  readonly payload: Uint8Array
}
export interface SignedTextRules {
  readonly algorithms: readonly Algorithm[]
  readonly types: readonly (string | null)[]
  readonly tokenBytes: number
  readonly readJson: ReadJson
}

/** Header members that would change what is signed, or provide a key. (RFC 7515 4.1, RFC 8725 3.10) */
const refusedMembers = ['crit', 'b64', 'zip', 'cty', 'jwk', 'jku', 'x5u', 'x5c']

/**
 * Splits a token and checks its algorithm. INVALID_TOKEN unless it has three strict base64url parts: one token has one text.
 * (contract 5.1.1)
 */
export function readSignedText(text: string, rules: SignedTextRules): SignedText {
  if (text.length > rules.tokenBytes) refuseToken('it is too long')
  const [first = '', second = '', third = '', ...more] = text.split('.', 4)
  if (first === '' || second === '' || third === '' || more.length > 0) refuseToken('it does not have three parts')
  const header = readMembers(decodeStrictly(first), rules.readJson)
  const algorithm = rules.algorithms.find((name) => name === header['alg'])
  if (algorithm === undefined) refuseToken('its algorithm is not allowed')
  if (!rules.types.some((type) => type === (header['typ'] ?? null)))
    refuseToken(header['typ'] === undefined ? 'its header has no "typ"' : 'its "typ" is not allowed')
  const refusedMember = refusedMembers.find((name) => Object.hasOwn(header, name))
  if (refusedMember !== undefined) refuseToken(`its header has "${refusedMember}"`)
  const { kid } = header
  if (kid !== undefined && !isKid(kid)) refuseToken('its "kid" is malformed')
  return {
    algorithm,
    kid: kid ?? null,
    signingInput: Buffer.from(text.slice(0, text.lastIndexOf('.'))),
    signature: decodeStrictly(third),
    payload: decodeStrictly(second),
  }
}

/** INVALID_TOKEN unless this key, made for the token's algorithm, made the signature. (contract 5.1.3) */
export function requireSignature(signedText: SignedText, key: VerifyingKey | null): asserts key is VerifyingKey {
  if (key === null) refuseToken('no key of ours is meant')
  if (key.algorithm !== signedText.algorithm) refuseToken('its key is for another algorithm')
  if (!isSignatureOf(key, signedText.signingInput, signedText.signature)) refuseToken('its signature is wrong')
}

/** Expects a verified signature. INVALID_TOKEN unless the claims are a JSON object. */
export const readClaims = (signedText: SignedText, readJson: ReadJson): Members =>
  readMembers(signedText.payload, readJson)

/** Only for choosing the keys that verify the token. */
export function unverifiedIssuer(text: string): string | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(text.split('.', 2)[1] ?? '', 'base64url').toString())
    const issuer = typeof claims === 'object' && claims !== null && 'iss' in claims ? claims.iss : null
    return typeof issuer === 'string' ? issuer : null
  } catch {
    // Verification reports the problem.
    return null
  }
}

/** Logged only: it would show an attacker which check failed. */
export function refuseToken(reason: string): never {
  throw new Failure('INVALID_TOKEN', { cause: reason })
}

/** Only text that re-encodes to itself: no padding, whitespace or unused bits. */
function decodeStrictly(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) refuseToken('a part is not strict base64url')
  return bytes
}

function readMembers(bytes: Uint8Array, readJson: ReadJson): Members {
  const value = parse(bytes, readJson)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuseToken('a part is not a JSON object')
  return { ...value }
}

function parse(bytes: Uint8Array, readJson: ReadJson): unknown {
  try {
    return readJson(bytes)
  } catch {
    // A refused credential, not an invalid body.
    return refuseToken('a part is not strict JSON')
  }
}
