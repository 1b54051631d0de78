// Which second factors an account owes after its first one. (contract 5.13.3)

import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { RecoveryCodeStore } from './recovery-code-store.ts'
import type { SignInMethodStore } from './sign-in-method-store.ts'

export interface SecondFactors {
  /**
   * What completes a sign-in of this account: `totp`, `passkey` and `recovery_code`; `setup` if its role, or a tenant that it is a
   * member of, requires a factor that it lacks. Empty if nothing is owed.
   */
  owedBy(account: Account): Program<readonly string[]>
}

export interface SecondFactorDependencies {
  readonly records: Pick<SignInMethodStore, 'list'>
  readonly recoveryCodes: Pick<RecoveryCodeStore, 'has'>
  /** Roles that require a second factor. (contract 5.13.8) */
  readonly requiringRoles: ReadonlySet<string>
  readonly isRequiredByTenant: (account: Account) => Program<boolean>
}

export const createSecondFactors = ({
  records,
  recoveryCodes,
  requiringRoles,
  isRequiredByTenant,
}: SecondFactorDependencies): SecondFactors => ({
  *owedBy(account) {
    const { id, role } = account
    const kinds = new Set((yield* records.list(id)).map(({ kind }) => kind).filter((kind) => kind !== 'issuer'))
    if (kinds.size === 0) return requiringRoles.has(role) || (yield* isRequiredByTenant(account)) ? ['setup'] : []
    return [...kinds, ...((yield* recoveryCodes.has(id)) ? ['recovery_code'] : [])]
  },
})
