// Tokens as an attacker, or a careless issuer, would make them: any header, any claims, any signature.

import type { SigningKey } from '../../../src/authentication/key/signing-key.ts'
import { signText } from '../../../src/authentication/key/signing-key.ts'

/** Members to encode, or the bytes of something that is no JSON object. */
export type Part = Readonly<Record<string, unknown>> | string | Uint8Array

/** A string is taken literally, so that a part can be malformed JSON or name a member twice. */
export function encodePart(part: Part): string {
  const bytes = typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part)
  return Buffer.from(bytes).toString('base64url')
}

/** Signs with the key whatever the header says, in the way of the key's own algorithm. */
export function forgeToken(key: SigningKey, header: Part, claims: Part): string {
  const input = `${encodePart(header)}.${encodePart(claims)}`
  return `${input}.${signText(key, Buffer.from(input)).toString('base64url')}`
}

/** The token with some of its header's or claims' members replaced and the old signature kept; undefined removes one. */
export function alterToken(
  text: string,
  part: 'header' | 'claims',
  members: Readonly<Record<string, unknown>>,
): string {
  const parts = text.split('.')
  const index = part === 'header' ? 0 : 1
  parts[index] = encodePart({ ...readPart(text, part), ...members })
  return parts.join('.')
}

export function readPart(text: string, part: 'header' | 'claims'): Record<string, unknown> {
  return JSON.parse(Buffer.from(text.split('.')[part === 'header' ? 0 : 1] ?? '', 'base64url').toString())
}
