// Registers passkeys of a signed-in account. (contract 5.15.5)

import { randomBytes } from 'node:crypto'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Program } from '../../store/store.ts'
import type { Origin, SecurityEvent } from '../account/security-events.ts'
import { type MailStore, noticeSeconds } from '../mail/mail-store.ts'
import type { SignInMethodStore } from '../method/factor/sign-in-method-store.ts'
import type { SessionCaller } from '../method/session-caller.ts'
import { hashOpaqueToken } from '../opaque-token.ts'
import type { Revocation } from '../revocation.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { Notice } from '../token/denial-store.ts'
import type { NewCredential } from './ceremony.ts'
import type { Registrant } from './passkey-challenge-store.ts'
import { logProblem, makeChallenge, type PasskeyDependencies, tooMany } from './passkeys.ts'
import type { SentRegistration } from './read-passkey.ts'

export interface PasskeyRegistration {
  /** Fails with INVALID_TOKEN, or SERVICE_UNAVAILABLE if too many challenges wait. */
  options(caller: SessionCaller, now: Date): Promise<object>
  /**
   * Returns the id of the new `SignInMethod`, uses up the challenge, and ends all other sessions. Fails with INVALID_TOKEN,
   * VALIDATION_ERROR (it does not fit), CONFLICT (it is registered) or BUSINESS_RULE_VIOLATION (the account has too many).
   */
  register(
    caller: SessionCaller,
    sent: { readonly registration: SentRegistration; readonly name: string },
    origin: Origin,
    now: Date,
  ): Promise<string>
}

export interface PasskeyRegistrationDependencies extends Omit<PasskeyDependencies, 'methods' | 'limits'> {
  readonly methods: Pick<SignInMethodStore, 'add'>
  readonly sessions: Pick<SessionStore, 'isOpen'>
  readonly mails: MailStore
  readonly endOtherSessions: Revocation['endOtherSessions']
  readonly apply: (notice: Notice, now: Date) => void
  readonly limits: Pick<Limits, 'busyRetrySeconds' | 'passkeysPerAccount'>
}

export function createPasskeyRegistration(dependencies: PasskeyRegistrationDependencies): PasskeyRegistration {
  const { store, ceremony, accounts, passkeys, challenges, methods, sessions, mails, events, log, limits } =
    dependencies

  /** Fails with INVALID_TOKEN. The account must be locked by the caller if it writes. */
  function* accountOf({ userId, sessionId }: SessionCaller) {
    const account = yield* accounts.lock(userId)
    if (account === null || !account.isActive || !(yield* sessions.isOpen(sessionId)))
      throw new Failure('INVALID_TOKEN')
    return account
  }

  function* add(
    caller: SessionCaller,
    { handle, epoch }: Registrant,
    { id, publicKey, counter, name }: NewCredential & { readonly name: string },
    now: Date,
  ): Program<string> {
    const account = yield* accountOf(caller)
    const { access } = yield* accounts.epochs(account.id)
    if (access !== epoch) throw new Failure('INVALID_TOKEN')
    const { length } = yield* passkeys.of(account.id)
    if (length >= limits.passkeysPerAccount)
      throw new Failure('BUSINESS_RULE_VIOLATION', {
        message: `An account has at most ${limits.passkeysPerAccount} passkeys.`,
      })
    const methodId = yield* methods.add(account.id, 'passkey', name, now)
    const passkey = { credentialId: id, methodId, userId: account.id, handle, publicKey, counter }
    if (!(yield* passkeys.add(passkey))) throw new Failure('CONFLICT', { message: 'This passkey is registered.' })
    const mail = { kind: 'method_added', address: account.login, userId: account.id, detail: 'passkey' } as const
    yield* mails.add({ ...mail, lifetimeSeconds: noticeSeconds }, now)
    return methodId
  }

  return {
    async options(caller, now) {
      const challenge = makeChallenge()
      const holder = await store.write(function* () {
        const { id: userId, login } = yield* accountOf(caller)
        const existing = yield* passkeys.of(userId)
        // One per account, so that an authenticator shows the account once.
        const handle = existing[0]?.handle ?? randomBytes(32).toString('base64url')
        const { access: epoch } = yield* accounts.epochs(userId)
        if (!(yield* challenges.add(hashOpaqueToken(challenge), { userId, handle, epoch }, now))) return null
        return { handle, login, credentialIds: existing.map(({ credentialId }) => credentialId) }
      })
      if (holder === null) throw tooMany(limits)
      return ceremony.registrationOptions(challenge, holder)
    },

    async register(caller, { registration, name }, origin, now) {
      const { userId, sessionId } = caller
      const challenge = ceremony.challengeIn(registration.clientDataJSON)
      const hash = hashOpaqueToken(challenge ?? '')
      const registrant = challenge && (await store.write(() => challenges.useToRegister(hash, userId, now)))
      if (!registrant) throw new Failure('INVALID_TOKEN')
      const verdict = await ceremony.verifyRegistration(registration, challenge)
      if ('problem' in verdict) {
        logProblem(log, userId, verdict.problem, origin)
        const message = 'Does not fit this service, or the options that it was made with.'
        throw new Failure('VALIDATION_ERROR', { details: [{ field: 'registration', message }] })
      }
      const event = (id: string): SecurityEvent => {
        return { type: 'method_added', userId, origin, details: { method: 'passkey', method_id: id } }
      }
      const { methodId, notices } = await store.write(function* () {
        const id = yield* add(caller, registrant, { ...verdict.value, name }, now)
        yield* events.record(event(id), now)
        return { methodId: id, notices: yield* dependencies.endOtherSessions(userId, sessionId, now) }
      })
      for (const notice of notices) dependencies.apply(notice, now)
      events.log(event(methodId))
      return methodId
    },
  }
}
