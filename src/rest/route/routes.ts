// Addresses and their methods, derived once from the model.

import type { KeyModel } from '../../resource/model/column.ts'
import { ownColumns, tenantOf, upsertActions } from '../../resource/model/key.ts'
import type {
  ActionModel,
  LinkRelation,
  ManyRelation,
  Model,
  QueryModel,
  ResourceModel,
} from '../../resource/model/model.ts'
import { eventsOf } from '../../resource/model/model.ts'
import { takesCondition } from '../../resource/model/rule/record-action.ts'
import { kebab } from '../../resource/naming/casing.ts'
import { makeVersions, type Version } from './version.ts'

export type Endpoint = ResourceEndpoint | VersionEndpoint
export interface VersionEndpoint {
  readonly kind: 'document' | 'workflows' | 'eventStream'
  readonly version: Version
}
export const isOfVersion = (endpoint: Endpoint): endpoint is VersionEndpoint =>
  endpoint.kind === 'document' || endpoint.kind === 'workflows' || endpoint.kind === 'eventStream'
export interface ResourceEndpoint {
  readonly kind:
    | 'list'
    | 'summary'
    | 'record'
    | 'create'
    | 'createMany'
    | 'replace'
    | 'upsert'
    | 'update'
    | 'updateMany'
    | 'delete'
    | 'deleteMany'
    | 'move'
    | 'moveMany'
    | 'collection'
  readonly version: Version
  readonly resource: ResourceModel
  /** For a list, its read action; for an upsert, create. */
  readonly action: ActionModel
  readonly within: Within | null
  readonly query?: QueryModel
  /** Addresses the record, or a list's holder, in place of an id. */
  readonly key?: KeyModel
  /** The key counts in the caller's tenant, which the address leaves out. (contract 11.2.32) */
  readonly isInOwnTenant?: boolean
}
export interface Within {
  readonly relation: ManyRelation | LinkRelation
  readonly holder: ResourceModel
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export interface Address<E = Endpoint> {
  /** `/posts/{id}/comments`, after the version's prefix. */
  readonly template: string
  readonly pattern: string
  readonly version: Version
  /** HEAD as GET, and QUERY for lists and summaries. */
  readonly endpoints: ReadonlyMap<string, E>
  readonly allow: string
}

export interface Routes {
  readonly versions: readonly Version[]
  readonly current: Version
  readonly addresses: readonly Address[]
  readonly byCollection: ReadonlyMap<string, ResourceRoutes>
  readonly ofVersions: ReadonlyMap<string, Address>
}
interface ResourceRoutes {
  readonly collection: Address
  /** `batch` and queries, which stand in the place of an id. */
  readonly byName: ReadonlyMap<string, Address>
  readonly member: Address
  readonly below: ReadonlyMap<string, Address>
  /** By field names, separated by commas, in any order. */
  readonly byKey: ReadonlyMap<string, KeyRoutes>
  /** Keys of resources within a record, by path. (contract 11.2.11) */
  readonly keysBelow: Map<string, ReadonlyMap<string, KeyRoutes>>
}
interface KeyRoutes {
  readonly address: Address
  readonly below: ReadonlyMap<string, Address>
}

export function compileRoutes(model: Model): Routes {
  const versions = makeVersions(model.versions)
  const addresses: Address[] = []
  const byCollection = new Map<string, ResourceRoutes>()
  const ofVersions = new Map<string, Address>()
  for (const version of versions) {
    const add: Add = (template, endpoints) => {
      const address = makeAddress(template, version, endpoints)
      addresses.push(address)
      return address
    }
    for (const resource of model.resources)
      byCollection.set(`${version.prefix}/${resource.path}`, resourceRoutes(resource, version, add))
    for (const resource of model.resources)
      for (const [tenant, keys] of Map.groupBy(resource.keys, (key) => tenantOf(resource, key)))
        if (tenant !== null)
          byCollection
            .get(`${version.prefix}/${tenant.path}`)!
            .keysBelow.set(resource.path, keyRoutes(resource, keys, tenant, version, add))
    for (const [template, kind] of versionTemplates(model)) {
      const address = add(template, { GET: { kind, version } })
      ofVersions.set(address.pattern, address)
    }
  }
  return { versions, current: versions.at(-1)!, addresses, byCollection, ofVersions }
}

/** A service without events has no stream of them. */
const versionTemplates = (model: Model): readonly (readonly [template: string, kind: VersionEndpoint['kind']])[] => [
  ['/openapi.json', 'document'],
  ['/workflows.json', 'workflows'],
  ...(eventsOf(model).length === 0 ? [] : ([['/event-stream', 'eventStream']] as const)),
]

/** `id`: the segment, or names and values of a key; possibly malformed or unknown. */
export interface RouteMatch {
  readonly address: Address
  readonly id: string | null
}

/** Takes the path as sent; null if no address matches. Nothing is decoded, as addresses are ASCII. */
export function findAddress(path: string, { byCollection, ofVersions }: Routes): RouteMatch | null {
  const version = path.indexOf('/', '/api/'.length)
  const end = version === -1 ? -1 : path.indexOf('/', version + 1)
  const resource = byCollection.get(end === -1 ? path : path.slice(0, end))
  if (resource === undefined) return without(ofVersions.get(path))
  if (end === -1) return without(resource.collection)
  const slash = path.indexOf('/', end + 1)
  const id = slash === -1 ? path.slice(end + 1) : path.slice(end + 1, slash)
  if (id === '') return null
  // Ids have an underscore, names do not.
  if (slash === -1 && !id.includes('_')) return without(resource.byName.get(id)) ?? { address: resource.member, id }
  if (slash === -1) return { address: resource.member, id }
  if (id === 'by' && resource.byKey.size > 0) {
    const match = findByKey(path.slice(slash + 1), resource.byKey)
    if (match !== null) return match
  }
  const below = path.slice(slash + 1)
  const by = resource.keysBelow.size === 0 ? -1 : below.indexOf('/by/')
  if (by !== -1) {
    const keys = resource.keysBelow.get(below.slice(0, by))
    const match = keys === undefined ? null : findByKey(below.slice(by + '/by/'.length), keys)
    if (match !== null) return { address: match.address, id: `${id}/${match.id}` }
  }
  const address = resource.below.get(below)
  return address === undefined ? null : { address, id }
}

/** Names and values are pairs; one more segment is what stands below. */
function findByKey(path: string, keys: ReadonlyMap<string, KeyRoutes>): RouteMatch | null {
  const whole = keys.get(keyNames(path))
  if (whole !== undefined) return { address: whole.address, id: path }
  const end = path.lastIndexOf('/')
  const id = path.slice(0, Math.max(end, 0))
  const address = keys.get(keyNames(id))?.below.get(path.slice(end + 1))
  return address === undefined ? null : { address, id }
}

const without = (address: Address | undefined): RouteMatch | null =>
  address === undefined ? null : { address, id: null }

/** `region/eu/code/7` → `code,region`. */
function keyNames(pairs: string): string {
  const parts = pairs.split('/')
  return parts.length % 2 === 1 ? '' : inAnyOrder(parts.filter((_, at) => at % 2 === 0))
}
const inAnyOrder = (names: readonly string[]): string => [...names].sort().join()

type Add = (template: string, endpoints: Partial<Record<Method, Endpoint | null>>) => Address

type Does = (kind: ResourceEndpoint['kind'], name: string, allowed?: boolean) => ResourceEndpoint | null
const doesOf =
  (resource: ResourceModel, version: Version): Does =>
  (kind, name, allowed = true) => {
    const action = resource.actions.get(name)
    return action === undefined || !isOffered(action) || !allowed
      ? null
      : { kind, version, resource, action, within: null }
  }

function resourceRoutes(resource: ResourceModel, version: Version, add: Add): ResourceRoutes {
  const does = doesOf(resource, version)
  const collection = add(`/${resource.path}`, {
    GET: does('list', 'read'),
    POST: does('create', 'create'),
    PATCH: does('updateMany', 'update', resource.batch),
    DELETE: does('deleteMany', 'delete', takesDelete(resource)),
  })
  const byName = namedRoutes(resource, does('createMany', 'create', resource.batch), version, add)
  const member = add(`/${resource.path}/{id}`, {
    GET: does('record', 'read'),
    PUT: does('replace', 'update'),
    PATCH: does('update', 'update'),
    DELETE: does('delete', 'delete'),
  })
  const byKey = keyRoutes(resource, resource.keys, null, version, add)
  return {
    collection,
    byName,
    member,
    below: belowRoutes(resource, member.template, version, add),
    byKey,
    keysBelow: new Map(),
  }
}

function takesDelete({ actions }: ResourceModel): boolean {
  const action = actions.get('delete')
  return action !== undefined && takesCondition(action)
}

/** Below this tenant, or without one. */
function keyRoutes(
  resource: ResourceModel,
  keys: readonly KeyModel[],
  tenant: ResourceModel | null,
  version: Version,
  add: Add,
): ReadonlyMap<string, KeyRoutes> {
  const does = doesOf(resource, version)
  const addresses = keys.map((key): [string, KeyRoutes] => {
    const names = ownColumns(key).map(({ field }) => version.vocabulary.name(resource, field))
    const addressed: Addressed = tenant === null && key.tenant !== null ? { key, isInOwnTenant: true } : { key }
    const by = (endpoint: ResourceEndpoint | null) => endpoint && { ...endpoint, ...addressed }
    const holder = tenant === null ? '' : `/${tenant.path}/{id}`
    const address = add(`${holder}/${resource.path}/by/${names.map((name) => `${name}/{${name}}`).join('/')}`, {
      GET: by(does('record', 'read')),
      PUT: by(does('upsert', 'create', upsertActions(resource, key) !== null)),
      PATCH: by(does('update', 'update')),
      DELETE: by(does('delete', 'delete')),
    })
    return [inAnyOrder(names), { address, below: belowRoutes(resource, address.template, version, add, addressed) }]
  })
  return new Map(addresses)
}

function collectionKind(action: ActionModel): 'collection' | 'moveMany' | null {
  if (action.kind === 'collection' && isOffered(action)) return 'collection'
  return action.kind === 'move' && takesCondition(action) ? 'moveMany' : null
}

/** Ids have an underscore, these names do not. */
function namedRoutes(
  resource: ResourceModel,
  createMany: Endpoint | null,
  version: Version,
  add: Add,
): ReadonlyMap<string, Address> {
  const of = { version, resource, within: null }
  const named: Named[] = []
  if (createMany !== null) named.push(['batch', 'POST', createMany])
  if (resource.summary !== null && isOffered(resource.read))
    named.push(['summary', 'GET', { ...of, kind: 'summary', action: resource.read }])
  for (const query of resource.queries.values())
    named.push([kebab(query.name), 'GET', { ...of, kind: 'list', action: resource.read, query }])
  for (const action of resource.actions.values()) {
    const kind = collectionKind(action)
    if (kind !== null) named.push([kebab(action.name), 'POST', { ...of, kind, action }])
  }
  return addNamed(named, `/${resource.path}`, add)
}

/** `nobody`: only effects run it. */
const isOffered = (action: ActionModel): boolean => action.allow.rule !== 'nobody'

type Addressed = Pick<ResourceEndpoint, 'key' | 'isInOwnTenant'>

function belowRoutes(
  resource: ResourceModel,
  member: string,
  version: Version,
  add: Add,
  by: Addressed = {},
): ReadonlyMap<string, Address> {
  const named: Named[] = []
  for (const relation of resource.relations.values()) {
    if (!resource.fields.has(relation.field) || relation.kind === 'one') continue
    const { field, target } = relation
    const within = { relation, holder: resource }
    named.push([kebab(field), 'GET', { kind: 'list', version, resource: target, action: target.read, within, ...by }])
  }
  for (const action of resource.actions.values())
    if (action.kind === 'move' && isOffered(action))
      named.push([kebab(action.name), 'POST', { kind: 'move', version, resource, action, within: null, ...by }])
  return addNamed(named, member, add)
}

type Named = readonly [name: string, method: Method, endpoint: Endpoint]

/** An address per name. A list and an action may share one, as their methods differ. */
const addNamed = (all: readonly Named[], above: string, add: Add): ReadonlyMap<string, Address> =>
  new Map(
    [...Map.groupBy(all, ([name]) => name)].map(([name, each]) => [
      name,
      add(`${above}/${name}`, Object.fromEntries(each.map(([, method, endpoint]) => [method, endpoint]))),
    ]),
  )

function makeAddress(template: string, version: Version, byMethod: Partial<Record<Method, Endpoint | null>>): Address {
  const endpoints = new Map<string, Endpoint>()
  for (const [method, endpoint] of Object.entries(byMethod)) {
    if (endpoint !== null) endpoints.set(method, endpoint)
    if (endpoint !== null && method === 'GET') endpoints.set('HEAD', endpoint)
  }
  const read = endpoints.get('GET')
  if (read?.kind === 'list' || read?.kind === 'summary') endpoints.set('QUERY', read)
  const pattern = `${version.prefix}${template}`
  return { template, pattern, version, endpoints, allow: [...endpoints.keys(), 'OPTIONS'].join(', ') }
}
