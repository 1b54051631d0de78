// Issues the service's access tokens, and verifies them without a database call. (contract 5.1.4)

import { randomUUID } from 'node:crypto'
import { invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { KeyRing } from '../key/key-ring.ts'
import { signText } from '../key/signing-key.ts'
import { checkClaims, readAuthentication, readText, type StandardClaims } from './claims.ts'
import type { Denylist } from './denylist.ts'
import {
  type Members,
  type ReadJson,
  readClaims,
  readSignedText,
  refuseToken,
  requireSignature,
} from './signed-text.ts'
import { createVerifiedTokens, type VerifiedToken } from './verified-tokens.ts'

export interface Grant {
  readonly subject: string
  readonly role: string
  readonly sessionId: string
  /** Raised by each revocation, so that a token minted at the same moment is refused too. */
  readonly epoch: number
  /** Null or absent: unknown. (contract 5.10.1) */
  readonly authentication?: SessionAuthentication | null
}
/** When and how the account last proved who it is. */
export interface SessionAuthentication {
  readonly at: Date
  /** Values of `amr`, such as `pwd`. (RFC 8176) */
  readonly methods: readonly string[]
}
export interface IssuedToken {
  readonly text: string
  readonly expiresInSeconds: number
}

export interface AccessTokens {
  issue(grant: Grant, now: Date): IssuedToken
  /** TOKEN_EXPIRED or INVALID_TOKEN, in the order of contract 5.1.3. */
  verify(text: string, now: Date): VerifiedToken
}

export interface AccessTokenOptions {
  readonly keys: KeyRing
  /** `BASE_URL`. */
  readonly issuer: string
  /** `JWT_AUDIENCE`. */
  readonly audience: string
  readonly denylist: Denylist
  readonly readJson: ReadJson
  readonly limits: Pick<
    Limits,
    'accessTokenSeconds' | 'clockSkewSeconds' | 'tokenBytes' | 'verifiedTokens' | 'verifiedTokenBytes'
  >
}

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { keys, issuer, audience, denylist, readJson, limits } = options
  const textRules = { algorithms: [keys.algorithm], types: ['JWT'], tokenBytes: limits.tokenBytes, readJson }
  const claimRules = {
    issuer,
    audience,
    lifetimeSeconds: limits.accessTokenSeconds,
    clockSkewSeconds: limits.clockSkewSeconds,
    required: ['nbf', 'jti', 'role'],
  }
  const cache = createVerifiedTokens(limits)

  function verifyAnew(text: string, now: Date): VerifiedToken {
    const signedText = readSignedText(text, textRules)
    const key = keys.verifyingKey(signedText.kid, now)
    requireSignature(signedText, key)
    const claims = readClaims(signedText, readJson)
    const standardClaims = checkClaims(claims, claimRules, now)
    const token = readToken(claims, standardClaims)
    cache.remember(text, { token, kid: signedText.kid, key, ...standardClaims })
    return token
  }

  return {
    issue({ subject, role, sessionId, epoch, authentication = null }, now) {
      invariant(isSubject(subject), 'a token is issued to an id that verifying it accepts')
      const key = keys.signingKey(now)
      const iat = secondsOf(now)
      const exp = iat + limits.accessTokenSeconds
      const times = { iat, nbf: iat - limits.clockSkewSeconds, exp }
      const proof =
        authentication === null ? {} : { auth_time: secondsOf(authentication.at), amr: authentication.methods }
      const claims = {
        iss: issuer,
        aud: audience,
        sub: subject,
        role,
        sid: sessionId,
        epoch,
        ...times,
        jti: randomUUID(),
        ...proof,
      }
      const signingInput = `${encode({ alg: key.algorithm, typ: 'JWT', kid: key.kid })}.${encode(claims)}`
      const signature = signText(key, Buffer.from(signingInput)).toString('base64url')
      return { text: `${signingInput}.${signature}`, expiresInSeconds: limits.accessTokenSeconds }
    },

    verify(text, now) {
      const findKey = (kid: string | null) => keys.verifyingKey(kid, now)
      const token = cache.find(text, findKey, now) ?? verifyAnew(text, now)
      // Last, and for cached tokens too: the token may have been revoked since. (contract 5.1.3)
      if (denylist.refuses(token)) refuseToken('it was revoked')
      return token
    },
  }
}

function readToken(claims: Members, standardClaims: StandardClaims): VerifiedToken {
  const { role, sid = null, epoch = null } = claims
  if (!isSubject(standardClaims.subject)) refuseToken('its "sub" is malformed')
  if (epoch !== null && !Number.isSafeInteger(epoch)) refuseToken('its "epoch" is malformed')
  return Object.freeze({
    subject: standardClaims.subject,
    role: readText(role, 'role'),
    sessionId: sid === null ? null : readText(sid, 'sid'),
    epoch: epoch === null ? null : Number(epoch),
    issuedAt: new Date(standardClaims.issuedAt * 1000),
    expiresAt: new Date(standardClaims.expiresAt * 1000),
    ...readAuthentication(claims),
  })
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000)

const isSubject = (id: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(id)

const encode = (members: Members): string => Buffer.from(JSON.stringify(members)).toString('base64url')
