// Assembles second factors: challenges, codes, their setup and their end. (contract 5.13, 5.14)

import { dialectOf } from '../../../store/sql/text/dialect.ts'
import type { AnswerTokens, AuthEndpoint } from '../../endpoint.ts'
import type { Parts } from '../../parts.ts'
import { createOpenChallenge, type OpenChallengeBy } from '../login/challenge.ts'
import type { ChallengeStore } from '../login/challenge-store.ts'
import { createCodeForm } from '../login/code-form.ts'
import type { LoginForm } from '../login/proof.ts'
import type { MethodStores, StoredMethods } from '../method-stores.ts'
import { type AddMethod, createAddMethod } from './add-method.ts'
import { createFindAdder, type FindAdder } from './adder.ts'
import { createFactorEndpoints } from './endpoints.ts'
import { createRecoveryCodes } from './recovery-codes.ts'
import { createRemoveMethods, type RemoveMethods } from './remove-methods.ts'
import { createSecondFactors, type SecondFactors } from './second-factors.ts'
import { createTotp } from './totp.ts'
import { loadTotpCodes } from './totp-code.ts'

export interface Factors {
  readonly challenges: ChallengeStore
  readonly secondFactors: SecondFactors
  readonly openChallenge: OpenChallengeBy
  readonly findAdder: FindAdder
  readonly addMethod: AddMethod
  readonly removeMethods: RemoveMethods
  /** Null if accounts have no second factors. */
  readonly codeForm: LoginForm | null
  endpoints(answer: AnswerTokens): Readonly<Record<string, AuthEndpoint>>
}

export async function createFactors(
  options: Parts & Pick<MethodStores, 'authentications'>,
  stored: StoredMethods,
): Promise<Factors> {
  const { model, serviceName } = options
  const { challenges, totps } = stored
  const secondFactors = createSecondFactors(model, dialectOf(options.store.engine), stored)
  const parts = { ...options, ...stored, secondFactors }
  const openChallenge = createOpenChallenge(options, challenges)
  const findAdder = createFindAdder(options, openChallenge)
  const addMethod = createAddMethod(parts)
  const apps = totps === null ? null : { totps, codes: await loadTotpCodes(serviceName) }
  const totp = apps === null ? null : createTotp({ ...parts, ...apps, addMethod })
  const hasFactors = apps !== null || model.accounts.methods!.passkeys
  const renewRecoveryCodes = createRecoveryCodes(parts)
  return {
    challenges,
    secondFactors,
    openChallenge,
    findAdder,
    addMethod,
    removeMethods: createRemoveMethods(options, stored),
    codeForm: hasFactors ? createCodeForm({ ...parts, apps, openChallenge }) : null,
    endpoints: (answer) =>
      hasFactors ? createFactorEndpoints({ ...options, findAdder, totp, renewRecoveryCodes }, answer) : {},
  }
}
