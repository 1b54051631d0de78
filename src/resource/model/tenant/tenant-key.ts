// API keys and webhooks in a service with tenants: one belongs to its maker, or to a tenant with a role. Adds the rules for
// them. (contract 10.2.11, 10.2.12, 15.2.3)

import { choice } from '../../field/choice.ts'
import { optional } from '../../field/field.ts'
import { type OneSpec, one } from '../../field/relation.ts'
import type { Definition, RoleDefinition } from '../../language/definition.ts'
import type { AuthorRule, RuleNode } from '../../language/rule/rule.ts'
import { wordsOf } from '../../language/rule/rule-parts.ts'
import { pluralOf, uncapitalised } from '../../naming/casing.ts'
import { permission } from '../../naming/permission.ts'
import { mapValues } from '../expand-resources.ts'
import type { OneRelation, ResourceModel } from '../model.ts'
import { isTenant, type Resources, rolesIn, type Tenant, tenantLevels } from './tenancy.ts'
import { allOf, anyOf, at, type TenantRules } from './tenant-rule.ts'

export const keyWords = ({ name }: { readonly name: string }): readonly string[] =>
  name === 'ApiKey' ? ['create', 'read', 'delete'] : ['create', 'read', 'edit', 'delete']

/** What can belong to a tenant with a role in it, and then acts as a member. */
export const isKeys = (definition: Pick<Definition, 'name' | 'fields'>): boolean =>
  definition.name === 'ApiKey' || isWebhooks(definition)
/** Not a service's own resource of this name. */
export const isWebhooks = ({ name, fields }: Pick<Definition, 'name' | 'fields'>): boolean =>
  name === 'Webhook' && fields['signingKey']?.kind === 'secret'
export const isDeliveries = ({ name, fields }: Pick<Definition, 'name' | 'fields'>): boolean =>
  name === 'WebhookDelivery' && fields['responseText'] !== undefined
export const tenantRelations = ({ relations, column }: ResourceModel): readonly OneRelation[] =>
  [...relations.values()].filter(
    (each): each is OneRelation => each.kind === 'one' && each.field !== 'user' && column.has('role'),
  )
export const keyField = ({ name }: { readonly name: string }): string => uncapitalised(name)

export function withTenantKeys(keys: Definition, rules: TenantRules): Definition {
  const tenants = [...rules.resources.values()].filter(isTenant)
  const fields = tenants.map(keyField)
  const keyRules = new KeyRules(keys, rules)
  const { create } = keys.actions
  const inTenants = (word: string) => tenants.flatMap((tenant) => keyRules.existing(word, tenant))
  const roles = [...new Set(tenants.flatMap((tenant) => rolesIn(tenant, rules.resources)))]
  const checkKey = (moment: object) => checkHolder(moment as Moment, keys, tenants) ?? create!.check!(moment)
  const checkWebhook = async (moment: object) =>
    checkHolder(moment as Moment, keys, tenants) ?? (await create!.check!(inTenant(moment as Moment, fields)))
  return {
    ...keys,
    fields: {
      ...keys.fields,
      user: ofAccount(keys.fields['user'] as OneSpec),
      ...Object.fromEntries(tenants.map((tenant) => [keyField(tenant), ofTenant(tenant)])),
      role: optional(choice(roles as [string, ...string[]])) as never,
    },
    filter: { ...Object.fromEntries(fields.map((field) => [field, { test: 'is' as const }])), ...keys.filter },
    actions: {
      ...mapValues(keys.actions, (action, name) => ({
        ...action,
        allow: anyOf([action.allow, ...inTenants(wordOf(name))]),
      })),
      create: {
        ...create!,
        accept: [...create!.accept!, ...fields, 'role'],
        allow: anyOf([
          // `check` explains an incomplete combination.
          allOf([create!.allow, when({ role: { present: false } })]),
          allOf([create!.allow, when(Object.fromEntries(fields.map((field) => [field, { present: false }])))]),
          ...tenants.flatMap((tenant) => keyRules.made(tenant)),
        ]),
        check: keys.name === 'ApiKey' ? checkKey : checkWebhook,
        set: { ...create!.set, user: ({ input, actor }: Moment) => (input['role'] === null ? actor!.id : null) },
      },
    },
  }
}
/** Moves of one that exists need the permission to change it. */
const wordOf = (action: string): string => (['read', 'delete'].includes(action) ? action : 'edit')

