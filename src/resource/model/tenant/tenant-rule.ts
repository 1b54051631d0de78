// Expands the rules of a tenant's resource: restricts them to members, adds tenant roles, and roles of the service that cross
// tenants, as ordinary rules.

import type { Definition, RoleDefinition, ServiceDefinition } from '../../language/definition.ts'
import type { AuthorRule, Membership, RuleNode } from '../../language/rule/rule.ts'
import { wordsOf } from '../../language/rule/rule-parts.ts'
import { kebab, pluralOf } from '../../naming/casing.ts'
import { permission } from '../../naming/permission.ts'
import { isTenant, type Resources, type Tenant, type TenantLevel, targetOf, tenantLevels } from './tenancy.ts'

export class TenantRules {
  readonly service: ServiceDefinition
  readonly resources: Resources
  readonly #hasKeys: boolean

  constructor(service: ServiceDefinition, resources: Resources, hasKeys: boolean) {
    this.#hasKeys = hasKeys
    this.service = service
    this.resources = resources
  }

  /** Restricts a rule to members of the nearest tenant, except inside `acrossTenants`. */
  allow(rule: AuthorRule, definition: Definition, levels = tenantLevels(definition, this.resources)): RuleNode {
    if (levels.length === 0 || rule.rule === 'nobody') return this.plain(rule, definition, levels)
    const parts = rule.rule === 'anyOf' ? (rule.rules as readonly AuthorRule[]) : [rule]
    const across = parts.flatMap((each) =>
      each.rule === 'acrossTenants' ? [this.#confined(this.plain(each.of, definition, []), levels)] : [],
    )
    const inside = parts.filter((each) => each.rule !== 'acrossTenants')
    return anyOf([...across, ...(inside.length === 0 ? [] : [this.#gated(anyOf(inside), definition, levels)])])
  }

  /** Limits tenants' keys to records of these tenants. A rule for anyone applies to keys without limit. */
  #confined(rule: RuleNode, levels: readonly TenantLevel[]): RuleNode {
    if (!this.#hasKeys || rule.rule === 'anyone') return rule
    return {
      rule: 'confined',
      to: Object.fromEntries(levels.map(({ tenant, field }) => [tenant.name, field])),
      of: rule,
    }
  }

  plain(rule: AuthorRule, definition: Definition, levels = tenantLevels(definition, this.resources)): RuleNode {
    switch (rule.rule) {
      case 'member':
        return this.#member(rule.relation, rule.roles, definition)
      case 'acrossTenants':
        return this.plain(rule.of, definition, [])
      case 'may':
        return levels.length === 0 ? rule : this.#may(rule, definition, levels)
      case 'not':
        return { ...rule, of: this.plain(rule.of, definition, levels) }
      case 'anyOf':
        return anyOf(rule.rules.map((each) => this.plain(each, definition, levels)))
      case 'allOf':
        return allOf(rule.rules.map((each) => this.plain(each, definition, levels)))
      case 'through':
      case 'some': {
        const field = rule.rule === 'through' ? rule.relation : rule.list
        const target = targetOf(field, definition, this.resources)
        return target === undefined ? rule : { ...rule, of: this.plain(rule.of, target) }
      }
      default:
        return rule
    }
  }

  /** Each alternative, so that an index serves each. With nested tenants, an outer role replaces membership in `may`. */
  #gated(rule: RuleNode, definition: Definition, levels: readonly TenantLevel[]): RuleNode {
    const [{ tenant, field }] = levels as readonly [TenantLevel, ...TenantLevel[]]
    const gate = this.#memberOf(tenant, field)
    const alternatives = rule.rule === 'anyOf' ? rule.rules : [rule]
    // A role inside implies membership.
    if (alternatives.every((each) => each.rule === 'may')) return this.plain(rule, definition, levels)
    if (rule.rule === 'anyOf') return anyOf(rule.rules.map((each) => this.#gated(each, definition, levels)))
    const parts = rule.rule === 'allOf' ? rule.rules : [rule]
    const isPermitted = parts.some((each) => each.rule === 'may')
    return allOf([...(isPermitted ? [] : [gate]), ...parts.map((each) => this.plain(each, definition, levels))])
  }

  #may(rule: Extract<RuleNode, { rule: 'may' }>, definition: Definition, levels: readonly TenantLevel[]): RuleNode {
    const words = wordsOf(rule)
    const { mine } = rule
    const own = mine === null ? [] : this.granting(words[0]!, definition, levels)
    return anyOf([
      ...this.crossing(levels).map((crossing) => allOf([crossing, rule])),
      ...this.granting(words.at(-1)!, definition, levels),
      ...(own.length === 0 ? [] : [allOf([anyOf(own), this.plain(mine!, definition, levels)])]),
    ])
  }

  /** Members whose role in one of these tenants grants the permission. */
  granting(word: string, definition: Definition, levels: readonly TenantLevel[]): readonly RuleNode[] {
    return levels.flatMap((level) => {
      const roles = this.rolesWith(word, definition, level.tenant)
      const granted = permission(kebab(pluralOf(definition)), word)
      return roles.length === 0 ? [] : [at(level, this.inside(level.tenant, roles, granted))]
    })
  }

  crossing(levels: readonly TenantLevel[]): readonly RuleNode[] {
    const crosses = (grants: RoleDefinition) =>
      grants !== 'everything' && levels.some(({ tenant }) => (grants['acrossTenants'] ?? []).includes(tenant.name))
    const roles = Object.entries(this.service.roles).flatMap(([role, grants]) => (crosses(grants) ? [role] : []))
    return roles.length === 0 ? [] : [{ rule: 'role', roles }]
  }

  rolesWith(word: string, definition: Definition, { name }: Tenant): readonly string[] {
    const roles = this.service.tenantRoles?.[name] ?? {}
    const holds = (role: string): boolean => {
      const grants = roles[role]
      if (grants === undefined || grants === 'everything') return grants === 'everything'
      const { includes } = grants as { readonly includes?: string }
      return (grants[pluralOf(definition)] ?? []).includes(word) || (includes !== undefined && holds(includes))
    }
    return Object.keys(roles).filter(holds)
  }

  #member(relation: string | null, roles: readonly string[], definition: Definition): RuleNode {
    const tenant = relation === null ? definition : targetOf(relation, definition, this.resources)
    if (tenant === undefined || !isTenant(tenant)) return { rule: 'nobody' }
    return roles.length === 0 ? this.#memberOf(tenant, relation) : at({ field: relation }, this.inside(tenant, roles))
  }

  #memberOf(tenant: Tenant, field: string | null): RuleNode {
    const crossing = this.crossing(tenantLevels(tenant, this.resources))
    return anyOf([...crossing, at({ field }, this.inside(tenant))])
  }

  /** A member of the tenant and of each around it, whether or not the session has a second factor. */
  insideByAnyFactor(tenant: Tenant): RuleNode {
    const levels = tenantLevels(tenant, this.resources)
    return allOf(levels.map((level) => at(level, memberRule(withoutFactor(level.tenant), {}))))
  }

  /** A member of the tenant, in one of these roles unless null, and of each tenant around it. */
  inside(tenant: Tenant, roles: readonly string[] | null = null, granted?: string): RuleNode {
    const outer = tenantLevels(tenant, this.resources).filter(({ field }) => field !== null)
    const under = tenant.name
    return allOf([
      memberRule(tenant, { roles, ...(granted === undefined ? {} : { granted }) }),
      ...outer.map((level) => at(level, memberRule(level.tenant, { under }))),
    ])
  }
}

export const at = ({ field }: Pick<TenantLevel, 'field'>, rule: RuleNode): RuleNode =>
  field === null ? rule : { rule: 'through', relation: field, of: rule }

const withoutFactor = ({
  name,
  members: { secondFactorIf, ...members },
}: Tenant): Pick<Tenant, 'name' | 'members'> => ({
  name,
  members,
})

function memberRule(
  { name, members }: Pick<Tenant, 'name' | 'members'>,
  { roles = null, granted, under }: Partial<Omit<Membership, 'tenant'>>,
): RuleNode {
  const inRole: readonly RuleNode[] =
    roles === null ? [] : [{ rule: 'when', values: { [members.role]: { test: 'oneOf', on: roles } } }]
  const active = members.while === undefined ? [] : [members.while]
  return {
    rule: 'some',
    list: members.list,
    of: allOf([{ rule: 'own', relation: members.account }, ...active, ...inRole]),
    member: {
      tenant: name,
      roles,
      ...(granted === undefined ? {} : { granted }),
      ...(under === undefined ? {} : { under }),
      ...(members.secondFactorIf === undefined ? {} : { secondFactorIf: members.secondFactorIf }),
    },
  }
}

export const anyOf = (rules: readonly AuthorRule[]): RuleNode =>
  rules.length === 0
    ? { rule: 'nobody' }
    : rules.length === 1
      ? (rules[0] as RuleNode)
      : { rule: 'anyOf', rules: rules as readonly RuleNode[] }

/** The restriction may repeat a part of the rule. */
export function allOf(rules: readonly RuleNode[]): RuleNode {
  const each = [
    ...new Map(
      rules
        .flatMap((rule) => (rule.rule === 'allOf' ? rule.rules : [rule]))
        .map((rule) => [JSON.stringify(rule, (key, value) => (key === 'granted' ? undefined : value)), rule]),
    ).values(),
  ]
  return each.length === 1 ? each[0]! : { rule: 'allOf', rules: each }
}
