// Tokens verified before, so that a client's second request costs no second signature check. (contract 5.10)

import { requireBegun, requireUnexpired } from './claims.ts'
import type { VerifyingKey } from './signing-key.ts'

/** What a verified token says of its bearer. One object per token text, as long as it is remembered. */
export interface VerifiedToken {
  readonly subject: string
  readonly role: string
  readonly tokenId: string
  readonly sessionId: string | null
  /** The subject's epoch when it was issued; null in tokens of an outside issuer. */
  readonly epoch: number | null
  readonly issuedAt: Date
  readonly expiresAt: Date
}

interface Verification {
  readonly token: VerifiedToken
  /** As the token names its key, and the key that was found by it. */
  readonly kid: string | null
  readonly key: VerifyingKey
  /** In Unix seconds. */
  readonly notBefore: number
  readonly expiresAt: number
}

export interface VerifiedTokens {
  /**
   * The token of exactly this text, if `findKey` still finds the key it was verified with; null where it must be verified
   * anew. TOKEN_EXPIRED, INVALID_TOKEN before its time. Whether it was denied since is for the caller to ask.
   */
  find(text: string, findKey: (kid: string | null) => VerifyingKey | null, now: Date): VerifiedToken | null
  remember(text: string, verification: Verification): void
  readonly size: number
}

/**
 * Remembers up to `tokensMax` tokens; the one remembered longest goes first, which is also the one nearest its end. The
 * whole text is the key: a hash, or a part of it, could make one bearer into another. (GHSA-rp9m-7r4c-75qg)
 */
export function createVerifiedTokens(tokensMax: number): VerifiedTokens {
  const byText = new Map<string, Verification>()
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
      if (byText.size >= tokensMax) for (const oldest of byText.keys().take(1)) byText.delete(oldest)
      byText.set(text, verification)
    },
    get size() {
      return byText.size
    },
  }
}
