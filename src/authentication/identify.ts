// From a credential to an actor. No call to the database for a bearer token. (contract 5.1.4)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure } from '../failure/failure.ts'
import type { Actor, Requester } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import type { ApiKeys } from './api-key/api-keys.ts'
import type { OutsideIssuer } from './issuer/outside-issuer.ts'
import type { RequestOrigin } from './issuer/provisioning.ts'
import type { AccessTokens } from './token/access-token.ts'
import { unverifiedIssuer } from './token/signed-text.ts'
import type { VerifiedToken } from './token/verified-tokens.ts'

/**
 * The actor whose credential these headers hold; null without one. Fails with INVALID_TOKEN, TOKEN_EXPIRED or
 * INVALID_CREDENTIALS for a credential that is refused, with VALIDATION_ERROR for two kinds of credentials at once, and with
 * SERVICE_UNAVAILABLE where an outside issuer's keys are needed and cannot be fetched.
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
}

export function createIdentify({
  model,
  accessTokens,
  apiKeys,
  issuers,
}: IdentifyDependencies): Identify<Actor | null> {
  const nothing: Actor['permissions'] = new Set()
  const outside = new Map(issuers.map((each) => [each.issuer, each]))
  // A cached token is one object, so that its actor can be cached with it.
  const actors = new WeakMap<VerifiedToken, Actor>()
  const actorOf = (token: VerifiedToken): Actor =>
    getOrInsert(actors, token, ({ subject, role, tokenId, sessionId, expiresAt }) => ({
      id: subject,
      role,
      permissions: model.roles.get(role) ?? nothing,
      scopes: null,
      credential: { kind: 'bearer', tokenId, sessionId, expiresAt },
    }))
  return ({ authorization, 'x-api-key': apiKey }, now, origin) => {
    if (apiKey !== undefined && authorization !== undefined) {
      throw new Failure('VALIDATION_ERROR', { message: 'Send either Authorization or X-API-Key, not both.' })
    }
    if (apiKey !== undefined) return apiKeys.find(String(apiKey), now)
    if (authorization === undefined) return null
    const text = bearerToken(authorization)
    if (text === null) throw new Failure('INVALID_TOKEN')
    // The unverified issuer only selects whose keys verify the token; a false one fails at the signature.
    const issuer = outside.size === 0 ? undefined : outside.get(unverifiedIssuer(text) ?? '')
    if (issuer !== undefined) return issuer.verify(text, now, origin).then(actorOf)
    return actorOf(accessTokens.verify(text, now))
  }
}

/** The scheme is matched in any case; after it stands one space and the token. (RFC 9110 11.4, RFC 6750 2.1) */
const bearerToken = (header: string): string | null => /^bearer ([^\s,]+)$/i.exec(header)?.[1] ?? null
