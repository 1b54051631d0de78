// Assembles second factors: challenges, codes, their setup and their end. (contract 5.13, 5.14)

import type { Model } from '../../../resource/model/model.ts'
import type { AnswerTokens, AuthEndpoint } from '../../endpoint.ts'
import type { SignIn } from '../../session/sign-in.ts'
import { createOpenChallenge, type OpenChallengeBy } from '../login/challenge.ts'
import type { ChallengeStore } from '../login/challenge-store.ts'
import { createCodeForm } from '../login/code-form.ts'
import type { LoginForm } from '../login/proof.ts'
import type { StoredMethods } from '../method-stores.ts'
import { type AddMethod, type AddMethodDependencies, createAddMethod } from './add-method.ts'
import { createFactorEndpoints, type FactorEndpointDependencies } from './endpoints.ts'
import { createRemoveMethods, type RemoveMethods, type RemoveMethodsDependencies } from './remove-methods.ts'
import { createSecondFactors, type SecondFactors } from './second-factors.ts'
import { createTotp } from './totp.ts'
import { loadTotpCodes } from './totp-code.ts'

export interface Factors {
  readonly challenges: ChallengeStore
  readonly secondFactors: SecondFactors
  readonly openChallenge: OpenChallengeBy
  readonly addMethod: AddMethod
  readonly removeMethods: RemoveMethods
  /** Null without authenticator apps. */
  readonly codeForm: LoginForm | null
  endpoints(answer: AnswerTokens): Readonly<Record<string, AuthEndpoint>>
}

type Parts = AddMethodDependencies & RemoveMethodsDependencies & Pick<FactorEndpointDependencies, 'identify' | 'limits'>
interface FactorOptions
  extends Omit<Parts, 'records' | 'recoveryCodes' | 'secondFactors' | 'resource' | 'model' | 'signIn'> {
  readonly model: Model
  readonly signIn: SignIn
  readonly wakeMails: () => void
  /** What authenticator apps show. */
  readonly serviceName: string
}

export async function createFactors(options: FactorOptions, stored: StoredMethods): Promise<Factors> {
  const { model, serviceName } = options
  const { challenges, totps } = stored
  const { secondFactorFor } = model.accounts.methods!
  const secondFactors = createSecondFactors({ ...stored, requiringRoles: secondFactorFor })
  const parts = { ...options, ...stored, secondFactors }
  const openChallenge = createOpenChallenge(parts)
  const addMethod = createAddMethod(parts)
  const codes = totps === null ? null : { totps, codes: await loadTotpCodes(serviceName) }
  const totp = codes === null ? null : createTotp({ ...parts, ...codes, addMethod })
  return {
    challenges,
    secondFactors,
    openChallenge,
    addMethod,
    removeMethods: createRemoveMethods({ ...parts, resource: model.byName.get('SignInMethod')! }),
    codeForm: codes === null ? null : createCodeForm({ ...parts, ...codes, openChallenge }),
    endpoints: (answer) => (totp === null ? {} : createFactorEndpoints({ ...options, openChallenge, totp }, answer)),
  }
}