/** A webhook's check counts those of its owner, which may be a tenant. */
const inTenant = (moment: Moment, fields: readonly string[]): Moment => {
  const field = fields.find((each) => moment.input[each] !== null)
  return field === undefined ? moment : { ...moment, owner: { [field]: moment.input[field] } }
}
interface Moment {
  readonly owner?: Readonly<Record<string, unknown>>
  readonly input: Readonly<Record<string, unknown>>
  readonly actor: { readonly id: string } | null
}

/** Deleting the account deletes its keys. */
function ofAccount({ isActor, ...spec }: OneSpec): OneSpec {
  return { ...spec, optional: true, goesAlong: true }
}
const ofTenant = ({ name }: Tenant): OneSpec => ({ ...(optional(one(name)) as unknown as OneSpec), goesAlong: true })

function checkHolder({ input }: Moment, keys: Definition, tenants: readonly Tenant[]): string | undefined {
  const fields = tenants.map(keyField)
  const count = fields.filter((field) => input[field] !== null).length
  const isKey = keys.name === 'ApiKey'
  if (count === 0 ? input['role'] === null : count === 1 && (isKey || input['role'] !== null)) return undefined
  const names = tenants.map(({ name }) => name).join(' or ')
  if (!isKey) return `A webhook belongs to one ${names} and has a role there, or to the account that creates it.`
  return `A key belongs to one ${names} and has a role there, or to the account that creates it, perhaps narrowed to one ${names}.`
}

const when = (values: Readonly<Record<string, unknown>>): RuleNode => ({ rule: 'when', values })

/** Permissions, membership, and rules that name roles, as strings, so that roles can be compared. */
type Powers = ReadonlySet<string>

class KeyRules {
  readonly #keys: Definition
  readonly #rules: TenantRules
  readonly #resources: Resources
  readonly #roleRules: readonly (readonly string[])[]

