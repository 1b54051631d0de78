// The holders of API keys and webhooks: an account, or a tenant as a member of it. (contract 10.2.11, 15.2.3)

import type { Actor, Confinement, Credential } from '../../../resource/actor.ts'
import type { AccountsModel, Model, ResourceModel } from '../../../resource/model/model.ts'
import { singleFactorIn } from '../../../resource/model/tenant/single-factor.ts'
import { tenantRelations } from '../../../resource/model/tenant/tenant-key.ts'
import type { Value } from '../../store.ts'
import { quote } from './dialect.ts'

export interface Holder {
  readonly userId: string | null
  /** The account, or the tenant; null if it is gone. */
  readonly ownerId: string | null
  /** Null while the account may not sign in, or if the tenant is gone. */
  readonly actor: Actor | null
}

/** Of records with these SQL `columns` and `joins`; `column` is the SQL of a field. */
export function holdersOf(resource: ResourceModel, column: (field: string) => string, model: Model) {
  const { accounts, roles } = model
  const inside = tenantsNamedBy(resource, column)
  const singleFactor = singleFactorIn(model)
  const roleColumn = resource.column.has('role') ? column('role') : 'null'
  const columns = [column('user'), `u.${quote(accounts.role.name)}`, accountState(accounts), roleColumn]
  const users = quote(accounts.resource.table)
  return {
    columns: columns.join(', ') + inside.columns,
    joins: ` left join ${users} u on u."id" = ${column('user')} and u."deleted_at" is null${inside.joins}`,

    /** From the values of `columns`. Without `scopes`, it may do what its owner may. */
    read(values: readonly Value[], credential: Credential, scopes: Actor['scopes']): Holder {
      const [userId, role, state, roleInside, ...named] = values as [...Texts, ...Value[]]
      const { found, isGone } = inside.tenantsIn(named)
      const [tenant] = found
      const shared = { id: userId, role, permissions: roles.get(role ?? '') ?? new Set<never>(), credential }
      if (userId !== null) {
        const isActive = roleInside === null && !isGone && state === accounts.activeState
        const narrowed = tenant === undefined ? {} : { confinedTo: tenant }
        return { userId, ownerId: userId, actor: isActive ? { ...shared, scopes, ...singleFactor, ...narrowed } : null }
      }
      if (tenant === undefined || found.length > 1 || roleInside === null) return { userId, ownerId: null, actor: null }
      const { id, resource } = tenant
      const member = { tenant: { id, resource, role: roleInside }, scopes: scopes ?? everything }
      return { userId, ownerId: id, actor: { ...shared, ...member } }
    },
  }
}
type Text = string | null
type Texts = [userId: Text, role: Text, state: Text, roleInside: Text]
const everything: ReadonlySet<string> = new Set(['*'])

/** The state of account `u`; null while it lacks a proof that the service requires. (contract 5.11.6) */
function accountState({ status, verified, methods }: AccountsModel): string {
  const state = `u.${quote(status.name)}`
  return methods?.requireVerified ? `case when u.${quote(verified!.name)} then ${state} end` : state
}

/** None without tenants. `tenantsIn` takes the values of `columns`. */
function tenantsNamedBy(resource: ResourceModel, column: (field: string) => string) {
  const tenants = tenantRelations(resource)
  const columns = tenants.flatMap(({ target, field }, index) => [
    column(field),
    ...['id', ...target.tenants.map(({ name }) => name)].map((name) => `t${index}.${quote(name)}`),
  ])
  const joins = tenants.map(({ target, field }, index) => {
    const at = `t${index}`
    return ` left join ${quote(target.table)} ${at} on ${at}."id" = ${column(field)} and ${at}."deleted_at" is null`
  })
  /** The tenants that a record names; `isGone` if one of them was deleted. */
  function tenantsIn(values: readonly Value[]): { readonly found: readonly Confinement[]; readonly isGone: boolean } {
    let at = 0
    let isGone = false
    const found = tenants.flatMap(({ target }): readonly Confinement[] => {
      const [named, id, ...outer] = values.slice(at, at + 2 + target.tenants.length)
      at += 2 + target.tenants.length
      isGone ||= named !== null && id === null
      const names = target.tenants.map((each) => target.relations.get(each.field)!.target.name)
      const around = Object.fromEntries(names.map((name, index) => [name, String(outer[index])]))
      return typeof id === 'string' ? [{ id, resource: target.name, around }] : []
    })
    return { found, isGone }
  }
  return { columns: columns.map((each) => `, ${each}`).join(''), joins: joins.join(''), tenantsIn }
}
