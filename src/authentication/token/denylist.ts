// Credentials refused before they expire. In memory, so that requests need no query; loaded before listening and updated by
// polling. (contract 5.1.4)

import type { Log } from '../../observation/log.ts'
import type { VerifiedToken } from './verified-tokens.ts'

/** At `until` the last affected token has expired and the denial can be dropped. */
export type Denial =
  | { readonly kind: 'session'; readonly sessionId: string; readonly until: Date }
  /** Refuses the user's tokens of earlier epochs, and tokens without an epoch issued up to `at`. */
  | { readonly kind: 'user'; readonly userId: string; readonly epoch: number; readonly at: Date; readonly until: Date }

export interface Denylist {
  /** Takes effect at once. Repeating a denial can only extend it. */
  deny(denial: Denial, now: Date): void
  refuses(token: DeniableToken): boolean
  readonly size: number
}
export type DeniableToken = Pick<VerifiedToken, 'subject' | 'sessionId' | 'epoch' | 'issuedAt'>

interface RefusedUser {
  readonly epoch: number
  readonly at: Date
  readonly until: Date
}

/**
 * Full of unexpired denials, it drops them and refuses every token issued so far: all clients renew once, and no denied token
 * becomes valid.
 */
export function createDenylist(denialsMax: number, log: Pick<Log, 'error'>): Denylist {
  const sessions = new Map<string, Date>()
  const users = new Map<string, RefusedUser>()
  let refusedUpTo = new Date(0)
  let pruneAt = Math.min(1024, denialsMax)
  const size = () => sessions.size + users.size

  function makeRoom(now: Date): void {
    if (size() < pruneAt) return
    for (const [id, until] of sessions) if (until <= now) sessions.delete(id)
    for (const [id, { until }] of users) if (until <= now) users.delete(id)
    if (size() >= denialsMax) {
      log.error('The denylist is full: every access token issued so far is refused.', { denials: size() })
      refusedUpTo = now
      sessions.clear()
      users.clear()
    }
    // So that pruning has constant amortised cost.
    pruneAt = Math.min(Math.max(1024, 2 * size()), denialsMax)
  }

  return {
    deny(denial, now) {
      makeRoom(now)
      if (denial.kind === 'session')
        sessions.set(denial.sessionId, laterOf(denial.until, sessions.get(denial.sessionId)))
      else users.set(denial.userId, strictestOf(denial, users.get(denial.userId)))
    },
    refuses(token) {
      if (token.issuedAt <= refusedUpTo) return true
      if (token.sessionId !== null && sessions.has(token.sessionId)) return true
      const user = users.get(token.subject)
      if (user === undefined) return false
      return token.epoch === null ? token.issuedAt <= user.at : token.epoch < user.epoch
    },
    get size() {
      return size()
    },
  }
}

const laterOf = (one: Date, other: Date | undefined): Date => (other !== undefined && other > one ? other : one)

const strictestOf = (denied: RefusedUser, before: RefusedUser | undefined): RefusedUser => ({
  epoch: Math.max(denied.epoch, before?.epoch ?? 0),
  at: laterOf(denied.at, before?.at),
  until: laterOf(denied.until, before?.until),
})
