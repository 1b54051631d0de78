// Registers passkeys of an account. (contract 5.15.5)

import { randomBytes } from 'node:crypto'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Account } from '../account/account-store.ts'
import type { AddedMethod, AddMethod } from '../method/factor/add-method.ts'
import { type Adder, type AdderDependencies, requireAdder, userOf } from '../method/factor/adder.ts'
import type { Attempt } from '../method/login/proof.ts'
import { hashOpaqueToken } from '../opaque-token.ts'
import { logProblem, makeChallenge, type PasskeyDependencies, tooMany } from './passkeys.ts'
import type { SentRegistration } from './read-passkey.ts'

export interface PasskeyRegistration {
  /** Fails with INVALID_TOKEN, or SERVICE_UNAVAILABLE if too many challenges wait. */
  options(adder: Adder, now: Date): Promise<object>
  /**
   * Uses up the challenge of the options. Fails as `AddMethod`, with VALIDATION_ERROR (it does not fit), CONFLICT (it is registered) or
   * BUSINESS_RULE_VIOLATION (the account has too many).
   */
  register(
    adder: Adder,
    sent: { readonly registration: SentRegistration; readonly name: string },
    attempt: Attempt,
  ): Promise<AddedMethod>
}

interface PasskeyRegistrationDependencies extends PasskeyDependencies, AdderDependencies {
  readonly addMethod: AddMethod
}

export function createPasskeyRegistration(dependencies: PasskeyRegistrationDependencies): PasskeyRegistration {
  const { store, ceremony, accounts, passkeys, passkeyChallenges, records, addMethod, log, limits } = dependencies
  return {
    async options(adder, now) {
      const challenge = makeChallenge()
      const holder = await store.write(function* () {
        const { id: userId, login } = yield* requireAdder(adder, dependencies)
        const existing = yield* passkeys.of(userId)
        // One per account, so that an authenticator shows the account once.
        const handle = existing[0]?.handle ?? randomBytes(32).toString('base64url')
        const { access: epoch } = yield* accounts.epochs(userId)
        if (!(yield* passkeyChallenges.add(hashOpaqueToken(challenge), { userId, handle, epoch }, now))) return null
        return { handle, login, credentialIds: existing.map(({ credentialId }) => credentialId) }
      })
      if (holder === null) throw tooMany(limits)
      return ceremony.registrationOptions(challenge, holder)
    },

    async register(adder, { registration, name }, attempt) {
      const { origin, now } = attempt
      const userId = userOf(adder)
      const challenge = ceremony.challengeIn(registration.clientDataJSON)
      const hash = hashOpaqueToken(challenge ?? '')
      const registrant = challenge && (await store.write(() => passkeyChallenges.useToRegister(hash, userId, now)))
      if (!registrant) throw new Failure('INVALID_TOKEN')
      const verdict = await ceremony.verifyRegistration(registration, challenge)
      if ('problem' in verdict) {
        logProblem(log, userId, verdict.problem, origin)
        const message = 'Does not fit this service, or the options that it was made with.'
        throw new Failure('VALIDATION_ERROR', { details: [{ field: 'registration', message }] })
      }
      const { id: credentialId, publicKey, counter } = verdict.value
      const { handle, epoch } = registrant
      const method = {
        kind: 'passkey',
        methods: ['pop', 'user'],
        *store({ id }: Account) {
          const { access } = yield* accounts.epochs(id)
          if (access !== epoch) throw new Failure('INVALID_TOKEN')
          const { length } = yield* passkeys.of(id)
          if (length >= limits.passkeysPerAccount) throw tooManyPasskeys(limits)
          const methodId = yield* records.add(id, 'passkey', name, now)
          const passkey = { credentialId, methodId, userId: id, handle, publicKey, counter }
          if (!(yield* passkeys.add(passkey))) throw new Failure('CONFLICT', { message: 'This passkey is registered.' })
          return methodId
        },
      } as const
      return addMethod(adder, method, attempt)
    },
  }
}

const tooManyPasskeys = ({ passkeysPerAccount }: Pick<Limits, 'passkeysPerAccount'>): Failure =>
  new Failure('BUSINESS_RULE_VIOLATION', { message: `An account has at most ${passkeysPerAccount} passkeys.` })
