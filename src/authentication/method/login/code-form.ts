// Completes a challenge with a code of an authenticator app, or a recovery code. (contract 5.14.2, 5.14.4)

import { Failure } from '../../../failure/failure.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { SecurityEvent } from '../../account/security-events.ts'
import type { NoticeKind } from '../../mail/mail-store.ts'
import type { Parts } from '../../parts.ts'
import { readTexts } from '../../session/read-texts.ts'
import { isTotpCode, type TotpCodes } from '../factor/totp-code.ts'
import { attemptsPerHour, type TotpStore } from '../factor/totp-store.ts'
import type { StoredMethods } from '../method-stores.ts'
import type { OpenChallengeBy } from './challenge.ts'
import type { Attempt, LoginForm } from './proof.ts'

interface CodeFormDependencies
  extends Pick<Parts, 'store' | 'mails' | 'events' | 'signIn' | 'wakeMails'>,
    Pick<StoredMethods, 'records' | 'recoveryCodes'> {
  readonly openChallenge: OpenChallengeBy
  /** Null without authenticator apps. */
  readonly apps: { readonly totps: TotpStore; readonly codes: TotpCodes } | null
}

/** How a code was proved; it is used up in the transaction that signs in. */
interface ProvedCode {
  readonly methods: readonly string[]
  /** Fails with INVALID_CREDENTIALS if it was used. */
  use(): Program<void>
  readonly event?: SecurityEvent
}

export function createCodeForm(dependencies: CodeFormDependencies): LoginForm {
  const { store, openChallenge, apps, records, recoveryCodes, mails, events, signIn } = dependencies

  function* noteWith(event: SecurityEvent, account: Account, now: Date): Program<void> {
    yield* events.record(event, now)
    yield* mails.add({ kind: event.type as NoticeKind, address: account.login, userId: account.id }, now)
  }
  async function block(account: Account, { origin, now }: Attempt): Promise<void> {
    const event: SecurityEvent = { type: 'second_factor_blocked', userId: account.id, origin, details: {} }
    await store.write(() => noteWith(event, account, now))
    events.log(event)
    dependencies.wakeMails()
  }

  async function proveTotp(account: Account, code: string, attempt: Attempt): Promise<ProvedCode> {
    const { origin, now } = attempt
    if (apps === null) return signIn.refuse(account.id, origin, 'INVALID_CREDENTIALS')
    const { totps, codes } = apps
    const found = await store.write(() => totps.attempt(account.id, now))
    if (found === 'blocked') throw new Failure('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 3_600 })
    const step = found === null ? null : codes.stepOf(found.secret, code, now)
    if (step === null) {
      if (found?.attempts === attemptsPerHour) await block(account, attempt)
      return signIn.refuse(account.id, origin, 'INVALID_CREDENTIALS')
    }
    return {
      methods: ['otp'],
      *use() {
        const methodId = yield* totps.accept(account.id, step)
        if (methodId === null) throw new Failure('INVALID_CREDENTIALS')
        yield* records.touch(methodId, now)
      },
    }
  }
  function proveRecovery(account: Account, code: string, { origin, now }: Attempt): ProvedCode {
    const event: SecurityEvent = { type: 'recovery_code_used', userId: account.id, origin, details: {} }
    return {
      methods: ['otp'],
      event,
      *use() {
        if (!(yield* recoveryCodes.use(account.id, code))) throw new Failure('INVALID_CREDENTIALS')
        yield* noteWith(event, account, now)
      },
    }
  }

  return {
    members: ['challenge', 'code'],
    step: 'second-step',
    async prove(body, attempt) {
      const { challenge: token, code } = readTexts(body, ['challenge', 'code'])
      const challenge = await openChallenge(token, attempt)
      const { account } = challenge
      const proved = isTotpCode(code) ? await proveTotp(account, code, attempt) : proveRecovery(account, code, attempt)
      return {
        account,
        methods: [...new Set([...challenge.methods, ...proved.methods, 'mfa'])],
        isComplete: true,
        ...(proved.event === undefined ? {} : { event: proved.event }),
        *claim() {
          yield* proved.use()
          return yield* challenge.claim()
        },
      }
    },
  }
}
