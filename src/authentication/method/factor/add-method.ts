// Adds a sign-in method, for a recent session or for an account whose sign-in requires one. (contract 5.13.6)

import { Failure } from '../../../failure/failure.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { SecurityEvent } from '../../account/security-events.ts'
import { createOpaqueToken } from '../../opaque-token.ts'
import type { Parts } from '../../parts.ts'
import type { TokenGrant } from '../../session/session-store.ts'
import type { TokenPair } from '../../session/sign-in.ts'
import type { Attempt } from '../login/proof.ts'
import type { SessionAuthentications } from '../session-authentication.ts'
import { type Adder, type AdderDependencies, requireAdder, userOf } from './adder.ts'
import type { MethodKind } from './sign-in-method-store.ts'

export interface NewMethod {
  readonly kind: MethodKind
  /** Values of `amr`. Empty for issuers, which are no second factor. */
  readonly methods: readonly string[]
  /** Stores its record and what belongs to it, and returns the id. The account is locked. */
  store(account: Account): Program<string>
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

type Used = 'store' | 'mails' | 'events' | 'revocation' | 'signIn' | 'apply'
interface AddMethodDependencies extends Pick<Parts, Used>, AdderDependencies {
  readonly authentications: SessionAuthentications
}

export function createAddMethod(dependencies: AddMethodDependencies): AddMethod {
  const { store, sessions, authentications, mails, events, revocation, signIn, apply } = dependencies

  /** The current session continues, and has proved the method. */
  function* noteProof(sessionId: string, proved: readonly string[], now: Date): Program<void> {
    if (proved.length === 0) return
    const { at, methods } = (yield* authentications.find(sessionId)) ?? { at: now, methods: [] }
    yield* authentications.put(sessionId, { at, methods: [...new Set([...methods, ...proved, 'mfa'])] })
  }

  return async (adder, { kind, methods, store: keep }, { origin, now }) => {
    const { session, challenge } = adder
    const userId = userOf(adder)
    const eventOf = (method_id: string): SecurityEvent => ({
      type: 'method_added',
      userId,
      origin,
      details: { method: kind, method_id },
    })
    const next = createOpaqueToken('rt_')
    const { id, notices, grant } = await store.write(function* () {
      const account = yield* requireAdder(adder, dependencies)
      if (challenge !== null && !(yield* challenge.claim())) throw new Failure('INVALID_TOKEN')
      const methodId = yield* keep(account)
      const ended = yield* revocation.endOtherSessions(userId, session?.sessionId ?? '', now)
      yield* events.record(eventOf(methodId), now)
      yield* mails.add({ kind: 'method_added', address: account.login, userId, detail: kind }, now)
      let opened: TokenGrant | null = null
      if (session !== null) yield* noteProof(session.sessionId, methods, now)
      else opened = yield* sessions.open(account, [...challenge!.methods, ...methods, 'mfa'], next.hash, origin, now)
      return { id: methodId, notices: ended, grant: opened }
    })
    for (const notice of notices) apply(notice, now)
    events.log(eventOf(id))
    return { id, tokens: grant === null ? null : signIn.tokensOf(grant, next.text, now) }
  }
}
