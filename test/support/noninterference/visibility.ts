// What somebody may see of the rows, and may do with what he sees: rules read plainly, record by record, by nothing that the
// service itself runs on.

import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { definitionOf } from '../../../src/resource/language/definition.ts'
import type { AuthorRule, RuleNode } from '../../../src/resource/language/rule/rule.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import type { LinkRelation, ManyRelation, Model, ResourceModel } from '../../../src/resource/model/model.ts'
import type { Scope } from '../../../src/resource/model/scope.ts'
import { says } from '../oracle/plain-rule.ts'
import { type TenantCaller, TenantReading, type TenantRecord } from '../oracle/tenant-rule.ts'
import { codeOf, isToken } from './code.ts'
import { keptNumbers } from './kept-numbers.ts'
import { intervalsOf, livingRow, type Row, type Rows, rowsAbove } from './rows.ts'

export interface Person {
  /** Of the account, or of the API key that a tenant has. */
  readonly id: string
  readonly role: string
  /** The tenant that the key belongs to, and the key's role there. */
  readonly tenant?: NonNullable<TenantCaller['tenant']>
  /** The API key that is used, with what it may. */
  readonly key?: { readonly id: string; readonly scopes: readonly string[] }
}

/** The caller to whom two services must be alike: a person or none, with each of these values of `X-Access-Code` and without. */
export interface Watched {
  readonly person: Person | null
  readonly codes: readonly string[]
}

export interface Visibility {
  readonly mayRead: (row: Row) => boolean
  /** Whether its values are in the scope of the key: that it is there can be tried by its id. (contract 5.7) */
  readonly isInScope: (of: ResourceModel) => boolean
  readonly mayReadField: (row: Row, field: string) => boolean
  /** What each rule about this record says. */
  readonly abilities: (row: Row) => readonly unknown[]
}

/** Services with tenants are read from what their authors wrote, so that nothing is believed of what is made of it. */
const readings = new WeakMap<Model, TenantReading>()
export function readTenants(model: Model, service: Service<unknown>): void {
  const definition = definitionOf(service)
  if (Object.values(definition.resources).some(({ members }) => members !== undefined))
    readings.set(model, new TenantReading(definition))
}

/** What the scopes of a person's key let them read. */
export function inScopeOf(person: Person | null): (resource: Pick<ResourceModel, 'path'>) => boolean {
  const scopes = person?.key?.scopes ?? ['*']
  return ({ path }) => ['*', 'read:*', `read:${path}`].some((each) => scopes.includes(each))
}

interface Shown {
  readonly person: Person | null
  readonly code: string | null
}

export function createVisibility(model: Model, rows: Rows, { person, code }: Shown, now: Date): Visibility {
  const isAccount = person !== null && person.tenant === undefined
  const account = isAccount ? livingRow(rows, person.id) : null
  const { login, verified } = model.accounts
  const caller: TenantCaller = {
    id: isAccount ? person.id : null,
    account: account && plainRecord(account, rows),
    ...(isAccount ? { role: person.role } : {}),
    permissions: isAccount ? model.roles.get(person.role)! : new Set(),
    ...(person?.tenant === undefined ? {} : { tenant: person.tenant }),
    now,
    code,
    ...(verified === null ? {} : { unverified: { field: login.field, verified: verified.field } }),
  }
  const isInScope = inScopeOf(person)
  // No API key sees keys and sessions.
  const isBarred = ({ of: { name } }: Row) => person?.key !== undefined && (name === 'ApiKey' || name === 'Session')
  const reading = readings.get(model)
  if (reading !== undefined) return { ...tenantSight(reading, rows, caller, isBarred), isInScope }
  const holds = (rule: RuleNode, row: Row) => says(rule, plainRecord(row, rows), caller)
  return {
    isInScope,
    mayRead: (row) => !row.isDeleted && !isBarred(row) && holds(row.of.read.allow, row),
    abilities: (row) => rulesAbout(row.of).map((rule) => holds(rule, row)),
    mayReadField(row, field) {
      const rule = row.of.protect.get(field)?.read
      return rule === undefined || holds(rule, row)
    },
  }
}

