// Reads for whom API keys and webhooks act: the state of an account, and the tenants that they name, with the tenants around these.
// (contract 10.2.11)

import type { Confinement } from '../../../resource/actor.ts'
import type { AccountsModel, ResourceModel } from '../../../resource/model/model.ts'
import { tenantRelations } from '../../../resource/model/tenant/tenant-key.ts'
import type { Value } from '../../store.ts'
import { quote } from './dialect.ts'

/** The state of account `u`; null while it lacks a proof that the service requires. (contract 5.11.6) */
export function accountState({ status, verified, methods }: AccountsModel): string {
  const state = `u.${quote(status.name)}`
  return methods?.requireVerified ? `case when u.${quote(verified!.name)} then ${state} end` : state
}

/** None without tenants. `tenantsIn` takes the values of `columns`; `column` is the SQL of a field. */
export function tenantsNamedBy(resource: ResourceModel, column: (field: string) => string) {
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
