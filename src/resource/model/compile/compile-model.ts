// Compiles a service definition to its model: columns, then relations, fields, actions and roles.

import { toOwnCode } from '../../../failure/failure.ts'
import type { Requester } from '../../actor.ts'
import { isActorDefault, isTenantField } from '../../field/relation.ts'
import {
  accountName,
  type Definition,
  definitionOf,
  hasStoredMethods,
  type MethodsDefinition,
  type ServiceDefinition,
} from '../../language/definition.ts'
import { graphqlNameOf, graphqlPluralOf, kebab, pluralOf, snake } from '../../naming/casing.ts'
import { withAcceptedLists } from './accepted-list.ts'
import { withAccounts } from './account-definition.ts'
import { compileActions } from './compile-action.ts'
import { compileColumns, compileCounters, compileFields, compileStoredValues } from './compile-field.ts'
import { compilePaths } from './compile-path.ts'
import { compileRelations } from './compile-relation.ts'
import { compileRoles, permissionsOf } from './compile-role.ts'
import { compileTimedMoves } from './compile-timed-move.ts'
import { compileExclusions, compileUniques } from './compile-unique.ts'
import { withEither } from './either-definition.ts'
import { closedFields, withPartialReads } from './partial-read.ts'
import '../../field/kinds.ts'
import type { AnyResource } from '../../language/resource.ts'
import type { Service } from '../../language/service.ts'
import { branchesOf } from '../either.ts'
import type {
  AccountsModel,
  ManyRelation,
  MembersModel,
  MethodsModel,
  Model,
  ResourceModel,
  VersionModel,
} from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { compileKeptNumbers } from '../number/kept-number.ts'
import { withKeptNumbers } from '../number/kept-number-definition.ts'
import { withStoredValues } from '../number/stored-value-definition.ts'
import { compileGuards } from '../rule/guard.ts'
import { everyClass, hideableRelations, uncertainFields } from '../rule/readability.ts'
import { compileWhere } from '../rule/where.ts'
import { compileSearch } from '../search/search.ts'
import { withTenants } from '../tenant/tenant-definition.ts'
import { isDeliveries, isKeys } from '../tenant/tenant-key.ts'
import { withWebhooks } from '../tenant/webhook-definition.ts'
import { withTrees } from '../tree/tree-definition.ts'

/**
 * Expects a definition without contradictions. Resources in `own`, which the library needs, get tables but no routes unless the
 * service lists them.
 */
export function compileModel(service: Service<unknown>, own: readonly AnyResource[] = []): Model {
  const [written, library] = withAccounts(
    withPartialReads(withAcceptedLists(definitionOf(service))),
    own as unknown as readonly Definition[],
  )
  const definition = withStoredValues(withKeptNumbers(withTenants(withTrees(withEither(withWebhooks(written))))))
  const serviceResources = Object.values(definition.resources)
  const isListed = ({ name }: { readonly name: string }) => serviceResources.some((each) => each.name === name)
  const definitions = [...serviceResources, ...library.filter((each) => !isListed(each))]
  const drafts = new Map(definitions.map((each) => [each.name, draftResource(each, isListed(each))]))
  const links = compileRelations(definitions, drafts)
  for (const each of definitions) compileKeptNumbers(each, drafts)
  const accounts = compileAccounts(drafts.get(accountName(definition))!, definition.accounts)
  for (const draft of drafts.values()) draft.account = accounts
  for (const each of definitions) drafts.get(each.name)!.members = compileMembers(drafts.get(each.name)!, each)
  for (const each of definitions) compileFields(drafts.get(each.name)!, each)
  for (const each of definitions) compileActions(drafts.get(each.name)!, each)
  for (const each of definitions) compileTimedMoves(drafts.get(each.name)!, each, drafts)
  compileGuards(drafts)
  const all: readonly ResourceModel[] = [...drafts.values()]
  const resources = all.filter(isListed)
  const permissions = new Set(resources.flatMap(permissionsOf))
  const roles = compileRoles(definition, all, permissions)
  const everyone = everyClass(roles, resources)
  for (const each of definitions) compileHideable(drafts.get(each.name)!, each, everyone)
  for (const each of definitions) compilePaths(drafts.get(each.name)!, each, everyone)
  for (const each of definitions) compileSearch(drafts.get(each.name)!, each, drafts)
  for (const { name, where = [] } of definitions) drafts.get(name)!.where = compileWhere(where, drafts.get(name)!)
  return {
    resources,
    unlisted: all.filter((each) => !isListed(each)),
    byName: new Map(all.map((each) => [each.name, each])),
    byGraphqlName: new Map(resources.map((each) => [each.graphql.name, each])),
    byPath: new Map(resources.map((each) => [each.path, each])),
    byPrefix: new Map(resources.map((each) => [each.prefix, each])),
    links,
    accounts,
    permissions,
    roles,
    versions: compileVersions(definition),
    onWrite: definition.onWrite ?? null,
    usesClock: (definition.schedules ?? []).length > 0 || all.some(({ timedMoves }) => timedMoves.length > 0),
    sqlNames: compileSqlNames(definitionOf(service), drafts),
  }
}

