// What a form of login proves, and of which account. (contract 5.13.1)

import type { Exchange } from '../../../http/message/exchange.ts'
import type { Json } from '../../../json/json.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { Origin, SecurityEvent } from '../../account/security-events.ts'
import { originOf } from '../../endpoint.ts'
import type { SessionCaller } from '../session-caller.ts'

export interface Attempt {
  readonly origin: Origin
  readonly now: Date
  /** The session that is reauthenticated; null: a sign-in. */
  readonly session: SessionCaller | null
}

export const attemptOf = (exchange: Exchange, session: SessionCaller | null = null): Attempt => ({
  origin: originOf(exchange),
  now: exchange.now,
  session,
})

export interface Proof {
  /** As it was read for the proof; it must not have changed since. */
  readonly account: Account
  /** Values of `amr`. (RFC 8176) */
  readonly methods: readonly string[]
  /** Whether no second factor is owed after it. */
  readonly isComplete: boolean
  /** Uses up what proved it, in the transaction; false if it was used or ended meanwhile. May fail as `prove`. */
  readonly claim?: (account: Account) => Program<boolean>
  readonly event?: SecurityEvent
  /** Of an account that has changed, or of a claim that fails; otherwise INVALID_TOKEN. */
  readonly refusal?: 'INVALID_CREDENTIALS'
}

export interface LoginForm {
  readonly members: readonly string[]
  readonly step: 'login' | 'second-step'
  /** Fails with VALIDATION_ERROR, INVALID_CREDENTIALS, INVALID_TOKEN or TOKEN_EXPIRED. */
  prove(body: Json, attempt: Attempt): Promise<Proof>
}

/** Of several, the first. */
export function formOf(body: Json, forms: readonly LoginForm[]): LoginForm {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : []
  const countOf = ({ members }: LoginForm) => members.filter((each) => names.includes(each)).length
  return forms.reduce((best, each) => (countOf(each) > countOf(best) ? each : best))
}
