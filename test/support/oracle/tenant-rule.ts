// What rules say of tenants, read from what the author wrote: who is a member of what, what roles inside may, and which tenants a
// record is in. It shares nothing with what the service makes of the same words. (contract 10.2)

import type { Definition, ServiceDefinition } from '../../../src/resource/language/definition.ts'
import type { AuthorRule, RuleNode } from '../../../src/resource/language/rule/rule.ts'
import { type PlainCaller, type PlainRecord, says } from './plain-rule.ts'

export interface TenantRecord extends PlainRecord {
  readonly name: string
  one(relation: string): TenantRecord | null
  many(list: string): readonly TenantRecord[]
}
/** An account or nobody, or the key of a tenant. */
export interface TenantCaller extends PlainCaller {
  readonly tenant?: { readonly id: string; readonly resource: string; readonly role: string }
}

export class TenantReading {
  readonly #service: ServiceDefinition
  readonly #definitions: ReadonlyMap<string, Definition>

  constructor(service: ServiceDefinition) {
    this.#service = service
    this.#definitions = new Map(Object.values(service.resources).map((each) => [each.name, each]))
  }

  /** False of what the library keeps, and the service does not list. */
  knows(name: string): boolean {
    return this.#definitions.has(name)
  }

  definitionOf(name: string): Definition {
    return this.#definitions.get(name)!
  }

