// Secrets that mean nothing by themselves: refresh tokens, password reset tokens and API keys. Only their hashes are kept.

import { createHash, randomBytes } from 'node:crypto'

export type OpaqueTokenPrefix = 'rt_' | 'prt_' | 'duet_'

export interface OpaqueToken {
  /** Shown once, never stored. */
  readonly text: string
  /** What the database keeps, and finds it by. */
  readonly hash: string
}

/** 256 random bits behind a prefix that tells people, and scanners of leaked secrets, what it is. */
export function createOpaqueToken(prefix: OpaqueTokenPrefix): OpaqueToken {
  const text = prefix + randomBytes(32).toString('base64url')
  return { text, hash: hashOpaqueToken(text) }
}

/** SHA-256 in base64url. So much randomness needs no slow hash, and finding by hash leaves no time to measure. */
export const hashOpaqueToken = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** True where the text could be one of ours. The last character of 32 bytes has two unused bits, which must be zero. */
export const isOpaqueToken = (prefix: OpaqueTokenPrefix, text: string): boolean =>
  text.startsWith(prefix) && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text.slice(prefix.length))
