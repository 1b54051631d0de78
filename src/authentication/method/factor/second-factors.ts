// Which second factors an account owes after its first one. (contract 5.13.3)

import { noCredential } from '../../../resource/actor.ts'
import type { Model } from '../../../resource/model/model.ts'
import { fold } from '../../../resource/model/rule/condition.ts'
import type { Dialect } from '../../../store/sql/text/dialect.ts'
import { boundTo } from '../../../store/sql/text/sql-text.ts'
import { findSql } from '../../../store/sql/write/write.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { StoredMethods } from '../method-stores.ts'

export interface SecondFactors {
  /**
   * What completes a sign-in of this account: `totp`, `passkey` and `recovery_code`; `setup` if its role, or a tenant that it is a
   * member of, requires a factor that it lacks. Empty if nothing is owed.
   */
  owedBy(account: Account): Program<readonly string[]>
}

export function createSecondFactors(
  model: Model,
  dialect: Dialect,
  { records, recoveryCodes }: Pick<StoredMethods, 'records' | 'recoveryCodes'>,
): SecondFactors {
  const isRequiredByTenant = createRequiredByTenant(model, dialect)
  // Roles that require a second factor. (contract 5.13.8)
  const { secondFactorFor } = model.accounts.methods!
  return {
    *owedBy(account) {
      const { id, role } = account
      const kinds = new Set((yield* records.list(id)).map(({ kind }) => kind).filter((kind) => kind !== 'issuer'))
      if (kinds.size === 0) return secondFactorFor.has(role) || (yield* isRequiredByTenant(account)) ? ['setup'] : []
      return [...kinds, ...((yield* recoveryCodes.has(id)) ? ['recovery_code'] : [])]
    },
  }
}

/** Whether an account is a member of a tenant that requires a second factor. (contract 5.13.13) */
function createRequiredByTenant({ resources, roles }: Model, dialect: Dialect) {
  const tenants = resources.flatMap((tenant) => {
    const factor = tenant.members?.secondFactor
    return factor == null ? [] : [{ tenant, ...factor }]
  })
  return function* ({ id, role }: Pick<Account, 'id' | 'role'>): Program<boolean> {
    const actor = { id, role, permissions: roles.get(role)!, scopes: null, credential: noCredential }
    for (const { tenant, column, inside } of tenants) {
      const find = findSql(tenant, { columns: [column], where: null }, fold(inside, tenant, actor), dialect)
      const found = yield boundTo(find, { actor: id, input: [dialect.encode(true, column.type)] })
      if (found.length > 0) return true
    }
    return false
  }
}
