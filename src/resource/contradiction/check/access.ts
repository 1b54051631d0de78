// Checks accounts, roles and versions.

import type { SpecBase } from '../../field/field.ts'
import { isEmail } from '../../field/text.ts'
import type { Definition, ServiceDefinition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { pluralOf } from '../../naming/casing.ts'
import { type DefinitionIndex, own } from '../report/definition-index.ts'
import { instead, joinNames, type Report } from '../report/report.ts'
import { permissionWords } from './rule.ts'

export function accessContradictions(definitions: DefinitionIndex, report: Report): void {
  const account = definitions.resources.get(definitions.accountName)
  if (account === undefined)
    report(
      'accounts',
      `there is no resource ${definitions.accountName}`,
      'list it among resources, or name the one with accounts.resource',
    )
  else {
    checkAccounts(definitions, account, report)
    checkRoleField(definitions, account, report)
  }
  checkRoles(definitions, account, report)
  checkVersions(definitions, report)
}

function checkAccounts({ service: { accounts } }: DefinitionIndex, account: Definition, report: Report): void {
  const { name, fields } = account
  const fieldOf = (part: 'login' | 'password' | 'role', kind: string): SpecBase | undefined => {
    const fits = (spec: SpecBase) => (part === 'login' ? isEmail(spec) : spec.kind === kind)
    const ofKind = Object.keys(fields).filter((field) => fits(fields[field]!))
    const spec = own(fields, accounts[part])
    if (spec !== undefined && fits(spec)) return spec
    report(
      'accounts',
      `its ${part} is ${accounts[part]}, which is no ${kind} of ${name}`,
      ofKind.length === 0 && part === 'login' ? 'declare it with email' : instead(accounts[part], ofKind),
    )
    return undefined
  }
  const login = fieldOf('login', 'email')
  if (login !== undefined && !login.unique)
    report(`${name}.${accounts.login}`, 'two accounts could sign in with the same', 'make it unique')
  const password = fieldOf('password', 'password')
  const { magicLink, passkeys, issuers = {} } = accounts.methods ?? {}
  const needsPassword = !magicLink && !passkeys && Object.keys(issuers).length === 0
  for (const spec of [login, ...(needsPassword ? [password] : []), fieldOf('role', 'choice')]) {
    if (spec?.optional)
      report(
        name,
        `its ${joinNames([accounts.login, accounts.password, accounts.role], 'and')} are needed to sign in`,
        spec === password ? 'strike optional, or switch on another method' : 'strike optional',
      )
  }
  const states = (Object.values(fields).find(({ kind }) => kind === 'state') as Words | undefined)?.values ?? []
  checkVerified(account, accounts, report)
  checkMethods(account, accounts, report)
  if (!states.includes(accounts.activeState))
    report(
      'accounts',
      `its activeState is ${accounts.activeState}, which is no state of ${name}`,
      instead(accounts.activeState, states),
    )
}
type Words = SpecBase & { readonly values: readonly string[] }

function checkVerified(
  { name, fields }: Definition,
  { verified }: ServiceDefinition['accounts'],
  report: Report,
): void {
  if (verified === undefined) return
  const spec = own(fields, verified) as (SpecBase & { readonly default?: unknown }) | undefined
  if (spec?.kind !== 'boolean')
    report('accounts', `its verified is ${verified}, which is no boolean of ${name}`, 'name such a field')
  else if (spec.default === true)
    report(`${name}.${verified}`, 'every new account would be verified', 'let its default be false')
}

const methodNames: readonly string[] = ['issuers', 'magicLink', 'passkeys', 'totp']

/** Proofs of addresses are written by `update`, and the only way to another address. (contract 5.11.5) */
function checkMethods(
  { name, actions }: Definition,
  { methods, login, verified, requireVerified, secondFactorFor = [], pages }: ServiceDefinition['accounts'],
  report: Report,
): void {
  if (requireVerified && (methods === undefined || verified === undefined))
    report('accounts', 'its requireVerified needs methods and verified, or no account could sign in', 'name both')
  if (secondFactorFor.length > 0 && methods?.totp !== true && methods?.passkeys !== true)
    report(
      'accounts',
      'its secondFactorFor needs a second factor, or these roles could not sign in',
      'switch on totp or passkeys',
    )
  if (pages && methods === undefined) report('accounts', 'its pages need methods', 'add methods, or strike pages')
  if (methods === undefined) return
  for (const word of Object.keys(methods))
    if (!methodNames.includes(word))
      report('accounts.methods', `there is no method ${word}`, instead(word, methodNames))
  for (const issuer of Object.keys(methods.issuers ?? {}))
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(issuer))
      report(
        'accounts.methods.issuers',
        `${issuer} is no name for an endpoint`,
        'use lower-case letters, digits and hyphens',
      )
  if (verified === undefined) {
    if (methods.magicLink)
      report('accounts', 'a magic link proves an address, and no field records that', 'name verified')
    return
  }
  if (own(actions, 'update') === undefined)
    report(
      name,
      'it has no update, which proofs of addresses need',
      'declare update, for the service alone if no client may use it',
    )
  for (const [action, { accept, allow }] of Object.entries(actions))
    if (action !== 'create' && accept?.includes(login) && !asksOnlyPermissions(allow))
      report(
        `${name}.${action}`,
        `it lets accounts change their ${login} without proof`,
        `strike ${login} from accept, or require a permission; clients use change-email`,
      )
}