  /** Whether somebody may do this with a record, as far as it is about the record. */
  allows(action: string, record: TenantRecord, caller: TenantCaller): boolean {
    const rule = this.definitionOf(record.name).actions[action]!.allow as AuthorRule
    if (record.name === 'ApiKey') return this.#allowsKey(action, rule, record, caller)
    const all = this.tenantsOf(record)
    const tenants = action === 'create' ? all.filter((each) => each.value('id') !== record.value('id')) : all
    if (tenants.length === 0)
      return all.length === 0 || caller.tenant === undefined ? this.#says(rule, record, caller, false) : false
    const parts = rule.rule === 'anyOf' ? (rule.rules as readonly AuthorRule[]) : [rule]
    return parts.some((part) => {
      if (part.rule === 'acrossTenants')
        return this.#reaches(part.of, tenants, caller) && this.#says(part.of, record, caller, false)
      if (!this.#says(part, record, caller, true)) return false
      const rules = part.rule === 'allOf' ? (part.rules as readonly AuthorRule[]) : [part]
      // Whose role lets them do it is a member there, or of a tenant around it.
      return rules.some((each) => each.rule === 'may') || this.#isInside(tenants[0]!, caller)
    })
  }

  /** A key belongs to an account, or to a tenant, whose roles are granted what may be done with it. */
  #allowsKey(action: string, rule: AuthorRule, record: TenantRecord, caller: TenantCaller): boolean {
    if (this.#says(rule, record, caller, false)) return true
    const names = [...this.#definitions.values()].flatMap(({ name, members }) =>
      members === undefined ? [] : [lowered(name)],
    )
    const holder = names.map((name) => record.one(name)).find((each) => each !== null)
    if (holder == null || record.value('role') === null) return false
    const tenants = this.tenantsOf(holder)
    return this.#may({ rule: 'may', verb: action, mine: null }, record, tenants, caller)
  }

  /** A rule of a record that may be read. */
  says(rule: RuleNode, record: TenantRecord, caller: TenantCaller): boolean {
    return this.#says(rule, record, caller, true)
  }

  /** The tenants that a record is in, itself first where it is one. */
  tenantsOf(record: TenantRecord): readonly TenantRecord[] {
    const { members, within } = this.definitionOf(record.name)
    const holder = within === undefined ? null : record.one(within)
    return [...(members === undefined ? [] : [record]), ...(holder === null ? [] : this.tenantsOf(holder))]
  }

  /** The role that somebody has in a tenant; null for who is no member of it, or not of one that it is in. */
  roleIn(tenant: TenantRecord, caller: TenantCaller): string | null {
    const id = tenant.value('id')
    if (caller.tenant !== undefined) return caller.tenant.id === id ? caller.tenant.role : null
    if (caller.id === null) return null
    const { list, account, role, while: active } = this.definitionOf(tenant.name).members!
    const own = tenant
      .many(list)
      .find((each) => each.value(account) === caller.id && (active === undefined || says(active, each, caller)))
    const outer = this.tenantsOf(tenant).slice(1)
    return own !== undefined && outer.every((each) => this.roleIn(each, caller) !== null)
      ? (own.value(role) as string)
      : null
  }

  #says(rule: AuthorRule, record: TenantRecord, caller: TenantCaller, isInside: boolean): boolean {
    const also = (each: AuthorRule) => this.#says(each, record, caller, isInside)
    switch (rule.rule) {
      case 'member': {
        const tenant = rule.relation === null ? record : record.one(rule.relation)
        if (tenant === null) return false
        if (rule.roles.length === 0) return this.#isInside(tenant, caller)
        return rule.roles.includes(this.roleIn(tenant, caller) ?? '')
      }
      case 'acrossTenants':
        return this.#says(rule.of, record, caller, false)
      case 'readable': {
        const target = record.one(rule.relation)
        return target !== null && this.allows('read', target, caller)
      }
      case 'through': {
        const target = record.one(rule.relation)
        return target !== null && this.#says(rule.of, target, caller, true)
      }
      case 'some':
        return record.many(rule.list).some((each) => this.#says(rule.of, each, caller, true))
      case 'not':
        return !also(rule.of)
      case 'anyOf':
        return rule.rules.some(also)
      case 'allOf':
        return rule.rules.every(also)
      case 'signedIn':
        return caller.id !== null || caller.tenant !== undefined
      case 'may': {
        const tenants = isInside ? this.tenantsOf(record) : []
        return tenants.length === 0 ? says(rule, record, caller) : this.#may(rule, record, tenants, caller)
      }
      default:
        return says(rule, record, caller)
    }
  }

  #may(
    rule: Extract<RuleNode, { rule: 'may' }>,
    record: TenantRecord,
    tenants: readonly TenantRecord[],
    caller: TenantCaller,
  ): boolean {
    if (this.#crosses(tenants, caller) && says(rule, record, caller)) return true
    const { verb, mine } = rule
    const may = (word: string) =>
      tenants.some((tenant) => {
        const role = this.roleIn(tenant, caller)
        return role !== null && this.#grants(tenant.name, role, record.name, word)
      })
    if (mine === null) return may(verb)
    return may(`${verb}_any`) || (may(`${verb}_own`) && this.#says(mine, record, caller, true))
  }

  #grants(tenant: string, role: string, resource: string, word: string): boolean {
    const granted = this.#service.tenantRoles?.[tenant]?.[role]
    if (granted === undefined) return false
    if (granted === 'everything') return true
    const plural = this.definitionOf(resource).plural ?? `${lowered(resource)}s`
    if (((granted[plural] ?? []) as readonly string[]).includes(word)) return true
    const other = granted['includes'] as string | undefined
    return other !== undefined && this.#grants(tenant, other, resource, word)
  }

  #isInside(tenant: TenantRecord, caller: TenantCaller): boolean {
    return this.#crosses(this.tenantsOf(tenant), caller) || this.roleIn(tenant, caller) !== null
  }

  #crosses(tenants: readonly TenantRecord[], { id, role }: TenantCaller): boolean {
    if (id === null || role === undefined) return false
    const grants = this.#service.roles[role]!
    const crossed = grants === 'everything' ? [] : [grants['acrossTenants'] ?? []].flat()
    return tenants.some(({ name }) => crossed.includes(name))
  }

  /** A key reaches what is in its tenant, and what everybody may. */
  #reaches(rule: AuthorRule, tenants: readonly TenantRecord[], { tenant }: TenantCaller): boolean {
    return tenant === undefined || rule.rule === 'anyone' || tenants.some((each) => each.value('id') === tenant.id)
  }
}

const lowered = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)
