// Checks members and `within`. Further contradictions are found after tenants are expanded.

import type { OneSpec } from '../../field/relation.ts'
import type { Definition, RoleDefinition, ServiceDefinition } from '../../language/definition.ts'
import type { AuthorRule } from '../../language/rule/rule.ts'
import {
  holderOf,
  isTenant,
  type Resources,
  rolesIn,
  type Tenant,
  targetOf,
  tenantLevels,
} from '../../model/tenant/tenancy.ts'
import { isKeys, keyField, keyWords } from '../../model/tenant/tenant-key.ts'
import { type DefinitionIndex, own, rulesOf } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { checkGrants, checkIncludes } from './access.ts'

/** Returns whether tenants can be expanded, so that everything else can be checked. */
export function tenantContradictions(definitions: DefinitionIndex, report: Report): boolean {
  const { resources, service } = definitions
  const all = [...resources.values()]
  let isSound = all.every((each) => hasEnd(each, resources))
  const stop: Report = (...sentence) => {
    isSound = false
    report(...sentence)
  }
  for (const definition of all) {
    if (isTenant(definition)) checkMembers(definition, definitions, stop)
    if (isTenant(definition)) checkSecondFactor(definition, service, stop)
    if (definition.within !== undefined) checkWithin(definition, definition.within, resources, stop)
  }
  if (!isSound) return false
  for (const definition of all) {
    checkFields(definition, resources, report)
    checkUnique(definition, resources, report)
    for (const [where, rule] of rulesOf(definition)) checkRule(rule, { definition, resources, where, report })
  }
  checkTenantRoles(definitions, report, stop)
  checkKeys(all, report)
  const names = all.filter(isTenant).map(({ name }) => name)
  for (const [role, grants] of Object.entries(service.roles)) checkCrossing(`roles.${role}`, grants, names, report)
  return isSound
}

function checkMembers(
  { name, fields, members }: Tenant,
  { resources, accountName }: DefinitionIndex,
  report: Report,
): void {
  const where = `${name}.members`
  const list = own(fields, members.list) as (OneSpec & { readonly kind: string }) | undefined
  const holder = (list?.kind as string) === 'many' ? resources.get(list!.target) : undefined
  if (holder === undefined) {
    report(where, `its list ${members.list} is no list of records`, "name a field that is many('…', '…')")
    return
  }
  const account = own(holder.fields, members.account)
  if (account?.kind !== 'one' || account.optional || (account as OneSpec).target !== accountName)
    report(
      where,
      `its account ${members.account} names no account of ${holder.name}`,
      `name a relation to ${accountName}`,
    )
  if (own(holder.fields, members.role)?.kind !== 'choice')
    report(where, `its role ${members.role} is no choice of ${holder.name}`, 'name a choice of the roles inside')
}

function checkSecondFactor({ name, fields, members }: Tenant, { accounts }: ServiceDefinition, report: Report): void {
  const { secondFactorIf } = members
  if (secondFactorIf === undefined) return
  const where = `${name}.members`
  const field = own(fields, secondFactorIf)
  if (field?.kind !== 'boolean' || field.optional)
    report(
      where,
      `its secondFactorIf ${secondFactorIf} is no boolean that every ${name} has`,
      'name a field that is boolean()',
    )
  if (accounts.methods?.totp !== true && accounts.methods?.passkeys !== true)
    report(
      where,
      'its secondFactorIf needs a second factor, or its members could not sign in',
      'switch on totp or passkeys',
    )
}

function checkWithin(definition: Definition, within: string, resources: Resources, report: Report): void {
  const where = `${definition.name}.within`
  const spec = own(definition.fields, within)
  if (spec?.kind !== 'one' || spec.optional === true) {
    report(where, `${within} is no relation that every record has`, "name a field that is one('…')")
    return
  }
  const holder = holderOf(definition, resources)
  if (holder !== undefined && !isTenant(holder) && holder.within === undefined)
    report(where, `${holder.name} has no members and is within nothing`, `give ${holder.name} members, or within`)
  if (!hasEnd(definition, resources)) report(where, 'it is within itself', 'strike one of the within between')
  for (const [name, { accept = [], set = {} }] of Object.entries(definition.actions))
    if (name !== 'create' && [...accept, ...Object.keys(set)].includes(within))
      report(
        `${definition.name}.${name}`,
        `it changes ${within}, which names the tenant of the record`,
        `strike ${within}`,
      )
}

function hasEnd(definition: Definition, resources: Resources): boolean {
  const seen = new Set<Definition>()
  for (let each: Definition | undefined = definition; each !== undefined; each = holderOf(each, resources)) {
    if (seen.has(each)) return false
    seen.add(each)
  }
  return true
}

/** The relation to an outer tenant is a field, declared or not. */
function checkFields(definition: Definition, resources: Resources, report: Report): void {
  const { name, fields, actions } = definition
  const levels = tenantLevels(definition, resources).filter(({ from }) => from !== null)
  for (const [field, spec] of Object.entries(fields)) {
    const where = `${name}.${field}`
    const { from, target } = spec as OneSpec
    const level = levels.find((each) => each.field === field)
    if (level === undefined) {
      if (spec.kind === 'one' && from !== undefined)
        report(where, `a ${name} has no tenant of this name from its ${from}`, 'strike from')
      continue
    }
    const { tenant } = level
    if (spec.kind !== 'one' || spec.optional === true || from !== level.from || target !== tenant.name)
      report(
        where,
        `every ${name} has ${field} already: the ${tenant.name} of its ${level.from}`,
        `strike it, write one('${tenant.name}', { from: '${level.from}' }), or give it another name`,
      )
    for (const [action, { accept = [], set = {} }] of Object.entries(actions))
      if ([...accept, ...Object.keys(set)].includes(field))
        report(`${name}.${action}`, `it writes ${field}, which a ${name} has from its ${level.from}`, `strike ${field}`)
  }
}

