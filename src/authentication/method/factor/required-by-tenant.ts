// Whether an account is a member of a tenant that requires a second factor. (contract 5.13.13)

import type { Model } from '../../../resource/model/model.ts'
import { fold } from '../../../resource/model/rule/condition.ts'
import type { Dialect } from '../../../store/sql/text/dialect.ts'
import { boundTo } from '../../../store/sql/text/sql-text.ts'
import { findSql } from '../../../store/sql/write/write.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'

export function createRequiredByTenant({ resources, roles }: Model, dialect: Dialect) {
  const tenants = resources.flatMap((tenant) => {
    const factor = tenant.members?.secondFactor
    return factor == null ? [] : [{ tenant, ...factor }]
  })
  return function* ({ id, role }: Pick<Account, 'id' | 'role'>): Program<boolean> {
    const credential = { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) } as const
    const actor = { id, role, permissions: roles.get(role)!, scopes: null, credential }
    for (const { tenant, column, inside } of tenants) {
      const find = findSql(tenant, { columns: [column], where: null }, fold(inside, tenant, actor), dialect)
      const found = yield boundTo(find, { actor: id, input: [dialect.encode(true, column.type)] })
      if (found.length > 0) return true
    }
    return false
  }
}
