// Returns an account's role in a tenant, if the actor may read that it is a member. (contract 13.4.5)

import { isTrue } from '../../read-plan/print.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { always, fold } from '../../resource/model/rule/condition.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'

export interface RoleQuestion {
  readonly tenant: string
  /** Null for an anonymous caller. */
  readonly account: string | null
  /** As for other reads. */
  readonly lock: ((resource: ResourceModel, ids: readonly string[]) => Program<void>) | null
}
/** Null for an account that is no member. Throws if the id is no tenant's. */
export function* tenantRole({ tenant, account, lock }: RoleQuestion, scope: WriteScope): Program<string | null> {
  const { statements, dialect, actor, context } = scope
  const members = tenantOf(tenant, context.model).members!
  if (account === null) return null
  const { list, account: member, role, while: active } = members
  const resource = list.target
  const find = statements.find(resource, { columns: [list.by.column, member], where: null }, always)
  const found = yield boundTo(find, { ...ruleInputsOf(scope), input: [tenant, account] })
  if (found.length === 0) return null
  const conditions = [resource.read.allow, ...(active === null ? [] : [active])].map((rule) =>
    fold(rule, resource, actor),
  )
  const ids = found.map(([id]) => id as string).sort()
  if (lock !== null) yield* lock(resource, ids)
  const load = { resource, conditions, columns: [role], lock: null } as const
  const rows = yield statements.load(load, ruleInputsOf(scope), ids)
  const row = rows.find((each) => conditions.every((_, index) => isTrue(each[2 + index]!)))
  return row === undefined ? null : (dialect.decode(row.at(-1)!, role.type) as string)
}

/** Throws if the id is no tenant's. */
export function tenantOf(id: string, { byPrefix }: Pick<Model, 'byPrefix'>): ResourceModel {
  const resource = byPrefix.get(id.slice(0, id.lastIndexOf('_')))
  if (resource?.members == null) throw new Error(`The service's own code names a tenant by an id that is of none.`)
  return resource
}