function checkUnique(definition: Definition, resources: Resources, report: Report): void {
  const { name, fields, unique = [], exclude = [] } = definition
  const outer = tenantLevels(definition, resources).filter(({ field }) => field !== null)
  const names = outer.map(({ tenant }) => tenant.name)
  const check = (where: string, per: unknown) => {
    if (typeof per === 'string' && per !== 'everywhere' && !names.includes(per))
      report(where, `it is unique in ${per}, and no ${name} is within one`, instead(per, ['everywhere', ...names]))
  }
  for (const [field, spec] of Object.entries(fields)) check(`${name}.${field}`, spec.unique)
  for (const each of unique) if ('fields' in each) check(`${name}.unique [${each.fields.join(', ')}]`, each.per)
  for (const each of exclude) check(`${name}.exclude [${each.fields.join(', ')}]`, each.per)
}

interface Place {
  readonly definition: Definition
  readonly resources: Resources
  readonly where: string
  readonly report: Report
}

function checkRule(rule: AuthorRule, place: Place, mayCross = true): void {
  const { definition, resources, where, report } = place
  switch (rule.rule) {
    case 'member': {
      const tenant = rule.relation === null ? definition : targetOf(rule.relation, definition, resources)
      const name = rule.relation === null ? '' : `'${rule.relation}'`
      if (tenant === undefined || !isTenant(tenant))
        report(where, `member(${name}) is about nothing that has members`, 'name a relation to a resource with members')
      else checkRoles(rule.roles, tenant, place)
      return
    }
    case 'acrossTenants':
      if (!mayCross || tenantLevels(definition, resources).length === 0)
        report(where, 'its acrossTenants has no rule about members', 'put it around the whole rule, or in an anyOf')
      checkRule(rule.of, place, false)
      return
    case 'anyOf':
      for (const each of rule.rules) checkRule(each, place, mayCross)
      return
    case 'allOf':
      for (const each of rule.rules) checkRule(each, place, false)
      return
    case 'not':
      checkRule(rule.of, place, false)
      return
    case 'through':
    case 'some': {
      const field = rule.rule === 'through' ? rule.relation : rule.list
      const target = targetOf(field, definition, resources)
      if (target !== undefined) checkRule(rule.of, { ...place, definition: target }, false)
      return
    }
    case 'may':
      if (rule.mine !== null) checkRule(rule.mine, place, false)
  }
}

function checkRoles(roles: readonly string[], tenant: Tenant, { resources, where, report }: Place): void {
  const words = rolesIn(tenant, resources)
  for (const role of roles)
    if (!words.includes(role)) report(where, `no member of ${tenant.name} can be ${role}`, instead(role, words))
}

function checkTenantRoles(
  { service: { tenantRoles = {} }, resources }: DefinitionIndex,
  report: Report,
  stop: Report,
): void {
  const all = [...resources.values()]
  for (const [name, roles] of Object.entries(tenantRoles)) {
    const tenant = resources.get(name)
    if (tenant === undefined || !isTenant(tenant)) {
      const tenants = all.filter(isTenant).map((each) => each.name)
      report('tenantRoles', `${name} has no members`, instead(name, tenants))
      continue
    }
    const held = all.flatMap((each) => {
      if (isKeys(each)) return [{ ...each, actions: keyActions(each) }]
      return tenantLevels(each, resources).some((level) => level.tenant === tenant) ? [each] : []
    })
    const words = rolesIn(tenant, resources)
    for (const role of words)
      if (own(roles, role) === undefined)
        report(`tenantRoles.${name}`, `${role} is not among them`, 'list what it may do')
    for (const [role, grants] of Object.entries(roles)) {
      const where = `tenantRoles.${name}.${role}`
      if (!words.includes(role)) report(where, `no member of ${name} can be ${role}`, instead(role, words))
      if (grants === 'everything') continue
      for (const [key, permissions] of Object.entries(grants)) {
        if (key === 'includes') checkIncludes(where, role, roles, stop)
        else checkGrants(where, key, permissions as readonly string[], held, report, ` within ${name}`)
      }
    }
  }
}

/** Permissions on tenants' keys; the actual rules exist after the expansion. */
const keyActions = (keys: Definition): Definition['actions'] =>
  Object.fromEntries(keyWords(keys).map((verb) => [verb, { allow: { rule: 'may', verb, mine: null } }]))

/** A key refers to its tenant by a field named after it. */
function checkKeys(all: readonly Definition[], report: Report): void {
  for (const keys of all.filter(isKeys))
    for (const tenant of all.filter(isTenant))
      if ([...Object.keys(keys.fields), 'role'].includes(keyField(tenant)))
        report(
          tenant.name,
          `${keys.name === 'ApiKey' ? 'API keys' : 'webhooks'} have ${keyField(tenant)} already, and would name their tenant so`,
          'choose another name',
        )
}

function checkCrossing(where: string, grants: RoleDefinition, names: readonly string[], report: Report): void {
  if (grants === 'everything') return
  for (const name of [grants['acrossTenants'] ?? []].flat())
    if (!names.includes(name)) report(where, `it crosses ${name}, which has no members`, instead(name, names))
}
