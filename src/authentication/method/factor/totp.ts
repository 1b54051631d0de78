// Sets up authenticator apps. (contract 5.14)

import { Failure } from '../../../failure/failure.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { Parts } from '../../parts.ts'
import type { TokenPair } from '../../session/sign-in.ts'
import type { Attempt } from '../login/proof.ts'
import type { StoredMethods } from '../method-stores.ts'
import type { AddMethod } from './add-method.ts'
import { type Adder, type AdderDependencies, requireAdder, userOf } from './adder.ts'
import { makeRecoveryCodes } from './recovery-code-store.ts'
import type { TotpCodes } from './totp-code.ts'
import type { TotpStore } from './totp-store.ts'

export interface Totp {
  /** A new secret, which `confirm` completes within ten minutes. Fails with CONFLICT if the account has an app. */
  begin(adder: Adder, now: Date): Promise<{ readonly secret: string; readonly url: string }>
  /** Fails with INVALID_CREDENTIALS (a wrong code), CONFLICT, or INVALID_TOKEN as `AddMethod`. */
  confirm(adder: Adder, code: string, attempt: Attempt): Promise<ConfirmedTotp>
}
export interface ConfirmedTotp {
  readonly recoveryCodes: readonly string[]
  /** Of a sign-in that required the setup. */
  readonly tokens: TokenPair | null
}

interface TotpDependencies
  extends Pick<Parts, 'store'>,
    AdderDependencies,
    Pick<StoredMethods, 'records' | 'recoveryCodes'> {
  readonly totps: TotpStore
  readonly codes: TotpCodes
  readonly addMethod: AddMethod
}
const setupSeconds = 600

export function createTotp(dependencies: TotpDependencies): Totp {
  const { store, totps, codes, records, recoveryCodes } = dependencies

  function* requireNone(userId: string): Program<void> {
    const has = (yield* records.list(userId)).some(({ kind }) => kind === 'totp')
    if (has) throw new Failure('CONFLICT', { message: 'This account has an authenticator app: remove it first.' })
  }
  return {
    async begin(adder, now) {
      const userId = userOf(adder)
      const secret = codes.makeSecret()
      const expiresAt = new Date(now.getTime() + setupSeconds * 1000)
      const login = await store.write(function* () {
        const account = yield* requireAdder(adder, dependencies)
        yield* requireNone(userId)
        yield* totps.begin(userId, secret, expiresAt)
        return account.login
      })
      return { secret, url: codes.urlOf(secret, login) }
    },
    async confirm(adder, code, attempt) {
      const { now } = attempt
      const newCodes = makeRecoveryCodes()
      const method = {
        kind: 'totp',
        methods: ['otp'],
        // Under the lock of the account, since another setup may replace the secret.
        *store({ id: userId }: Account) {
          const secret = yield* totps.pending(userId, now)
          if (secret === null)
            throw new Failure('CONFLICT', { message: 'Begin the setup again: there is no secret for it.' })
          const step = codes.stepOf(secret, code, now)
          if (step === null) throw new Failure('INVALID_CREDENTIALS')
          const methodId = yield* records.add(userId, 'totp', 'Authenticator app', now)
          yield* totps.add(userId, methodId, secret, step, now)
          yield* recoveryCodes.replace(userId, newCodes)
          return methodId
        },
      } as const
      const { tokens } = await dependencies.addMethod(adder, method, attempt)
      return { recoveryCodes: newCodes, tokens }
    },
  }
}
