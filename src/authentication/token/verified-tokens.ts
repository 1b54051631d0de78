// Caches verified tokens, so that a client's next request needs no signature check. (contract 5.1.4)

import { createBoundedCache } from '../../cache/bounded-cache.ts'
import type { Limits } from '../../limits.ts'
import type { VerifyingKey } from '../key/signing-key.ts'
import { requireBegun, requireUnexpired, type TokenAuthentication } from './claims.ts'

export interface VerifiedToken extends Partial<TokenAuthentication> {
  readonly subject: string
  readonly role: string
  readonly sessionId: string | null
  /** The subject's epoch at issue; null in tokens of an outside issuer. */
  readonly epoch: number | null
  readonly issuedAt: Date
  readonly expiresAt: Date
}

interface Verification {
  readonly token: VerifiedToken
  readonly kid: string | null
  readonly key: VerifyingKey
  readonly notBefore: number
  readonly expiresAt: number
}

export interface VerifiedTokens {
  /**
   * Null if the text is not cached, or `findKey` no longer finds the same key. TOKEN_EXPIRED, or INVALID_TOKEN before `nbf`.
   * The caller must check denials.
   */
  find(text: string, findKey: (kid: string | null) => VerifyingKey | null, now: Date): VerifiedToken | null
  remember(text: string, verification: Verification): void
  readonly size: number
}

const verificationBytes = 600

/** A collision of hashes or prefixes would turn one bearer into another. (GHSA-rp9m-7r4c-75qg) */
export function createVerifiedTokens(limits: Pick<Limits, 'verifiedTokens' | 'verifiedTokenBytes'>): VerifiedTokens {
  const byText = createBoundedCache<Verification>(limits.verifiedTokens, limits.verifiedTokenBytes)
  return {
    find(text, findKey, now) {
      const verification = byText.get(text)
      if (verification === undefined) return null
      const { token, kid, key, notBefore, expiresAt } = verification
      const isKeyGone = findKey(kid) !== key
      if (isKeyGone || now >= token.expiresAt) byText.delete(text)
      if (isKeyGone) return null
      requireUnexpired(expiresAt, now)
      requireBegun(notBefore, now)
      return token
    },
    remember(text, verification) {
      byText.set(text, verification, text.length + verificationBytes)
    },
    get size() {
      return byText.counts.entries
    },
  }
}
