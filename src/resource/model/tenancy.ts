// Which tenants a record is in: the one that its `within` leads to, and those that this one is in. (contract 10.2)

import type { Definition, MembersDefinition } from '../language/definition.ts'

export type Resources = ReadonlyMap<string, Definition>
export interface Tenant extends Definition {
  readonly members: MembersDefinition
}
/** A tenant of a resource's records, and the relation of theirs that names it; null for the tenant itself. */
export interface TenantLevel {
  readonly tenant: Tenant
  readonly field: string | null
  /** The relation whose record has this value too; null where a client names the tenant. */
  readonly from: string | null
}

export const isTenant = (definition: Definition): definition is Tenant => definition.members !== undefined

/** Nearest first; none for what is in no tenant. Expects `within` in no ring. */
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

/** The record that a record is within; undefined where `within` leads nowhere. */
export function holderOf(definition: Definition, resources: Resources): Definition | undefined {
  const { within, fields } = definition
  return within !== undefined && Object.hasOwn(fields, within) && fields[within]!.kind === 'one'
    ? targetOf(within, definition, resources)
    : undefined
}

/** What a relation or a list leads to; undefined where the field is none. */
export function targetOf(field: string, { fields }: Definition, resources: Resources): Definition | undefined {
  const spec = Object.hasOwn(fields, field) ? (fields[field] as { readonly target?: string }) : undefined
  return spec?.target === undefined ? undefined : resources.get(spec.target)
}