/** An account that may change its role gains every permission; one that may set `verified` can claim any address. */
function checkRoleField({ service: { accounts } }: DefinitionIndex, account: Definition, report: Report): void {
  const { role, verified = role } = accounts
  for (const field of new Set([role, verified])) {
    if (own(account.protect, field)?.write !== undefined) continue
    for (const [name, { accept, allow }] of Object.entries(account.actions)) {
      if (accept?.includes(field) && !asksOnlyPermissions(allow))
        report(`${account.name}.${name}`, `it lets people choose their own ${field}`, `protect ${field} with a write`)
    }
  }
}
function asksOnlyPermissions(rule: RuleNode): boolean {
  if (rule.rule === 'anyOf') return rule.rules.every(asksOnlyPermissions)
  if (rule.rule === 'allOf') return rule.rules.some(asksOnlyPermissions)
  if (rule.rule === 'confined') return asksOnlyPermissions(rule.of)
  return rule.rule === 'nobody' || (rule.rule === 'may' && rule.mine === null)
}

function checkRoles(definitions: DefinitionIndex, account: Definition | undefined, report: Report): void {
  const { roles, accounts } = definitions.service
  const all = [...definitions.resources.values()]
  const field = account && own(account.fields, accounts.role)
  const words = field?.kind === 'choice' ? (field as Words).values : []
  for (const word of words)
    if (own(roles, word) === undefined) report('roles', `${word} is not among them`, 'list what it may do')
  for (const [role, grants] of Object.entries(roles)) {
    const where = `roles.${role}`
    if (words.length > 0 && !words.includes(role))
      report(where, `no account can have the role ${role}`, instead(role, words))
    if (grants === 'everything') continue
    for (const [key, permissions] of Object.entries(grants)) {
      if (key === 'includes') checkIncludes(where, role, roles, report)
      else if (key !== 'acrossTenants') checkGrants(where, key, permissions as readonly string[], all, report)
    }
  }
}

export function checkIncludes(where: string, role: string, roles: ServiceDefinition['roles'], report: Report): void {
  const next = (name: string) => {
    const grants = own(roles, name)
    return grants === undefined || grants === 'everything' ? undefined : (grants['includes'] as string | undefined)
  }
  const chain = new Set([role])
  for (let at = next(role); at !== undefined; at = next(at)) {
    if (own(roles, at) === undefined) {
      report(where, `it includes ${at}, which is no role`, instead(at, Object.keys(roles)))
      return
    }
    if (at === role) {
      report(where, 'it includes itself', 'strike one of the includes between')
      return
    }
    if (chain.has(at)) return
    chain.add(at)
  }
}

/** `within` names the tenant of these resources, if any. */
export function checkGrants(
  where: string,
  plural: string,
  words: readonly string[],
  resources: readonly Definition[],
  report: Report,
  within = '',
): void {
  const definition = resources.find((each) => pluralOf(each) === plural)
  if (definition === undefined) {
    report(where, `there are no ${plural}${within}`, instead(plural, resources.map(pluralOf)))
    return
  }
  const grantable = permissionWords(definition)
  for (const [index, word] of words.entries()) {
    if (!grantable.has(word)) report(where, `no rule uses ${word} of ${plural}`, instead(word, grantable))
    if (words.indexOf(word) < index) report(where, `it grants ${word} of ${plural} twice`, 'strike one')
  }
}
function checkVersions({ service: { versions = { v1: 'current' } } }: DefinitionIndex, report: Report): void {
  const entries = Object.entries(versions)
  const current = entries.filter(([, lifetime]) => lifetime === 'current')
  if (current.length !== 1) report('versions', `${current.length} of them are current`, 'let exactly one be current')
  else if (entries.at(-1)![1] !== 'current')
    report('versions', `${current[0]![0]} is current, and not the last`, 'list the oldest first')
  let last = { number: 0, deprecated: '', sunset: '' }
  for (const [name, lifetime] of entries) {
    const where = `versions.${name}`
    const number = Number(/^v([1-9]\d{0,3})$/.exec(name)?.[1])
    if (Number.isNaN(number)) report(where, 'its name is not of the form v2', 'count versions from v1')
    else if (number <= last.number) report(where, `it stands after v${last.number}`, 'list the oldest first')
    last = { ...last, number: Number.isNaN(number) ? last.number : number }
    if (lifetime === 'current') continue
    for (const part of ['deprecated', 'sunset'] as const) {
      if (!isDay(lifetime[part])) report(where, `its ${part} ${lifetime[part]} is no day`, 'write it as 2026-11-20')
      else if (lifetime[part] < last[part])
        report(where, `its ${part} is before that of an older version`, 'correct one of them')
    }
    if (lifetime.sunset <= lifetime.deprecated)
      report(where, 'its sunset is not after its deprecation', 'correct one of them')
    last = { number: last.number, deprecated: lifetime.deprecated, sunset: lifetime.sunset }
  }
}
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)
