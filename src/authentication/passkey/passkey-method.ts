// Assembles passkeys as a sign-in method: their forms of login and endpoints. (contract 5.15)

import type { AnswerTokens, AuthEndpoint } from '../endpoint.ts'
import type { Factors } from '../method/factor/factors.ts'
import type { LoginForm } from '../method/login/proof.ts'
import type { StoredMethods } from '../method/method-stores.ts'
import type { Parts } from '../parts.ts'
import type { Ceremony } from './ceremony.ts'
import { createPasskeyEndpoints } from './endpoints.ts'
import { passkeyForms } from './passkey-forms.ts'
import { createPasskeyRegistration } from './passkey-registration.ts'
import { createPasskeys } from './passkeys.ts'

export interface PasskeyMethod {
  readonly forms: readonly LoginForm[]
  endpoints(answer: AnswerTokens): Readonly<Record<string, AuthEndpoint>>
}
interface PasskeyOptions
  extends Parts,
    StoredMethods,
    Pick<Factors, 'secondFactors' | 'openChallenge' | 'findAdder' | 'addMethod'> {
  readonly ceremony: Ceremony
}

export function createPasskeyMethod(options: PasskeyOptions): PasskeyMethod {
  const passkeys = createPasskeys(options)
  const registration = createPasskeyRegistration(options)
  return {
    forms: passkeyForms(passkeys, options.openChallenge),
    endpoints: (answer) => createPasskeyEndpoints({ ...options, passkeys, registration }, answer),
  }
}