function draftResource(definition: Definition, isListed: boolean): ResourceDraft {
  const plural = pluralOf(definition)
  const columns = compileColumns(definition)
  return {
    name: definition.name,
    plural,
    graphql: { name: graphqlNameOf(definition), plural: graphqlPluralOf(definition) },
    path: kebab(plural),
    table: definition.table ?? snake(plural),
    prefix: definition.prefix,
    isListed,
    about: definition.about,
    columns,
    column: new Map(columns.map((each) => [each.field, each])),
    fields: new Map(),
    relations: new Map(),
    referrers: [],
    actions: new Map(),
    filters: new Map(),
    namedFilters: new Map(),
    queries: new Map(),
    state: columns.find((each) => each.spec.kind === 'state') ?? null,
    tenants: columns.filter(({ spec }) => isTenantField(spec)),
    members: null,
    actorColumns: columns.filter(({ spec }) => isActorDefault(spec)),
    hideable: [],
    account: undefined as never, // set when accounts are compiled
    read: undefined as never, // set by compileActions
    sorts: new Map(),
    where: null, // set by compileModel, once hidden fields are known
    summary: null,
    search: null,
    indexed: [],
    protect: new Map(Object.entries(definition.protect ?? {})),
    masked: Object.entries(definition.protect ?? {}).flatMap(([name, each]) => (each.read === undefined ? [] : [name])),
    invariants: (definition.invariants ?? []).map(({ invariant, like }) => ({ like, sentence: invariant })),
    ...compileUniques(definition, columns),
    exclusions: compileExclusions(definition, columns),
    counters: compileCounters(columns),
    keptNumbers: [],
    contributions: [],
    storedValues: compileStoredValues(definition, columns),
    guards: [],
    timedMoves: [],
    timedReferrers: [],
    ruledNumbers: new Set(),
    batch: definition.batch !== false,
    resultUnion: definition.resultUnion === true,
    isCredential:
      ['Session', 'SignInMethod'].includes(definition.name) || isKeys(definition) || isDeliveries(definition),
    notFound: definition.notFound === undefined ? 'NOT_FOUND' : toOwnCode(definition.notFound),
    olderNames: new Map(
      Object.entries(definition.formerly ?? {}).map(([version, names]) => [version, new Map(Object.entries(names))]),
    ),
    isPublic: definition.actions['read']?.allow.rule === 'anyone',
  }
}

/** By the objects that the author's code refers to. */
function compileSqlNames(
  { resources }: ServiceDefinition,
  models: ReadonlyMap<string, ResourceModel>,
): ReadonlyMap<object, string | null> {
  const names = new Map<object, string | null>()
  for (const each of Object.values(resources)) {
    const { table, column } = models.get(each.name)!
    names.set(each, table)
    for (const [field, spec] of Object.entries(each.fields)) {
      const name = column.get(field)?.name ?? null
      names.set(spec, names.has(spec) && names.get(spec) !== name ? null : name)
    }
  }
  return names
}

function compileMembers({ relations, column: own }: ResourceDraft, { members }: Definition): MembersModel | null {
  if (members === undefined) return null
  const list = relations.get(members.list) as ManyRelation
  const { column } = list.target
  const { secondFactorIf, inside } = members
  return {
    list,
    account: column.get(members.account)!,
    role: column.get(members.role)!,
    while: members.while ?? null,
    secondFactor: secondFactorIf === undefined ? null : { column: own.get(secondFactorIf)!, inside: inside! },
  }
}

/** Marks what may be null for some reader although it is stored. (contract 10.1.6) */
function compileHideable(resource: ResourceDraft, definition: Definition, everyone: readonly Requester[]): void {
  resource.hideable = hideableRelations(resource, everyone)
  const hidden = new Set([
    ...resource.hideable.map(({ field }) => field),
    ...uncertainFields(resource, everyone),
    ...closedFields(definition),
  ])
  for (const field of resource.fields.values())
    if (branchesOf(field, resource).some((branch) => hidden.has(branch.field))) hidden.add(field.name)
  for (const field of resource.fields.values())
    if (hidden.has(field.name)) resource.fields.set(field.name, { ...field, nullable: true })
}

function compileAccounts(resource: ResourceModel, names: ServiceDefinition['accounts']): AccountsModel {
  const column = (field: string) => resource.column.get(field)!
  return {
    resource,
    login: column(names.login),
    verified: names.verified === undefined ? null : column(names.verified),
    methods: names.methods === undefined ? null : compileMethods(names.methods, names),
    password: column(names.password),
    role: column(names.role),
    status: resource.state!,
    activeState: names.activeState,
    texts: names.texts ?? {},
  }
}

const compileMethods = (
  methods: MethodsDefinition,
  { requireVerified = false, secondFactorFor = [], pages = false }: ServiceDefinition['accounts'],
): MethodsModel => ({
  requireVerified,
  magicLink: methods.magicLink === true,
  passkeys: methods.passkeys === true,
  totp: methods.totp === true,
  pages,
  issuers: methods.issuers ?? {},
  secondFactorFor: new Set(secondFactorFor),
  isStored: hasStoredMethods(methods),
})

function compileVersions(definition: ServiceDefinition): readonly VersionModel[] {
  const entries = Object.entries(definition.versions ?? { v1: 'current' as const })
  return entries.map(([name, lifecycle]) => ({
    name,
    deprecated: lifecycle === 'current' ? null : new Date(lifecycle.deprecated),
    sunset: lifecycle === 'current' ? null : new Date(lifecycle.sunset),
  }))
}
