// Which addresses there are and what can be done at each: worked out once from the model, found by splitting the path.

import type { KeyModel } from '../resource/model/column.ts'
import { ownColumns, tenantOf, upsertActions } from '../resource/model/key.ts'
import type {
  ActionModel,
  LinkRelation,
  ManyRelation,
  Model,
  QueryModel,
  ResourceModel,
} from '../resource/model/model.ts'
import { takesCondition } from '../resource/model/record-action.ts'
import { kebab } from '../resource/naming/casing.ts'
import { makeVersions, type Version } from './version.ts'

/** What one method does at one address. */
export type Endpoint = ResourceEndpoint | DocumentEndpoint
/** Answers what all the others are. */
export interface DocumentEndpoint {
  readonly kind: 'document'
  readonly version: Version
}
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
  /** Whose records are answered. */
  readonly resource: ResourceModel
  /** For a list, how its records may be read; for an upsert, how one is created. */
  readonly action: ActionModel
  /** For a list of what belongs to one record. */
  readonly within: Within | null
  /** For the list of a query. */
  readonly query?: QueryModel
  /** By which the address names its record, in place of an id. */
  readonly key?: KeyModel
}
export interface Within {
  readonly relation: ManyRelation | LinkRelation
  readonly holder: ResourceModel
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** One pattern of paths. */
export interface Address {
  /** `/posts/{id}/comments`, below the version's prefix. */
  readonly template: string
  /** The same with the prefix. */
  readonly pattern: string
  readonly version: Version
  /** By method; HEAD does what GET does. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** What `Allow` says. */
  readonly allow: string
}

export interface Routes {
  readonly versions: readonly Version[]
  readonly current: Version
  readonly addresses: readonly Address[]
  readonly byVersion: ReadonlyMap<string, Version>
  /** The names of collections, in any version. */
  readonly collections: ReadonlySet<string>
  /** By the whole path of a collection. */
  readonly byCollection: ReadonlyMap<string, ResourceRoutes>
  /** By the whole path of a document. */
  readonly documents: ReadonlyMap<string, Address>
}
interface ResourceRoutes {
  readonly collection: Address
  /** What stands where an id could, by its name: `batch`, and queries. */
  readonly byName: ReadonlyMap<string, Address>
  readonly member: Address
  readonly below: ReadonlyMap<string, Address>
  /** By the names of a key's fields in any order, with commas between. */
  readonly byKey: ReadonlyMap<string, Address>
  /** Of what is within a record of this one, by its path: the same. (contract 11.2.11) */
  readonly keysBelow: Map<string, ReadonlyMap<string, Address>>
}

export function compileRoutes(model: Model): Routes {
  const versions = makeVersions(model.versions)
  const addresses: Address[] = []
  const byCollection = new Map<string, ResourceRoutes>()
  const documents = new Map<string, Address>()
  for (const version of versions) {
    const add: Add = (template, endpoints) => {
      const address = makeAddress(template, version, endpoints)
      addresses.push(address)
      return address
    }
    for (const resource of model.resources)
      byCollection.set(`${version.prefix}/${resource.path}`, resourceRoutes(resource, version, add))
    for (const resource of model.resources)
      for (const tenant of new Set(resource.keys.map((key) => tenantOf(resource, key)).filter((each) => each !== null)))
        byCollection
          .get(`${version.prefix}/${tenant.path}`)!
          .keysBelow.set(resource.path, keyRoutes(resource, tenant, version, add))
    const document = add('/openapi.json', { GET: { kind: 'document', version } })
    documents.set(`${version.prefix}${document.template}`, document)
  }
  const byVersion = new Map(versions.map((version) => [version.name, version]))
  const collections = new Set(model.resources.map((each) => each.path))
  return { versions, current: versions.at(-1)!, addresses, byVersion, collections, byCollection, documents }
}

/** What a path leads to. `id` is what stands in its place, or names and values of a key: not known to be one, nor to exist. */
export interface RouteMatch {
  readonly address: Address
  readonly id: string | null
}

/** Finds the address of a path as it was sent; null where there is none. Nothing is decoded: no address needs it. */
export function findAddress(path: string, { byCollection, documents }: Routes): RouteMatch | null {
  const version = path.indexOf('/', '/api/'.length)
  const end = version === -1 ? -1 : path.indexOf('/', version + 1)
  const resource = byCollection.get(end === -1 ? path : path.slice(0, end))
  if (resource === undefined) return without(documents.get(path))
  if (end === -1) return without(resource.collection)
  const slash = path.indexOf('/', end + 1)
  const id = slash === -1 ? path.slice(end + 1) : path.slice(end + 1, slash)
  if (id === '') return null
  // Every id has an underscore in it, and no name has.
  if (slash === -1 && !id.includes('_')) return without(resource.byName.get(id)) ?? { address: resource.member, id }
  if (slash === -1) return { address: resource.member, id }
  if (id === 'by' && resource.byKey.size > 0) {
    const pairs = path.slice(slash + 1)
    const address = resource.byKey.get(keyNames(pairs))
    if (address !== undefined) return { address, id: pairs }
  }
  const below = path.slice(slash + 1)
  const by = resource.keysBelow.size === 0 ? -1 : below.indexOf('/by/')
  if (by !== -1) {
    const pairs = below.slice(by + '/by/'.length)
    const address = resource.keysBelow.get(below.slice(0, by))?.get(keyNames(pairs))
    if (address !== undefined) return { address, id: `${id}/${pairs}` }
  }
  const address = resource.below.get(below)
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

/** What an action does at one address; null where it is not offered. */
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
  const byKey = keyRoutes(resource, null, version, add)
  return { collection, byName, member, below: belowRoutes(resource, version, add), byKey, keysBelow: new Map() }
}

function takesDelete({ actions }: ResourceModel): boolean {
  const action = actions.get('delete')
  return action !== undefined && takesCondition(action)
}

/** The addresses of keys that count within this tenant, below it; or everywhere. */
function keyRoutes(
  resource: ResourceModel,
  tenant: ResourceModel | null,
  version: Version,
  add: Add,
): ReadonlyMap<string, Address> {
  const does = doesOf(resource, version)
  const keys = resource.keys.filter((key) => tenantOf(resource, key) === tenant)
  const addresses = keys.map((key): [string, Address] => {
    const names = ownColumns(key).map(({ field }) => version.vocabulary.name(resource, field))
    const by = (endpoint: ResourceEndpoint | null) => endpoint && { ...endpoint, key }
    const holder = tenant === null ? '' : `/${tenant.path}/{id}`
    const address = add(`${holder}/${resource.path}/by/${names.map((name) => `${name}/{${name}}`).join('/')}`, {
      GET: by(does('record', 'read')),
      PUT: by(does('upsert', 'create', upsertActions(resource, key) !== null)),
      PATCH: by(does('update', 'update')),
      DELETE: by(does('delete', 'delete')),
    })
    return [inAnyOrder(names), address]
  })
  return new Map(addresses)
}

/** What an action does at an address beside the collection; null where it has none there. */
function collectionKind(action: ActionModel): 'collection' | 'moveMany' | null {
  if (action.kind === 'collection' && isOffered(action)) return 'collection'
  return action.kind === 'move' && takesCondition(action) ? 'moveMany' : null
}

/** No id looks like these names: every id has an underscore in it. */
function namedRoutes(
  resource: ResourceModel,
  createMany: Endpoint | null,
  version: Version,
  add: Add,
): ReadonlyMap<string, Address> {
  const endpoints = new Map<string, { GET?: Endpoint; POST?: Endpoint }>()
  if (createMany !== null) endpoints.set('batch', { POST: createMany })
  if (resource.summary !== null && isOffered(resource.read))
    endpoints.set('summary', { GET: { kind: 'summary', version, resource, action: resource.read, within: null } })
  for (const query of resource.queries.values()) {
    const endpoint = { kind: 'list', version, resource, action: resource.read, within: null, query } as const
    endpoints.set(kebab(query.name), { GET: endpoint })
  }
  for (const action of resource.actions.values()) {
    const kind = collectionKind(action)
    if (kind === null) continue
    const POST = { kind, version, resource, action, within: null } as const
    endpoints.set(kebab(action.name), { ...endpoints.get(kebab(action.name)), POST })
  }
  return new Map([...endpoints].map(([name, each]) => [name, add(`/${resource.path}/${name}`, each)]))
}

/** What only effects do has no address. */
const isOffered = (action: ActionModel): boolean => action.allow.rule !== 'nobody'

/** A relation's list and a move may share a name: their methods differ. */
function belowRoutes(resource: ResourceModel, version: Version, add: Add): ReadonlyMap<string, Address> {
  const endpoints = new Map<string, { GET?: Endpoint; POST?: Endpoint }>()
  for (const relation of resource.relations.values()) {
    if (relation.kind === 'one') continue
    const within = { relation, holder: resource }
    const { target } = relation
    endpoints.set(kebab(relation.field), {
      GET: { kind: 'list', version, resource: target, action: target.read, within },
    })
  }
  for (const action of resource.actions.values()) {
    if (action.kind !== 'move' || !isOffered(action)) continue
    const name = kebab(action.name)
    endpoints.set(name, {
      ...endpoints.get(name),
      POST: { kind: 'move', version, resource, action, within: null },
    })
  }
  return new Map([...endpoints].map(([name, each]) => [name, add(`/${resource.path}/{id}/${name}`, each)]))
}

function makeAddress(template: string, version: Version, byMethod: Partial<Record<Method, Endpoint | null>>): Address {
  const endpoints = new Map<string, Endpoint>()
  for (const [method, endpoint] of Object.entries(byMethod)) {
    if (endpoint !== null) endpoints.set(method, endpoint)
    if (endpoint !== null && method === 'GET') endpoints.set('HEAD', endpoint)
  }
  const pattern = `${version.prefix}${template}`
  return { template, pattern, version, endpoints, allow: [...endpoints.keys(), 'OPTIONS'].join(', ') }
}
