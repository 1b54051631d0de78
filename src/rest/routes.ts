// Which addresses there are and what can be done at each: worked out once from the model, found by splitting the path.

import { kebab } from '../resource/casing.ts'
import type { ActionModel, LinkRelation, ManyRelation, Model, ResourceModel } from '../resource/model.ts'
import { makeVersions, type Version } from './version.ts'

/** What one method does at one address. */
export type Operation = ResourceOperation | DocumentOperation
/** Answers what all the others are. */
export interface DocumentOperation {
  readonly kind: 'document'
  readonly version: Version
}
export interface ResourceOperation {
  readonly kind: 'list' | 'record' | 'create' | 'createMany' | 'replace' | 'update' | 'updateMany' | 'delete' | 'move'
  readonly version: Version
  /** Whose records are answered. */
  readonly resource: ResourceModel
  /** For a list, how its records may be read. */
  readonly action: ActionModel
  /** For a list of what belongs to one record. */
  readonly within: Within | null
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
  readonly version: Version
  /** By method; HEAD does what GET does. */
  readonly operations: ReadonlyMap<string, Operation>
  /** What `Allow` says. */
  readonly allow: string
}

export interface Routes {
  readonly versions: readonly Version[]
  readonly current: Version
  readonly addresses: readonly Address[]
  readonly byVersion: ReadonlyMap<string, VersionRoutes>
  /** The names of collections, in any version. */
  readonly collections: ReadonlySet<string>
}
interface VersionRoutes {
  readonly version: Version
  readonly document: Address
  readonly resources: ReadonlyMap<string, ResourceRoutes>
}
interface ResourceRoutes {
  readonly collection: Address
  /** Null where `batch` is an id like any other, which is to say none. */
  readonly batch: Address | null
  readonly member: Address
  readonly below: ReadonlyMap<string, Address>
}

export function compileRoutes(model: Model): Routes {
  const versions = makeVersions(model.versions)
  const addresses: Address[] = []
  const byVersion = new Map(versions.map((version) => [version.name, versionRoutes(version, model, addresses)]))
  const collections = new Set(model.resources.map((each) => each.path))
  return { versions, current: versions.at(-1)!, addresses, byVersion, collections }
}

/** What a path leads to. `id` is what stands in its place: not known to be an id, nor to exist. */
export interface Found {
  readonly address: Address
  readonly id: string | null
}

/** Finds the address of a path as it was sent; null where there is none. Nothing is decoded: no address needs it. */
export function findAddress(path: string, routes: Routes): Found | null {
  const [empty, api, versionName, name, id, below, ...more] = path.split('/')
  const ofVersion = empty === '' && api === 'api' ? routes.byVersion.get(versionName ?? '') : undefined
  if (ofVersion === undefined || more.length > 0) return null
  if (name === 'openapi.json' && id === undefined) return { address: ofVersion.document, id: null }
  const resource = ofVersion.resources.get(name ?? '')
  if (resource === undefined) return null
  if (id === undefined) return { address: resource.collection, id: null }
  if (id === '') return null
  if (below !== undefined) {
    const address = resource.below.get(below)
    return address === undefined ? null : { address, id }
  }
  return id === 'batch' && resource.batch !== null
    ? { address: resource.batch, id: null }
    : { address: resource.member, id }
}

function versionRoutes(version: Version, model: Model, addresses: Address[]): VersionRoutes {
  const add = (template: string, operations: Partial<Record<Method, Operation | null>>): Address => {
    const address = makeAddress(template, version, operations)
    addresses.push(address)
    return address
  }
  const resources = model.resources.map((resource): [string, ResourceRoutes] => [
    resource.path,
    resourceRoutes(resource, version, add),
  ])
  const document = add('/openapi.json', { GET: { kind: 'document', version } })
  return { version, document, resources: new Map(resources) }
}

type Add = (template: string, operations: Partial<Record<Method, Operation | null>>) => Address

function resourceRoutes(resource: ResourceModel, version: Version, add: Add): ResourceRoutes {
  const does = (kind: ResourceOperation['kind'], name: string, allowed = true): ResourceOperation | null => {
    const action = resource.actions.get(name)
    return action === undefined || !isOffered(action) || !allowed
      ? null
      : { kind, version, resource, action, within: null }
  }
  const collection = add(`/${resource.path}`, {
    GET: does('list', 'read'),
    POST: does('create', 'create'),
    PATCH: does('updateMany', 'update', resource.batch),
  })
  const createMany = does('createMany', 'create', resource.batch)
  const batch = createMany === null ? null : add(`/${resource.path}/batch`, { POST: createMany })
  const member = add(`/${resource.path}/{id}`, {
    GET: does('record', 'read'),
    PUT: does('replace', 'update'),
    PATCH: does('update', 'update'),
    DELETE: does('delete', 'delete'),
  })
  return { collection, batch, member, below: belowRoutes(resource, version, add) }
}

/** What only effects do has no address. */
const isOffered = (action: ActionModel): boolean => action.allow.rule !== 'nobody'

/** A relation's list and a move may share a name: their methods differ. */
function belowRoutes(resource: ResourceModel, version: Version, add: Add): ReadonlyMap<string, Address> {
  const operations = new Map<string, { GET?: Operation; POST?: Operation }>()
  for (const relation of resource.relations.values()) {
    if (relation.kind === 'one') continue
    const within = { relation, holder: resource }
    const { target } = relation
    operations.set(kebab(relation.field), {
      GET: { kind: 'list', version, resource: target, action: target.read, within },
    })
  }
  for (const action of resource.actions.values()) {
    if (action.kind !== 'move' || !isOffered(action)) continue
    const name = kebab(action.name)
    operations.set(name, {
      ...operations.get(name),
      POST: { kind: 'move', version, resource, action, within: null },
    })
  }
  return new Map([...operations].map(([name, each]) => [name, add(`/${resource.path}/{id}/${name}`, each)]))
}

function makeAddress(template: string, version: Version, said: Partial<Record<Method, Operation | null>>): Address {
  const operations = new Map<string, Operation>()
  for (const [method, operation] of Object.entries(said)) {
    if (operation !== null) operations.set(method, operation)
    if (operation !== null && method === 'GET') operations.set('HEAD', operation)
  }
  return { template, version, operations, allow: [...operations.keys(), 'OPTIONS'].join(', ') }
}
