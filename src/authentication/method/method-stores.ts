// The tables of sign-in methods, and what reads and writes them. (contract 5.10 to 5.16)

import type { DataCipher } from '../../encryption/data-cipher.ts'
import type { Limits } from '../../limits.ts'
import type { MethodsModel, Model, ResourceModel } from '../../resource/model/model.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { Program } from '../../store/store.ts'
import { type CodeStore, codeTable, createCodeStore } from '../flow/code-store.ts'
import { createFlowStore, type FlowStore, flowTable } from '../flow/flow-store.ts'
import { issuerMethodTable } from '../issuer/issuer-method-store.ts'
import {
  createPasskeyChallengeStore,
  type PasskeyChallengeStore,
  passkeyChallengeTable,
} from '../passkey/passkey-challenge-store.ts'
import { createPasskeyStore, type PasskeyStore, passkeyTable } from '../passkey/passkey-store.ts'
import { type AddressTokenStore, addressTokenTable, createAddressTokenStore } from './address-token-store.ts'
import { createRecoveryCodeStore, type RecoveryCodeStore, recoveryCodeTable } from './factor/recovery-code-store.ts'
import { createSignInMethodStore, type SignInMethodStore } from './factor/sign-in-method-store.ts'
import { createTotpStore, type TotpStore, totpTables } from './factor/totp-store.ts'
import { type ChallengeStore, challengeTable, createChallengeStore } from './login/challenge-store.ts'
import {
  createSessionAuthentications,
  type SessionAuthentications,
  sessionAuthenticationTable,
} from './session-authentication.ts'

export const methodTables = ({ isStored }: MethodsModel) => [
  sessionAuthenticationTable,
  addressTokenTable,
  ...(isStored
    ? [challengeTable, passkeyTable, passkeyChallengeTable, recoveryCodeTable, issuerMethodTable, totpTables]
    : []),
  flowTable,
  codeTable,
]

export interface MethodStores {
  readonly authentications: SessionAuthentications
  readonly addressTokens: AddressTokenStore
  readonly flows: FlowStore
  readonly codes: CodeStore
  /** Those whose rows expire. */
  readonly sweeps: readonly { sweep(now: Date): Program<void> }[]
  /** Null if accounts have passwords and mails alone. */
  readonly stored: StoredMethods | null
  /** What accounts have begun; it ends with their sessions. */
  readonly pending: readonly { forget(userId: string): Program<void> }[]
  /** Deletes all methods of the account. */
  removeAll(userId: string, now: Date): Program<void>
}
export interface StoredMethods {
  readonly passkeys: PasskeyStore
  readonly passkeyChallenges: PasskeyChallengeStore
  readonly records: SignInMethodStore
  readonly challenges: ChallengeStore
  readonly recoveryCodes: RecoveryCodeStore
  /** Null without authenticator apps. */
  readonly totps: TotpStore | null
}
interface StoreOptions {
  /** Null if nothing is encrypted. */
  readonly cipher: DataCipher | null
  readonly limits: Limits
}
export function createMethodStores(
  { accounts, byName }: Model,
  dialect: Dialect,
  { cipher, limits }: StoreOptions,
): MethodStores | null {
  const { methods } = accounts
  if (methods === null) return null
  const addressTokens = createAddressTokenStore(dialect)
  const [flows, codes] = [createFlowStore(dialect), createCodeStore(dialect)]
  const options = { cipher: methods.totp ? cipher : null, limits }
  const stored = methods.isStored ? createStoredMethods(byName.get('SignInMethod')!, dialect, options) : null
  const pending = [stored?.challenges, stored?.totps].filter((each) => each != null)
  const sweeps = [addressTokens, flows, codes, ...pending, ...(stored === null ? [] : [stored.passkeyChallenges])]
  return {
    authentications: createSessionAuthentications(dialect),
    addressTokens,
    flows,
    codes,
    stored,
    sweeps,
    pending,
    *removeAll(userId, now) {
      if (stored === null) return
      yield* stored.records.removeAll(userId, now)
      yield* stored.recoveryCodes.forget(userId)
    },
  }
}
const createStoredMethods = (
  resource: ResourceModel,
  dialect: Dialect,
  { cipher, limits }: StoreOptions,
): StoredMethods => ({
  passkeys: createPasskeyStore(dialect),
  passkeyChallenges: createPasskeyChallengeStore(dialect, limits.passkeyChallengesAtOnce),
  records: createSignInMethodStore(resource, dialect),
  challenges: createChallengeStore(dialect),
  recoveryCodes: createRecoveryCodeStore(dialect),
  totps: cipher === null ? null : createTotpStore(dialect, cipher),
})
