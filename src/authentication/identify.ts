// Turns a credential into an actor; bearer tokens need no database call. (contract 5.1.4)

import { Failure } from '../failure/failure.ts'
import type { Actor, Requester } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import { singleFactorIn } from '../resource/model/tenant/single-factor.ts'
import type { ApiKeys } from './api-key/api-keys.ts'
import type { OutsideIssuer } from './issuer/outside-issuer.ts'
import type { RequestOrigin } from './issuer/provisioning.ts'
import type { LogRefusal } from './refusal-log.ts'
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

export interface IdentifyDependencies {
  readonly model: Model
  readonly accessTokens: AccessTokens
  readonly apiKeys: ApiKeys
  readonly issuers: readonly OutsideIssuer[]
  readonly logRefusal: LogRefusal
}

export function createIdentify({
  model,
  accessTokens,
  apiKeys,
  issuers,
  logRefusal,
}: IdentifyDependencies): Identify<Actor | null> {
  const nothing: Actor['permissions'] = new Set()
  const outside = new Map(issuers.map((each) => [each.issuer, each]))
  const singleFactor = singleFactorIn(model)
  const actorOf = ({ isMultiFactor = false, authenticatedAt = null, ...token }: VerifiedToken): Actor => ({
    id: token.subject,
    role: token.role,
    permissions: model.roles.get(token.role) ?? nothing,
    scopes: null,
    credential: {
      kind: 'bearer',
      tokenId: token.tokenId,
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