/** The same of a service with tenants. */
function tenantSight(
  reading: TenantReading,
  rows: Rows,
  caller: TenantCaller,
  isBarred: (row: Row) => boolean,
): Omit<Visibility, 'isInScope'> {
  const holds = (rule: RuleNode, row: Row) => reading.says(rule, plainRecord(row, rows), caller)
  return {
    mayRead: (row) => !row.isDeleted && !isBarred(row) && reading.allows('read', plainRecord(row, rows), caller),
    mayReadField(row, field) {
      const rule = reading.definitionOf(row.of.name).protect?.[field]?.read
      return rule === undefined || holds(rule, row)
    },
    abilities(row) {
      const record = plainRecord(row, rows)
      const { actions, protect = {} } = reading.definitionOf(row.of.name)
      const rules = Object.values(protect).flatMap(({ read, write }) =>
        [read, write].filter((each) => each !== undefined),
      )
      return [
        ...Object.keys(actions).map((action) => reading.allows(action, record, caller)),
        ...[...rules, ...rulesOfNamingAs(row.of, reading)].map((rule) => holds(rule, row)),
        ...reading.tenantsOf(record).map((tenant) => reading.roleIn(tenant, caller)),
      ]
    },
  }
}

/** What is asked of a record where another one names it, as its author wrote it. */
const rulesOfNamingAs = ({ referrers }: ResourceModel, reading: TenantReading): readonly RuleNode[] =>
  referrers.flatMap(({ holder, relation: { field } }) => {
    if (!reading.knows(holder.name)) return []
    const { fields, actions } = reading.definitionOf(holder.name)
    const { into } = (fields[field] ?? {}) as { readonly into?: RuleNode }
    const create = actions['create']?.allow as AuthorRule | undefined
    return [...(into === undefined ? [] : [into]), ...(create === undefined ? [] : followed(create, field))]
  })

function plainRecord(row: Row, rows: Rows): TenantRecord {
  const { of, id } = row
  const values = { ...row.values, ...keptNumbers(row, rows) }
  const plain = (each: Row) => plainRecord(each, rows)
  return {
    name: of.name,
    path: of.path,
    read: of.read.allow,
    value(field) {
      const column = of.column.get(field)
      return column !== undefined && isToken(column) ? codeOf(column, id) : (values[field] ?? null)
    },
    one(relation) {
      const target = livingRow(rows, values[relation])
      return target && plain(target)
    },
    many(list) {
      const relation = of.relations.get(list) as ManyRelation | LinkRelation
      if (relation.kind === 'many') {
        const { target, by } = relation
        const holders = [...rows.records.values()].filter((each) => each.of === target && !each.isDeleted)
        return holders.filter((each) => each.values[by.field] === id).map(plain)
      }
      if (relation.link.parent !== null) return rowsAbove(rows, row, relation.link.parent).map(plain)
      const [mine, theirs] =
        relation.side === 'source' ? (['source', 'target'] as const) : (['target', 'source'] as const)
      const links = rows.links.filter((each) => each.relation.link === relation.link && each[mine] === id)
      return links
        .map((each) => livingRow(rows, each[theirs]))
        .filter((each) => each !== null)
        .map(plain)
    },
  }
}

/**
 * All that the answers to this person may depend on, as texts: every value that he may read, and for every record that he
 * may read what he may do with it. Two databases with equal visibilities must answer him equally.
 */
export function visibilityOf(model: Model, rows: Rows, { person, codes }: Watched, now: Date): ReadonlySet<string> {
  const visited = new Set<string>()
  for (const [index, code] of [null, ...codes].entries())
    for (const text of sightWith(rows, createVisibility(model, rows, { person, code }, now)))
      visited.add(`${index} ${text}`)
  for (const row of rows.records.values())
    if (!row.isDeleted) for (const each of intervalsOf(row)) visited.add(JSON.stringify(each))
  if (person?.key !== undefined) for (const id of [person.key.id, person.id]) visited.add(credentialText(rows, id))
  return visited
}

