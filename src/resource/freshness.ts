// Whether the caller proved recently who they are. (contract 5.10.3)

import { Failure } from '../failure/failure.ts'
import { actorOf, type Caller } from './actor.ts'

/**
 * Fails with REAUTHENTICATION_REQUIRED if the caller proved who they are longer ago than this, or at an unknown time; with FORBIDDEN
 * for an API key. Null permits any time. The service itself always passes.
 */
export function requireFresh(maxAgeSeconds: number | null, caller: Caller, now: Date): void {
  const actor = maxAgeSeconds === null ? null : actorOf(caller)
  if (actor === null) return
  if (actor.credential.kind === 'apiKey') throw new Failure('FORBIDDEN', { message: keysAreNeverFresh })
  const at = actor.credential.authenticatedAt ?? null
  if (at === null || now.getTime() - at.getTime() > maxAgeSeconds! * 1000)
    throw new Failure('REAUTHENTICATION_REQUIRED', { maxAgeSeconds: maxAgeSeconds! })
}
const keysAreNeverFresh = 'An API key cannot do this: it requires a recent sign-in.'
