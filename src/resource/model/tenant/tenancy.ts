// The tenants of a record: the one its `within` leads to, and those around it. (contract 10.2)

import type { Definition, MembersDefinition } from '../../language/definition.ts'

export type Resources = ReadonlyMap<string, Definition>
export interface Tenant extends Definition {
  readonly members: MembersDefinition
}
/** `field` is null for the tenant itself. */
export interface TenantLevel {
  readonly tenant: Tenant
  readonly field: string | null
  /** The relation whose record provides this value; null if a client names the tenant. */
  readonly from: string | null
}

export const isTenant = (definition: Definition): definition is Tenant => definition.members !== undefined

/** Nearest first; empty without a tenant. Expects `within` to be acyclic. */
export function tenantLevels(definition: Definition, resources: Resources): readonly TenantLevel[] {
  const self: readonly TenantLevel[] = isTenant(definition) ? [{ tenant: definition, field: null, from: null }] : []
  const { within } = definition
  const holder = holderOf(definition, resources)
  if (within === undefined || holder === undefined) return self
  const outer = tenantLevels(holder, resources).map(
    ({ tenant, field }): TenantLevel =>
      field === null ? { tenant, field: within, from: null } : { tenant, field, from: within },
  )
  return [...self, ...outer]
}

export function holderOf(definition: Definition, resources: Resources): Definition | undefined {
  const { within, fields } = definition
  return within !== undefined && Object.hasOwn(fields, within) && fields[within]!.kind === 'one'
    ? targetOf(within, definition, resources)
    : undefined
}

/** The roles that its members can have. */
export function rolesIn(tenant: Tenant, resources: Resources): readonly string[] {
  const { list, role } = tenant.members
  const { fields = {} } = targetOf(list, tenant, resources) ?? {}
  const { values = [] } = (Object.hasOwn(fields, role) ? fields[role] : {}) as { readonly values?: readonly string[] }
  return values
}

export function targetOf(field: string, { fields }: Definition, resources: Resources): Definition | undefined {
  const spec = Object.hasOwn(fields, field) ? (fields[field] as { readonly target?: string }) : undefined
  return spec?.target === undefined ? undefined : resources.get(spec.target)
}
