// Turns a credential into an actor; bearer tokens need no database call. (contract 5.1.4)

import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Actor, Requester } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import { singleFactorIn } from '../resource/model/tenant/single-factor.ts'
import type { ApiKeys } from './api-key/api-keys.ts'
import type { OutsideIssuer } from './issuer/outside-issuer.ts'
import type { RequestOrigin } from './issuer/provisioning.ts'
import type { AccessTokens } from './token/access-token.ts'
import { unverifiedIssuer } from './token/signed-text.ts'
import type { VerifiedToken } from './token/verified-tokens.ts'

/**
 * Null without a credential. Fails with INVALID_TOKEN, TOKEN_EXPIRED or INVALID_CREDENTIALS if it is refused, VALIDATION_ERROR for
 * two kinds at once, SERVICE_UNAVAILABLE if an outside issuer's keys cannot be fetched.
 */
export type Identify<Who extends Requester = Requester> = (
  headers: Credentials,
  now: Date,
  origin: RequestOrigin,
) => Who | Promise<Exclude<Who, null>>
export interface Credentials {
  readonly authorization?: string | undefined
  readonly 'x-api-key'?: string | string[] | undefined
  readonly 'x-access-code'?: string | string[] | undefined
}

interface IdentifyDependencies {
  readonly model: Model
  readonly accessTokens: AccessTokens
  readonly apiKeys: ApiKeys
  readonly issuers: readonly OutsideIssuer[]
  readonly log: Pick<Log, 'warn'>
}

export function createIdentify({
  model,
  accessTokens,
  apiKeys,
  issuers,
  log,
}: IdentifyDependencies): Identify<Actor | null> {
  const nothing: Actor['permissions'] = new Set()
  const logRefusal = createRefusalLog(log)
  const outside = new Map(issuers.map((each) => [each.issuer, each]))
  const singleFactor = singleFactorIn(model)
  const actorOf = ({ isMultiFactor = false, authenticatedAt = null, ...token }: VerifiedToken): Actor => ({
    id: token.subject,
    role: token.role,
    permissions: model.roles.get(token.role) ?? nothing,
    scopes: null,
    credential: {
      kind: 'bearer',
      sessionId: token.sessionId,
      expiresAt: token.expiresAt,
      authenticatedAt,
    },
    ...(isMultiFactor ? {} : singleFactor),
  })
  return ({ authorization, 'x-api-key': apiKey }, now, origin) => {
    if (apiKey !== undefined && authorization !== undefined) {
      throw new Failure('VALIDATION_ERROR', { message: 'Send either Authorization or X-API-Key, not both.' })
    }
    if (apiKey !== undefined) return apiKeys.find(String(apiKey), now)
    if (authorization === undefined) return null
    const text = bearerToken(authorization)
    if (text === null) throw new Failure('INVALID_TOKEN')
    // The unverified issuer only selects the keys; a false one fails at the signature.
    const issuer = outside.size === 0 ? undefined : outside.get(unverifiedIssuer(text) ?? '')
    const refuse = (error: unknown): never => {
      logRefusal(error, issuer?.issuer ?? null, origin, now)
      throw error
    }
    if (issuer !== undefined) return issuer.verify(text, now, origin).then(actorOf, refuse)
    try {
      return actorOf(accessTokens.verify(text, now))
    } catch (error) {
      return refuse(error)
    }
  }
}

/** The scheme in any case, then spaces and the token. (RFC 9110 11.4, RFC 6750 2.1) */
const bearerToken = (header: string): string | null => /^bearer +([^\s,]+)$/i.exec(header)?.[1] ?? null

/** Each reason is logged once per interval, so that forged tokens do not fill the log. */
const pauseMs = 60_000

/** Logs why bearer tokens are refused; clients get no reason. (contract 5.6.9) */
function createRefusalLog(log: Pick<Log, 'warn'>) {
  // Bounded: reasons come from the checks, issuers from the configuration.
  const refusals = new Map<string, { loggedAt: number; omitted: number }>()
  /** `issuer`: the outside issuer named by the token; null for the service's own. */
  return (error: unknown, issuer: string | null, { address: ip, requestId }: RequestOrigin, now: Date): void => {
    if (!(error instanceof Failure) || error.code !== 'INVALID_TOKEN' || typeof error.cause !== 'string') return
    const reason = error.cause
    const key = `${issuer} ${reason}`
    const last = refusals.get(key)
    if (last !== undefined && now.getTime() - last.loggedAt < pauseMs) {
      last.omitted++
      return
    }
    refusals.set(key, { loggedAt: now.getTime(), omitted: 0 })
    const omitted = last === undefined || last.omitted === 0 ? {} : { omitted: last.omitted }
    log.warn('A token was refused.', { event: 'token_refused', issuer, reason, ip, requestId, ...omitted })
  }
}
