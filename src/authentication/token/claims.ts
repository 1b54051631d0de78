// Checks the claims of a verified token in the order of contract 5.1.3: exp, iss, aud, nbf, then the others.

import { Failure } from '../../failure/failure.ts'
import { type Members, refuseToken } from './signed-text.ts'

export interface ClaimRules {
  readonly issuer: string
  readonly audience: string
  readonly lifetimeSeconds: number
  /** How far `iat` may be ahead of this clock. */
  readonly clockSkewSeconds: number
  /** Required claims besides `sub`, `iss`, `aud`, `exp` and `iat`. */
  readonly required: readonly string[]
}

/** Times are Unix seconds. */
export interface StandardClaims {
  readonly subject: string
  readonly issuedAt: number
  readonly expiresAt: number
  /** `iat` if there is no `nbf`. */
  readonly notBefore: number
}

/** TOKEN_EXPIRED from the second of `exp` on, without tolerance; otherwise INVALID_TOKEN. (contract 5.1.3) */
export function checkClaims(claims: Members, rules: ClaimRules, now: Date): StandardClaims {
  const expiresAt = readSeconds(claims['exp'], 'exp')
  requireUnexpired(expiresAt, now)
  if (claims['iss'] !== rules.issuer) refuseToken('its issuer is another')
  if (!isFor(rules.audience, claims['aud'])) refuseToken('its audience is another')
  const issuedAt = readSeconds(claims['iat'], 'iat')
  const notBefore = claims['nbf'] === undefined ? issuedAt - rules.clockSkewSeconds : readSeconds(claims['nbf'], 'nbf')
  requireBegun(notBefore, now)
  requireBegun(issuedAt - rules.clockSkewSeconds, now)
  if (issuedAt >= expiresAt) refuseToken('it expires before it was issued')
  if (expiresAt - issuedAt > rules.lifetimeSeconds) refuseToken('it lives too long')
  const absentClaim = rules.required.find((name) => claims[name] === undefined)
  if (absentClaim !== undefined) refuseToken(`it has no "${absentClaim}"`)
  if (claims['jti'] !== undefined) readText(claims['jti'], 'jti')
  return { subject: readText(claims['sub'], 'sub'), issuedAt, expiresAt, notBefore }
}

export interface TokenAuthentication {
  /** `auth_time`; null: unknown. */
  readonly authenticatedAt: Date | null
  /** `mfa` in `amr`. */
  readonly isMultiFactor: boolean
}
/** When its session was proved, and whether by a second factor: `auth_time` and `amr`. (contract 5.10.1) */
export function readAuthentication(claims: Members): TokenAuthentication {
  const { auth_time: time, amr } = claims
  return {
    authenticatedAt: time === undefined ? null : new Date(readSeconds(time, 'auth_time') * 1000),
    isMultiFactor: Array.isArray(amr) && amr.includes('mfa'),
  }
}

/** TOKEN_EXPIRED from that second on. */
export function requireUnexpired(expiresAt: number, now: Date): void {
  if (now.getTime() >= expiresAt * 1000) throw new Failure('TOKEN_EXPIRED')
}

/** INVALID_TOKEN before that second. */
export function requireBegun(notBefore: number, now: Date): void {
  if (now.getTime() < notBefore * 1000) refuseToken('it is not valid yet')
}

/** 1 to 128 visible characters, otherwise INVALID_TOKEN. */
export function readText(value: unknown, name: string): string {
  if (typeof value !== 'string' || !/^[!-~]{1,128}$/.test(value)) refuseToken(`its "${name}" is malformed`)
  return value
}

/** Only whole seconds; issuers send no fractions. */
function readSeconds(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) refuseToken(`its "${name}" is malformed`)
  return value
}

function isFor(audience: string, claimed: unknown): boolean {
  if (!Array.isArray(claimed)) return claimed === audience
  return claimed.every((name) => typeof name === 'string') && claimed.includes(audience)
}
