// Random secrets without content: refresh tokens, password reset tokens and API keys. Only their hashes are stored.

import { createHash, randomBytes } from 'node:crypto'

export type OpaqueTokenPrefix = 'rt_' | 'prt_' | 'duet_'

export interface OpaqueToken {
  /** Shown once, never stored. */
  readonly text: string
  /** Stored, and looked up. */
  readonly hash: string
}

/** 256 random bits after a prefix by which people, and scanners for leaked secrets, recognise its kind. */
export function createOpaqueToken(prefix: OpaqueTokenPrefix): OpaqueToken {
  const text = prefix + randomBytes(32).toString('base64url')
  return { text, hash: hashOpaqueToken(text) }
}

/** SHA-256 in base64url. 256 random bits need no slow hash, and a lookup by hash has no timing side channel. */
export const hashOpaqueToken = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** True if the text has the form of such a token. The last character of 32 bytes has two unused bits, which must be zero. */
export const isOpaqueToken = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text.slice(prefix.length))
