// Accepts tokens of an outside OpenID Connect issuer, with the same checks as the service's own.

import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import type { Algorithm } from '../key/signing-key.ts'
import { checkClaims, readAuthentication, type StandardClaims, type TokenAuthentication } from '../token/claims.ts'
import type { Denylist } from '../token/denylist.ts'
import { type ReadJson, readClaims, readSignedText, refuseToken, requireSignature } from '../token/signed-text.ts'
import { createVerifiedTokens, type VerifiedToken } from '../token/verified-tokens.ts'
import { createOutsideKeySet, type OutsideLimits } from './outside-key-set.ts'
import type { ActorFromClaims, Provision } from './provision.ts'
import type { FindAccount, RequestOrigin } from './provisioning.ts'

/** A trusted outside issuer, and how its tokens become actors. */
export interface TrustedIssuer {
  /** The exact value of `iss`. */
  readonly issuer: string
  /** No other address is ever fetched, whatever a token contains. */
  readonly jwksUrl: string
  /** The value that `aud` must be or contain. */
  readonly audience: string
  readonly algorithms: readonly Exclude<Algorithm, 'HS256'>[]
  /** The longest accepted `exp` − `iat`. */
  readonly lifetimeSeconds: number
  /** Accepted values of `typ`; null stands for a header without one. Default: `JWT` and `at+jwt`. (RFC 9068 2.1) */
  readonly types?: readonly (string | null)[]
  /** The bearer's id and role here; null refuses the token. Or `provision(…)`, which creates an account. */
  readonly actorFrom: ActorFromClaims | Provision
}

export interface OutsideIssuerOptions extends Omit<TrustedIssuer, 'actorFrom'> {
  /** Called once per token, not per request. Fails with INVALID_TOKEN if there is no account. */
  readonly findAccount: FindAccount
  readonly denylist: Denylist
  readonly fetch: typeof globalThis.fetch
  readonly readJson: ReadJson
  readonly log: Pick<Log, 'error'>
  readonly limits: OutsideLimits &
    Pick<Limits, 'clockSkewSeconds' | 'tokenBytes' | 'verifiedTokens' | 'verifiedTokenBytes'>
}

export interface OutsideIssuer {
  readonly issuer: string
  /**
   * TOKEN_EXPIRED or INVALID_TOKEN, in the order of contract 5.1.3. SERVICE_UNAVAILABLE if the key is unknown and the issuer
   * does not respond.
   */
  verify(text: string, now: Date, origin: RequestOrigin): Promise<VerifiedToken>
}

export function createOutsideIssuer(options: OutsideIssuerOptions): OutsideIssuer {
  const { issuer, audience, algorithms, denylist, fetch, readJson, log, limits } = options
  const keySet = createOutsideKeySet({ url: options.jwksUrl, fetch, log, limits })
  const textRules = { algorithms, types: options.types ?? ['JWT', 'at+jwt'], tokenBytes: limits.tokenBytes, readJson }
  const { lifetimeSeconds } = options
  const claimRules = { issuer, audience, lifetimeSeconds, clockSkewSeconds: limits.clockSkewSeconds, required: [] }
  const cache = createVerifiedTokens(limits)

  async function verifyAnew(text: string, now: Date, origin: RequestOrigin): Promise<VerifiedToken> {
    const signedText = readSignedText(text, textRules)
    const key = await keySet.find(signedText.kid, now)
    requireSignature(signedText, key)
    const claims = readClaims(signedText, readJson)
    const standardClaims = checkClaims(claims, claimRules, now)
    const { subject } = standardClaims
    const account = await options.findAccount({ issuer, subject }, claims, now, origin)
    const token = readToken(standardClaims, account, readAuthentication(claims))
    cache.remember(text, { token, kid: signedText.kid, key, ...standardClaims })
    return token
  }

  return {
    issuer,
    async verify(text, now, origin) {
      const findKey = (kid: string | null) => keySet.peek(kid, now)
      const token = cache.find(text, findKey, now) ?? (await verifyAnew(text, now, origin))
      if (denylist.refuses(token)) refuseToken('it was revoked')
      return token
    },
  }
}

function readToken(
  { issuedAt, expiresAt }: StandardClaims,
  { id, role }: { readonly id: string; readonly role: string },
  authentication: TokenAuthentication,
): VerifiedToken {
  return Object.freeze({
    subject: id,
    role,
    sessionId: null,
    epoch: null,
    issuedAt: new Date(issuedAt * 1000),
    expiresAt: new Date(expiresAt * 1000),
    ...authentication,
  })
}
