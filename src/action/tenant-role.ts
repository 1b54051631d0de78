// Which role an account has inside a tenant, as far as whoever asks may read that it is a member. (contract 13.4.5)

import { isTrue } from '../read-plan/print.ts'
import type { Asker } from '../resource/actor.ts'
import { always, fold } from '../resource/model/condition.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import { askingOf, type RowScope } from './write-scope.ts'

export interface RoleQuestion {
  readonly tenant: string
  /** Null where there is nobody to ask about. */
  readonly account: string | null
  readonly lock: 'share' | null
}
type RoleScope = Pick<RowScope, 'statements' | 'dialect'> & {
  readonly model: Pick<Model, 'byPrefix'>
  readonly actor: Asker
  readonly now: Date
}

/** Null for who is no member. Throws, for the log, where the id is that of no tenant. */
export function* tenantRole({ tenant, account, lock }: RoleQuestion, scope: RoleScope): Program<string | null> {
  const { statements, dialect, actor, model } = scope
  const members = tenantOf(tenant, model).members!
  if (account === null) return null
  const { list, account: member, role, while: active } = members
  const resource = list.target
  const find = statements.find(resource, [list.by.column, member], always)
  const found = yield boundTo(find, { ...askingOf(scope), input: [tenant, account] })
  if (found.length === 0) return null
  const conditions = [resource.read.allow, ...(active === null ? [] : [active])].map((rule) =>
    fold(rule, resource, actor),
  )
  const load = { resource, conditions, columns: [role], lock } as const
  const ids = found.map(([id]) => id as string)
  const rows = yield statements.load(load, askingOf(scope), ids)
  const row = rows.find((each) => conditions.every((_, index) => isTrue(each[2 + index]!)))
  return row === undefined ? null : (dialect.decode(row.at(-1)!, role.type) as string)
}

/** The tenant that an id names. Throws, for the log, where it is none. */
export function tenantOf(id: string, { byPrefix }: Pick<Model, 'byPrefix'>): ResourceModel {
  const resource = byPrefix.get(id.slice(0, id.lastIndexOf('_')))
  if (resource?.members == null) throw new Error(`The service's own code names a tenant by an id that is of none.`)
  return resource
}
