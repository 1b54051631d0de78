// Links a person of an issuer to the account of a recent session. (contract 5.16.5)

import { Failure } from '../../failure/failure.ts'
import { type Store, UniqueViolation } from '../../store/store.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { Origin, SecurityEvent, SecurityEvents } from '../account/security-events.ts'
import { redeemCode } from '../flow/code-form.ts'
import type { CodeStore, Proved } from '../flow/code-store.ts'
import type { MailStore } from '../mail/mail-store.ts'
import type { SessionCaller } from '../method/session-caller.ts'
import type { Revocation } from '../revocation.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { Notice } from '../token/denial-store.ts'
import type { IssuerMethodStore } from './issuer-method-store.ts'
import type { OutsideAccountStore } from './outside-account-store.ts'

/**
 * Returns the id of the new method, and ends all other sessions. Fails with INVALID_TOKEN, or CONFLICT if the person has an account
 * here.
 */
export type LinkIssuer = (
  caller: SessionCaller,
  sent: { readonly ticket: string; readonly verifier: string },
  origin: Origin,
  now: Date,
) => Promise<string>

export interface LinkIssuerDependencies {
  readonly store: Store
  readonly codes: CodeStore
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly outsideAccounts: OutsideAccountStore
  readonly issuerMethods: IssuerMethodStore
  readonly mails: MailStore
  readonly events: SecurityEvents
  readonly endOtherSessions: Revocation['endOtherSessions']
  readonly apply: (notice: Notice, now: Date) => void
}

export function createLinkIssuer(dependencies: LinkIssuerDependencies): LinkIssuer {
  const { store, accounts, sessions, outsideAccounts, issuerMethods, mails, events } = dependencies

  function* link(
    person: Proved & { purpose: 'link' },
    { userId, sessionId }: SessionCaller,
    event: SecurityEvent,
    now: Date,
  ) {
    const account = yield* accounts.lock(userId)
    if (account === null || !account.isActive || !(yield* sessions.isOpen(sessionId)))
      throw new Failure('INVALID_TOKEN')
    yield* outsideAccounts.add(person, userId, now)
    const id = yield* issuerMethods.note(person, userId, person.name, now)
    yield* events.record(event, now)
    const mail = { kind: 'method_added', address: account.login, userId } as const
    yield* mails.add({ ...mail, lifetimeSeconds: noticeSeconds }, now)
    return { id, notices: yield* dependencies.endOtherSessions(userId, sessionId, now) }
  }
  return async (caller, { ticket, verifier }, origin, now) => {
    const proved = await redeemCode(ticket, verifier, now, dependencies)
    if (proved?.purpose !== 'link') throw new Failure('INVALID_TOKEN')
    const event: SecurityEvent = { type: 'method_added', userId: caller.userId, origin, details: { kind: 'issuer' } }
    try {
      const { id, notices } = await store.write(() => link(proved, caller, event, now))
      for (const notice of notices) dependencies.apply(notice, now)
      events.log(event)
      return id
    } catch (error) {
      if (error instanceof UniqueViolation)
        throw new Failure('CONFLICT', { message: 'This person signs in to an account here already.' })
      throw error
    }
  }
}
const noticeSeconds = 86_400
