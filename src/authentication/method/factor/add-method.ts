// Adds a sign-in method, for a recent session or for an account whose sign-in requires one. (contract 5.13.6)

import { Failure } from '../../../failure/failure.ts'
import type { Program, Store } from '../../../store/store.ts'
import type { Account, AccountStore } from '../../account/account-store.ts'
import type { SecurityEvent, SecurityEvents } from '../../account/security-events.ts'
import { type MailStore, noticeSeconds } from '../../mail/mail-store.ts'
import { createOpaqueToken } from '../../opaque-token.ts'
import type { Revocation } from '../../revocation.ts'
import type { SessionStore, TokenGrant } from '../../session/session-store.ts'
import type { SignIn, TokenPair } from '../../session/sign-in.ts'
import type { Notice } from '../../token/denial-store.ts'
import type { OpenChallenge } from '../login/challenge.ts'
import type { Attempt } from '../login/proof.ts'
import type { SessionAuthentications } from '../session-authentication.ts'
import type { SessionCaller } from '../session-caller.ts'
import type { SecondFactors } from './second-factors.ts'
import type { MethodKind, SignInMethodStore } from './sign-in-method-store.ts'

export type Adder =
  | { readonly session: SessionCaller; readonly challenge: null }
  | { readonly session: null; readonly challenge: OpenChallenge }

export interface NewMethod {
  readonly kind: MethodKind
  readonly name: string
  /** Values of `amr`. Empty for issuers, which are no second factor. */
  readonly methods: readonly string[]
  /** Stores what belongs to it. The account is locked. */
  store(methodId: string, account: Account): Program<void>
}
export interface AddedMethod {
  readonly id: string
  readonly tokens: TokenPair | null
}

/**
 * Ends all other sessions, writes the security event and the mail. Fails with INVALID_TOKEN if session, challenge or account
 * have ended, or if no setup is required.
 */
export type AddMethod = (adder: Adder, method: NewMethod, attempt: Attempt) => Promise<AddedMethod>

export interface AddMethodDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly authentications: SessionAuthentications
  readonly records: SignInMethodStore
  readonly secondFactors: SecondFactors
  readonly mails: MailStore
  readonly events: SecurityEvents
  readonly endOtherSessions: Revocation['endOtherSessions']
  readonly signIn: Pick<SignIn, 'tokensOf'>
  readonly apply: (notice: Notice, now: Date) => void
}

export function createAddMethod(dependencies: AddMethodDependencies): AddMethod {
  const { store, accounts, sessions, authentications, records, secondFactors, mails, events, signIn } = dependencies

  function* requireAdder({ session, challenge }: Adder): Program<Account> {
    const account = yield* accounts.lock(session?.userId ?? challenge!.account.id)
    if (account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
    if (session !== null) {
      if (!(yield* sessions.isOpen(session.sessionId))) throw new Failure('INVALID_TOKEN')
      return account
    }
    // An account with another factor proves that one, and adds none in its place.
    const owed = yield* secondFactors.owedBy(account)
    if (!owed.includes('setup') || !(yield* challenge!.claim())) throw new Failure('INVALID_TOKEN')
    return account
  }
  /** The current session continues, and has proved the method. */
  function* noteProof(sessionId: string, proved: readonly string[], now: Date): Program<void> {
    if (proved.length === 0) return
    const { at, methods } = (yield* authentications.find(sessionId)) ?? { at: now, methods: [] }
    yield* authentications.put(sessionId, { at, methods: [...new Set([...methods, ...proved, 'mfa'])] })
  }

  return async (adder, { kind, name, methods, store: keep }, { origin, now }) => {
    const { session, challenge } = adder
    const userId = session?.userId ?? challenge!.account.id
    const eventOf = (method_id: string): SecurityEvent => ({
      type: 'method_added',
      userId,
      origin,
      details: { method: kind, method_id },
    })
    const next = createOpaqueToken('rt_')
    const { id, notices, grant } = await store.write(function* () {
      const account = yield* requireAdder(adder)
      const methodId = yield* records.add(userId, kind, name, now)
      yield* keep(methodId, account)
      const ended = yield* dependencies.endOtherSessions(userId, session?.sessionId ?? '', now)
      yield* events.record(eventOf(methodId), now)
      const mail = { kind: 'method_added', address: account.login, userId, detail: kind } as const
      yield* mails.add({ ...mail, lifetimeSeconds: noticeSeconds }, now)
      let opened: TokenGrant | null = null
      if (session !== null) yield* noteProof(session.sessionId, methods, now)
      else opened = yield* sessions.open(account, [...challenge!.methods, ...methods, 'mfa'], next.hash, origin, now)
      return { id: methodId, notices: ended, grant: opened }
    })
    for (const notice of notices) dependencies.apply(notice, now)
    events.log(eventOf(id))
    return { id, tokens: grant === null ? null : signIn.tokensOf(grant, next.text, now) }
  }
}