/** A key, and the account that it belongs to, show in what the key may do even if it cannot read them. */
function credentialText(rows: Rows, id: string): string {
  const row = rows.records.get(id)
  const { lastUsedAt, updatedAt, ...values } = row?.values ?? {}
  return JSON.stringify([row?.isDeleted, values])
}

function sightWith(rows: Rows, visibility: Visibility): ReadonlySet<string> {
  const visited = new Set<string>()
  for (const row of rows.records.values()) {
    if (!visibility.mayRead(row)) continue
    visited.add(
      `${row.id} is ${visibility.isInScope(row.of) ? JSON.stringify(visibleValues(row, rows, visibility)) : 'there'}`,
    )
    visited.add(`${row.id} may ${JSON.stringify(visibility.abilities(row))}`)
  }
  for (const { relation, source, target } of rows.links) {
    const ends = [livingRow(rows, source), livingRow(rows, target)]
    if (ends.every((end) => end !== null && visibility.mayRead(end) && visibility.isInScope(end.of)))
      visited.add(`${relation.link.table} ${source} ${target}`)
  }
  return visited
}

function visibleValues(whole: Row, rows: Rows, visibility: Visibility): readonly unknown[] {
  const { of } = whole
  const values = { ...whole.values, ...keptNumbers(whole, rows) }
  // What a state or a moment forbids is told as a conflict, whoever may read it.
  const tested = new Set([...of.actions.values()].flatMap(({ from }) => from.map(({ column }) => column.field)))
  return of.columns
    .filter(({ secret, field }) => !secret && (tested.has(field) || visibility.mayReadField(whole, field)))
    .map(({ field, spec }) => {
      // All readers of a record get the ids of its tenants.
      const isTenant = of.tenants.some((tenant) => tenant.field === field)
      if (spec.kind !== 'one' || field === 'id' || isTenant) return [field, values[field]]
      const target = livingRow(rows, values[field])
      return [field, target !== null && visibility.mayRead(target) ? target.id : null]
    })
}

/** Every rule that decides about a record of this resource that may be read, or about what names it. */
const rulesAbout = (resource: ResourceModel): readonly RuleNode[] =>
  getOrInsert(rules, resource, () => [...ownRules(resource), ...rulesOfNaming(resource)])
const rules = new WeakMap<ResourceModel, readonly RuleNode[]>()

function rulesOfNaming({ referrers }: ResourceModel): readonly RuleNode[] {
  return referrers.flatMap(({ holder, relation: { field, into } }) => [
    ...(into === null ? [] : [into]),
    // The rule of a create is asked of the record as it would be, and so of what that names.
    ...[...holder.actions.values()].flatMap(({ kind, allow }) => (kind === 'create' ? followed(allow, field) : [])),
  ])
}

function followed(rule: AuthorRule, relation: string): readonly RuleNode[] {
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') return rule.rules.flatMap((each) => followed(each, relation))
  if (rule.rule === 'not' || rule.rule === 'acrossTenants') return followed(rule.of, relation)
  return rule.rule === 'through' && rule.relation === relation ? [rule.of] : []
}

function ownRules(resource: ResourceModel): readonly RuleNode[] {
  const actions = [...resource.actions.values()].map(({ allow }) => allow)
  const protections = [...resource.protect.values()].flatMap(({ read, write }) => [read, write])
  const queries = [...resource.queries.values()].flatMap(({ scope }) => (scope === null ? [] : rulesIn(scope)))
  return [...actions, ...protections.filter((rule) => rule !== undefined), ...queries]
}
function rulesIn(scope: Scope): readonly RuleNode[] {
  if (scope.is === 'rule') return [scope.rule]
  return scope.is === 'test' ? [] : scope.of.flatMap(rulesIn)
}
