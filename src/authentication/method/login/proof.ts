// What a form of login proves, and of which account. (contract 5.13.1)

import type { Json } from '../../../json/json.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { Origin, SecurityEvent } from '../../account/security-events.ts'
import type { SessionCaller } from '../session-caller.ts'

/** A request that proves an account. */
export interface Attempt {
  readonly origin: Origin
  readonly now: Date
  /** The session that is reauthenticated; null: a sign-in. */
  readonly session: SessionCaller | null
}

export interface Proof {
  /** As it was read for the proof; it must not have changed since. */
  readonly account: Account
  /** Values of `amr`. (RFC 8176) */
  readonly methods: readonly string[]
  /** Whether no second factor is owed after it. */
  readonly isComplete: boolean
  /** Uses up what proved it, in the transaction that signs in; false if it was used or ended meanwhile. May fail as `prove`. */
  readonly claim?: (account: Account) => Program<boolean>
  /** Recorded by `claim`; logged after the commit. */
  readonly event?: SecurityEvent
  /** Of an account that has changed, or of a claim that fails; otherwise INVALID_TOKEN. */
  readonly refusal?: 'INVALID_CREDENTIALS'
}

/** One form of the body of login and reauthenticate. */
export interface LoginForm {
  /** All are required, and no other is allowed. */
  readonly members: readonly string[]
  readonly step: 'login' | 'second-step'
  /** Fails with VALIDATION_ERROR, INVALID_CREDENTIALS, INVALID_TOKEN or TOKEN_EXPIRED. */
  prove(body: Json, attempt: Attempt): Promise<Proof>
}

/** The form that shares most members with the body; of several, the first. */
export function formOf(body: Json, forms: readonly LoginForm[]): LoginForm {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : []
  const countOf = ({ members }: LoginForm) => members.filter((each) => names.includes(each)).length
  return forms.reduce((best, each) => (countOf(each) > countOf(best) ? each : best))
}
