// Sets up authenticator apps, and makes recovery codes. (contract 5.14)

import { Failure } from '../../../failure/failure.ts'
import type { Program, Store } from '../../../store/store.ts'
import type { AccountStore } from '../../account/account-store.ts'
import type { SecurityEvent, SecurityEvents } from '../../account/security-events.ts'
import { type MailStore, noticeSeconds } from '../../mail/mail-store.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { TokenPair } from '../../session/sign-in.ts'
import type { Attempt } from '../login/proof.ts'
import type { SessionCaller } from '../session-caller.ts'
import type { Adder, AddMethod } from './add-method.ts'
import { makeRecoveryCodes, type RecoveryCodeStore } from './recovery-code-store.ts'
import type { SecondFactors } from './second-factors.ts'
import type { SignInMethodStore } from './sign-in-method-store.ts'
import type { TotpCodes } from './totp-code.ts'
import type { TotpStore } from './totp-store.ts'

export interface Totp {
  /** A new secret, which `confirm` completes within ten minutes. Fails with CONFLICT if the account has an app. */
  begin(adder: Adder, now: Date): Promise<{ readonly secret: string; readonly url: string }>
  /** Fails with INVALID_CREDENTIALS (a wrong code), CONFLICT, or INVALID_TOKEN as `AddMethod`. */
  confirm(adder: Adder, code: string, attempt: Attempt): Promise<ConfirmedTotp>
  /** Ten new codes, which end the former ones. Fails with CONFLICT if the account has no second factor. */
  renewRecoveryCodes(session: SessionCaller, attempt: Attempt): Promise<readonly string[]>
}
export interface ConfirmedTotp {
  readonly recoveryCodes: readonly string[]
  /** Of a sign-in that required the setup. */
  readonly tokens: TokenPair | null
}

export interface TotpDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly totps: TotpStore
  readonly codes: TotpCodes
  readonly records: SignInMethodStore
  readonly recoveryCodes: RecoveryCodeStore
  readonly secondFactors: SecondFactors
  readonly addMethod: AddMethod
  readonly mails: MailStore
  readonly events: SecurityEvents
}
const setupSeconds = 600

export function createTotp(dependencies: TotpDependencies): Totp {
  const { store, accounts, sessions, totps, codes, records, recoveryCodes, secondFactors, mails, events } = dependencies

  function* requireNone(userId: string): Program<void> {
    const has = (yield* records.list(userId)).some(({ kind }) => kind === 'totp')
    if (has) throw new Failure('CONFLICT', { message: 'This account has an authenticator app: remove it first.' })
  }
  return {
    async begin(adder, now) {
      const userId = adder.session?.userId ?? adder.challenge!.account.id
      const secret = codes.makeSecret()
      const expiresAt = new Date(now.getTime() + setupSeconds * 1000)
      const login = await store.write(function* () {
        const account = yield* accounts.lock(userId)
        if (account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
        yield* requireNone(userId)
        yield* totps.begin(userId, secret, expiresAt)
        return account.login
      })
      return { secret, url: codes.urlOf(secret, login) }
    },
    async confirm(adder, code, attempt) {
      const { now } = attempt
      const userId = adder.session?.userId ?? adder.challenge!.account.id
      const secret = await store.read(totps.pending(userId, now))
      if (secret === null)
        throw new Failure('CONFLICT', { message: 'Begin the setup again: there is no secret for it.' })
      const step = codes.stepOf(secret, code, now)
      if (step === null) throw new Failure('INVALID_CREDENTIALS')
      const newCodes = makeRecoveryCodes()
      const method = {
        kind: 'totp',
        name: 'Authenticator app',
        methods: ['otp'],
        *store(methodId: string) {
          // Another setup may have replaced the secret, or ended.
          if ((yield* totps.pending(userId, now)) !== secret) throw new Failure('CONFLICT')
          yield* totps.add(userId, methodId, secret, step, now)
          yield* recoveryCodes.replace(userId, newCodes)
        },
      } as const
      const { tokens } = await dependencies.addMethod(adder, method, attempt)
      return { recoveryCodes: newCodes, tokens }
    },
    async renewRecoveryCodes({ userId, sessionId }, { origin, now }) {
      const newCodes = makeRecoveryCodes()
      const event: SecurityEvent = { type: 'method_added', userId, origin, details: { method: 'recovery_codes' } }
      await store.write(function* () {
        const account = yield* accounts.lock(userId)
        if (account === null || !account.isActive || !(yield* sessions.isOpen(sessionId)))
          throw new Failure('INVALID_TOKEN')
        const owed = yield* secondFactors.owedBy(account)
        if (!owed.some((each) => each === 'totp' || each === 'passkey'))
          throw new Failure('CONFLICT', { message: 'This account has no second factor to recover.' })
        yield* recoveryCodes.replace(userId, newCodes)
        yield* events.record(event, now)
        const mail = { kind: 'method_added', address: account.login, userId, detail: 'recovery_codes' } as const
        yield* mails.add({ ...mail, lifetimeSeconds: noticeSeconds }, now)
      })
      events.log(event)
      return newCodes
    },
  }
}