  constructor(keys: Definition, rules: TenantRules) {
    this.#keys = keys
    this.#rules = rules
    this.#resources = rules.resources
    this.#roleRules = [...rules.resources.values()].flatMap(partsOf).flatMap((each) => {
      return each.rule === 'member' && each.roles.length > 0 ? [each.roles] : []
    })
  }

  existing(word: string, tenant: Tenant): readonly RuleNode[] {
    const levels = tenantLevels(tenant, this.#resources)
    const grants = this.#rules.granting(word, this.#keys, levels)
    const isOfTenant = when({ [keyField(tenant)]: { present: true }, role: { present: true } })
    const may: RuleNode = { rule: 'may', verb: word, mine: null }
    return [
      ...this.#rules.crossing(levels).map((crossing) => allOf([crossing, may, isOfTenant])),
      ...(grants.length === 0 ? [] : [allOf([at({ field: keyField(tenant) }, anyOf(grants)), isOfTenant])]),
    ]
  }

  made(tenant: Tenant): readonly RuleNode[] {
    const field = keyField(tenant)
    return rolesIn(tenant, this.#resources).flatMap((role) => {
      const needed = new Set([...this.#powers(tenant, role), permission(pluralOf(this.#keys), 'create')])
      const makers = this.#makers(tenant, needed)
      const crossing = Object.keys(this.#rules.service.roles).filter(
        (each) => this.#crosses(each, tenant) && includes(this.#crossingPowers(each), needed),
      )
      return [
        ...(makers.length === 0 ? [] : [allOf([when({ role }), at({ field }, anyOf(makers))])]),
        ...(crossing.length === 0
          ? []
          : [allOf([{ rule: 'role', roles: crossing }, when({ role, [field]: { present: true } })])]),
      ]
    })
  }

  /** Members with these powers, by their role in the tenant, perhaps together with one in an outer tenant. */
  #makers(tenant: Tenant, needed: Powers): readonly RuleNode[] {
    const isEnough = (role: string, ...others: readonly Powers[]) =>
      includes(new Set([this.#powers(tenant, role), ...others].flatMap((each) => [...each])), needed)
    const roles = rolesIn(tenant, this.#resources)
    const alone = roles.filter((role) => isEnough(role))
    const together = tenantLevels(tenant, this.#resources).flatMap((level): readonly RuleNode[] => {
      if (level.field === null) return []
      return rolesIn(level.tenant, this.#resources).flatMap((outer) => {
        const inner = roles.filter((role) => !alone.includes(role) && isEnough(role, this.#powers(level.tenant, outer)))
        const isOuter = at(level, this.#rules.inside(level.tenant, [outer]))
        return inner.length === 0 ? [] : [allOf([this.#rules.inside(tenant, inner), isOuter])]
      })
    })
    return [...(alone.length === 0 ? [] : [this.#rules.inside(tenant, alone)]), ...together]
  }

  #powers(tenant: Tenant, role: string): Powers {
    const held = [...this.#resources.values()].filter((each) =>
      tenantLevels(each, this.#resources).some((level) => level.tenant === tenant),
    )
    const words = [...held, this.#keys].flatMap((each) =>
      (each === this.#keys ? keyWords(each) : permissionWords(each)).flatMap((word) =>
        this.#rules.rolesWith(word, each, tenant).includes(role) ? [permission(pluralOf(each), word)] : [],
      ),
    )
    const sentences = this.#roleRules.flatMap((roles) =>
      roles.includes(role) ? [`member, ${roles.join(' or ')}`] : [],
    )
    return new Set([...words, ...sentences, `member of ${tenant.name}`])
  }

  #crossingPowers(role: string): Powers {
    const powers = new Set<string>()
    for (let at: string | undefined = role; at !== undefined; ) {
      const grants: RoleDefinition = this.#rules.service.roles[at]!
      if (grants === 'everything') break
      for (const [plural, words] of Object.entries(grants)) {
        const prefix = plural === 'acrossTenants' ? 'member of ' : `${plural}:`
        if (plural !== 'includes') for (const word of [words].flat()) powers.add(prefix + word)
      }
      at = grants['includes'] as string | undefined
    }
    return powers
  }

  #crosses(role: string, tenant: Tenant): boolean {
    const levels = tenantLevels(tenant, this.#resources)
    return this.#rules.crossing(levels).some((rule) => rule.rule === 'role' && rule.roles.includes(role))
  }
}

const includes = (powers: Powers, needed: Powers): boolean => [...needed].every((each) => powers.has(each))

function partsOf({ actions, queries = {}, protect = {} }: Definition): readonly AuthorRule[] {
  const rules = [
    ...Object.values(actions).map(({ allow }) => allow),
    ...Object.values(queries).flatMap(({ allow, where }) => [allow, ...(where === undefined ? [] : [where])]),
    ...Object.values(protect).flatMap(({ read, write, filter }) =>
      [read, write, filter].filter((rule) => rule !== undefined),
    ),
  ]
  return rules.flatMap(parts)
}
function parts(rule: AuthorRule): readonly AuthorRule[] {
  const inner = [
    ...('of' in rule ? [rule.of] : []),
    ...('rules' in rule ? rule.rules : []),
    ...('mine' in rule && rule.mine !== null ? [rule.mine] : []),
  ]
  return [rule, ...inner.flatMap(parts)]
}

const permissionWords = (definition: Definition): readonly string[] => [
  ...new Set(partsOf(definition).flatMap((each) => (each.rule === 'may' ? wordsOf(each) : []))),
]
