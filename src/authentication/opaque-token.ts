// Random tokens: refresh tokens, those that are mailed, and API keys. Only their hashes are stored.

import { createHash, randomBytes } from 'node:crypto'

export type OpaqueTokenPrefix = 'rt_' | 'prt_' | 'vrf_' | 'mgl_' | 'chl_' | 'flw_' | 'code_' | 'duet_' | 'whsec_'

export interface OpaqueToken {
  /** Shown once, never stored. */
  readonly text: string
  readonly hash: string
}

/** 256 random bits after a prefix that people and secret scanners recognise. */
export function createOpaqueToken(prefix: OpaqueTokenPrefix): OpaqueToken {
  // Standard Webhooks has the alphabet with + and /.
  const text = prefix + randomBytes(32).toString(prefix === 'whsec_' ? 'base64' : 'base64url')
  return { text, hash: hashOpaqueToken(text) }
}

/** SHA-256 in base64url. 256 random bits need no slow hash, and a lookup by hash has no timing side channel. */
export const hashOpaqueToken = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Whether the text has the form of such a token. The two unused bits of the last character must be zero. */
export const isOpaqueToken = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text.slice(prefix.length))
