// Callers that change how their account signs in: only with an access token of a session. (contract 5.10.2)

import { Failure } from '../../failure/failure.ts'
import type { Actor } from '../../resource/actor.ts'
import { requireFresh } from '../../resource/freshness.ts'

/** The account and the session of an access token of this service. */
export interface SessionCaller {
  readonly userId: string
  readonly sessionId: string
}

/** Fails with UNAUTHENTICATED without a credential, FORBIDDEN for API keys and tokens of outside issuers. */
export function requireSession(actor: Actor | null): SessionCaller {
  if (actor === null) throw new Failure('UNAUTHENTICATED')
  const { id, credential } = actor
  if (id === null || credential.kind === 'apiKey' || credential.sessionId === null)
    throw new Failure('FORBIDDEN', { message: 'This requires an access token of this service.' })
  return { userId: id, sessionId: credential.sessionId }
}

/** Fails as `requireSession`, or with REAUTHENTICATION_REQUIRED. */
export function requireFreshSession(actor: Actor | null, now: Date): SessionCaller {
  const caller = requireSession(actor)
  requireFresh(freshSeconds, actor, now)
  return caller
}
const freshSeconds = 300
