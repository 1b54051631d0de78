// Assembles passkeys as a sign-in method: their tables, forms of login and endpoints. (contract 5.15)

import type { Limits } from '../../limits.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { AnswerTokens, AuthEndpoint } from '../endpoint.ts'
import type { SignInMethodStore } from '../method/factor/sign-in-method-store.ts'
import type { OpenChallengeBy } from '../method/login/challenge.ts'
import type { LoginForm } from '../method/login/proof.ts'
import { createPasskeyEndpoints, type PasskeyEndpointDependencies } from './endpoints.ts'
import {
  createPasskeyChallengeStore,
  type PasskeyChallengeStore,
  passkeyChallengeTable,
} from './passkey-challenge-store.ts'
import { passkeyForms } from './passkey-forms.ts'
import { createPasskeyRegistration, type PasskeyRegistrationDependencies } from './passkey-registration.ts'
import { createPasskeyStore, type PasskeyStore, passkeyTable } from './passkey-store.ts'
import { createPasskeys, type PasskeyDependencies } from './passkeys.ts'

export const passkeyTables = [passkeyTable, passkeyChallengeTable]

export interface PasskeyStores {
  readonly passkeys: PasskeyStore
  readonly passkeyChallenges: PasskeyChallengeStore
}
export const createPasskeyStores = (
  dialect: Dialect,
  limits: Pick<Limits, 'passkeyChallengesAtOnce'>,
): PasskeyStores => ({
  passkeys: createPasskeyStore(dialect),
  passkeyChallenges: createPasskeyChallengeStore(dialect, limits.passkeyChallengesAtOnce),
})

export interface PasskeyMethod {
  readonly forms: readonly LoginForm[]
  endpoints(answer: AnswerTokens): Readonly<Record<string, AuthEndpoint>>
}
type Parts = Omit<PasskeyDependencies & PasskeyRegistrationDependencies, keyof Stored | 'challenges' | 'limits'> &
  Pick<PasskeyEndpointDependencies, 'findAdder' | 'wakeMails'>
interface Stored extends PasskeyStores {
  readonly methods: SignInMethodStore
}
export interface PasskeyOptions extends Parts {
  readonly limits: PasskeyRegistrationDependencies['limits'] & PasskeyEndpointDependencies['limits']
  readonly openChallenge: OpenChallengeBy
  /** Of a `SignInMethod`. */
  readonly name: SpecBase
}

export function createPasskeyMethod(options: PasskeyOptions, stored: Stored): PasskeyMethod {
  const parts = { ...options, ...stored, challenges: stored.passkeyChallenges }
  const passkeys = createPasskeys(parts)
  const registration = createPasskeyRegistration(parts)
  return {
    forms: passkeyForms(passkeys, options.openChallenge),
    endpoints: (answer) => createPasskeyEndpoints({ ...options, passkeys, registration }, answer),
  }
}
