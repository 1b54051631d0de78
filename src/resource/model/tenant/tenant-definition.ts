// Expands `members`, `within` and `tenantRoles` into ordinary fields, filters and rules; later stages know no tenants. (contract
// 10.2)

import type { ManySpec, OneSpec } from '../../field/relation.ts'
import type { ActionDefinition, Definition, ServiceDefinition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { createServiceExpansion, mapValues } from '../expand-resources.ts'
import { isTenant, type Resources, type TenantLevel, tenantLevels } from './tenancy.ts'
import { isKeys, withTenantKeys } from './tenant-key.ts'
import { TenantRules } from './tenant-rule.ts'
import { withDeliveries } from './webhook-definition.ts'

/** Returns the same service if no resource has members. Expects a definition without contradictions. */
export const withTenants = createServiceExpansion(isTenant, expand)

function expand(service: ServiceDefinition): ServiceDefinition {
  const resources = new Map(Object.values(service.resources).map((each) => [each.name, each]))
  const rules = new TenantRules(service, resources, [...resources.values()].some(isKeys))
  const expandOne = (each: Definition) =>
    isKeys(each) ? withTenantKeys(each, rules) : expandResource(each, resources, rules)
  return { ...service, resources: withDeliveries(mapValues(service.resources, expandOne)) }
}

function expandResource(definition: Definition, resources: Resources, rules: TenantRules): Definition {
  const levels = tenantLevels(definition, resources)
  const { actions, queries = {}, protect = {}, filter = {} } = definition
  const plain = (rule: RuleNode | undefined) => (rule === undefined ? undefined : rules.plain(rule, definition))
  const inTenants = levels.flatMap((level) => (level.field === null ? [] : [{ ...level, field: level.field }]))
  return {
    ...definition,
    ...(isTenant(definition) && definition.members.secondFactorIf !== undefined
      ? { members: { ...definition.members, inside: rules.insideByAnyFactor(definition) } }
      : {}),
    fields: fieldsOf(definition, inTenants, resources, rules),
    filter: { ...Object.fromEntries(inTenants.map(({ field }) => [field, { test: 'is' as const }])), ...filter },
    actions: mapValues(actions, (action, name) => ({
      ...action,
      allow: rules.allow(action.allow, definition, name === 'create' ? inTenants : levels),
      ...(action.lists === undefined ? {} : { lists: listsOf(action.lists, definition, resources, rules) }),
    })),
    // Permissions of tenant roles are tested on each record, so records of other tenants are not listed. (contract 10.2.3)
    queries: mapValues(queries, ({ where, allow, ...query }) => ({
      ...query,
      allow: rules.plain(allow, definition),
      ...defined({ where: plain(where) }),
    })),
    protect: mapValues(protect, ({ read, write, filter: by }) =>
      defined({ read: plain(read), write: plain(write), filter: by }),
    ),
  }
}

type OuterLevel = TenantLevel & { readonly field: string }

/** Adds the relations to tenants, constrains other relations to the same tenant, and lets counters count inside it. */
function fieldsOf(
  { fields, within }: Definition,
  levels: readonly OuterLevel[],
  resources: Resources,
  rules: TenantRules,
): Definition['fields'] {
  const tenantFields = levels.map(({ tenant, field, from }): readonly [string, OneSpec] => [
    field,
    {
      ...endingWith((fields[field] as OneSpec | undefined) ?? {}),
      kind: 'one',
      target: tenant.name,
      isTenant: true,
      ...(from === null ? {} : { from }),
    },
  ])
  const expanded = mapValues(fields, (spec, name) => {
    if (spec.kind === 'counter' && levels.length > 0) return { within: levels[0]!.field, ...spec }
    if (spec.kind !== 'one') return spec
    const one = spec as OneSpec
    const target = resources.get(one.target)
    if (target === undefined) return spec
    const common = new Set(tenantLevels(target, resources).map((level) => level.field))
    const same =
      name === within ? [] : levels.flatMap(({ field }) => (field !== name && common.has(field) ? [field] : []))
    const all = [...new Set([...[one.same ?? []].flat(), ...same])]
    return {
      ...(name === within ? endingWith(one) : one),
      ...(one.into === undefined ? {} : { into: rules.plain(one.into, target) }),
      ...(all.length === 0 ? {} : { same: all }),
    }
  })
  return { ...expanded, ...Object.fromEntries(tenantFields) }
}

const listsOf = (
  lists: NonNullable<ActionDefinition['lists']>,
  { fields }: Definition,
  resources: Resources,
  rules: TenantRules,
): NonNullable<ActionDefinition['lists']> =>
  mapValues(lists, ({ into, ...terms }, field) => {
    const target = resources.get((fields[field] as unknown as ManySpec).target)
    return { ...terms, ...(into === undefined || target === undefined ? {} : { into: rules.plain(into, target) }) }
  })

/** What is within a record is deleted with it, whatever its own rule. (contract 2.5.7) */
const endingWith = <S extends Partial<OneSpec>>(spec: S): S =>
  spec.onDelete === 'restrict' ? spec : { ...spec, cascade: 'regardless' }

const defined = <T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
