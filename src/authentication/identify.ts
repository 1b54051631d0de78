// From a credential to an actor. No call to the database for a bearer token. (contract 5)

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../failure/failure.ts'
import type { Actor } from '../resource/actor.ts'
import type { Model } from '../resource/model.ts'
import type { AccessTokens } from './access-token.ts'
import type { VerifiedToken } from './verified-tokens.ts'

/**
 * Who sent these headers; null where no credential is shown. Fails with INVALID_TOKEN, TOKEN_EXPIRED or
 * INVALID_CREDENTIALS for a credential that is refused, with VALIDATION_ERROR where two kinds are shown at once.
 */
export type Identify = (headers: IncomingHttpHeaders, now: Date) => Actor | null | Promise<Actor>

export type FindApiKey = (key: string, now: Date) => Promise<Actor>

export function createIdentify(model: Model, accessTokens: AccessTokens, findApiKey: FindApiKey): Identify {
  const nothing: Actor['permissions'] = new Set()
  // One token text has one verified token as long as it is remembered: so its actor is made once, too.
  const actors = new WeakMap<VerifiedToken, Actor>()
  const toActor = (token: VerifiedToken): Actor => ({
    id: token.subject,
    role: token.role,
    permissions: model.roles.get(token.role) ?? nothing,
    scopes: null,
    credential: { kind: 'bearer', tokenId: token.tokenId, sessionId: token.sessionId, expiresAt: token.expiresAt },
  })
  return ({ authorization, 'x-api-key': apiKey }, now) => {
    if (apiKey !== undefined && authorization !== undefined) {
      throw new Failure('VALIDATION_ERROR', { message: 'Send either Authorization or X-API-Key, not both.' })
    }
    if (apiKey !== undefined) return findApiKey(String(apiKey), now)
    if (authorization === undefined) return null
    const text = bearerToken(authorization)
    if (text === null) throw new Failure('INVALID_TOKEN')
    return actors.getOrInsertComputed(accessTokens.verify(text, now), toActor)
  }
}

/** The scheme is matched in any case; after it stands one space and the token. (RFC 9110 11.4, RFC 6750 2.1) */
const bearerToken = (header: string): string | null => /^bearer ([^\s,]+)$/i.exec(header)?.[1] ?? null
