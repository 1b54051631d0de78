// Random requests for any service, over both faces: right ones and wrong ones, about records that are there, hidden or gone.

import { linksOf } from '../../../src/action/record-selection.ts'
import type { SpecBase } from '../../../src/resource/field/field.ts'
import type { OneSpec } from '../../../src/resource/field/relation.ts'
import type { AcceptedList, ActionModel, Model } from '../../../src/resource/model/model.ts'
import { childCreate, childUpdate, isChildren, replacesChildren } from '../../../src/resource/model/nested.ts'
import { recordActions } from '../../../src/resource/model/rule/record-action.ts'
import { type Address, compileRoutes, isOfVersion, type ResourceEndpoint } from '../../../src/rest/route/routes.ts'
import { isEmail, makeSpecValue } from './make-rows.ts'
import { anyId, codeHeader, type Material, type Request, remember } from './material.ts'
import { asks, bulkQuery, narrowingQuery, summaryQuery } from './question-query.ts'

export type MakeRequest = (material: Material) => Request

/** Chooses among everything that REST offers; each address is as likely as any other. */
export function restRequests(model: Model): MakeRequest {
  const { addresses } = compileRoutes(model)
  const offered = addresses.flatMap((address) =>
    [...address.endpoints].flatMap(([method, endpoint]) =>
      isOfVersion(endpoint) || isLeftOut(endpoint) ? [] : [{ method, address, endpoint }],
    ),
  )
  const asking = offered.filter(({ endpoint }) => asks(endpoint))
  const narrowed = offered.filter(({ endpoint }) => endpoint.kind === 'list' && relationFilters(endpoint).length > 0)
  const leaving = offered.filter(
    ({ method, endpoint }) => method === 'GET' && ['list', 'record'].includes(endpoint.kind),
  )
  return (material) => {
    const { random, pages } = material
    if (pages.length > 0 && random.chance(0.1))
      return { line: `GET ${random.one(pages)}`, headers: codeHeader(material) }
    const again = random.chance(0.15) ? askedAgain(material) : null
    if (again !== null) return again
    if (material.coded.length > 0 && random.chance(0.05)) return openedRecord(offered, material)
    if (narrowed.length > 0 && random.chance(0.08)) return narrowedList(random.one(narrowed), material)
    const links = random.chance(0.15) ? leaving.filter(({ endpoint }) => leavesScopes(endpoint, material)) : []
    const among = links.length > 0 ? links : asking.length > 0 && random.chance(0.3) ? asking : offered
    const { method, address, endpoint } = random.one(among)
    const path = pathOf(address, endpoint, material)
    const query = queryOf(endpoint, material)
    const body = bodyOf(method, endpoint, { path, query }, material)
    const request = {
      line: `${method} ${path}${query.size === 0 ? '' : `?${query}`}`,
      headers: { ...headersOf(method, material), ...codeHeader(material) },
      ...(body === undefined ? {} : { body }),
    }
    if ('Idempotency-Key' in request.headers) remember(material.keyed, request)
    return request
  }
}

const relationFilters = ({ resource }: ResourceEndpoint) =>
  [...resource.namedFilters.values()].flatMap(({ name, test, value, column: { spec } }) =>
    test === 'is' && value.kind === 'one' ? [{ name, target: (spec as unknown as OneSpec).target }] : [],
  )

/** Whether a narrow key may read it, and not the records whose ids are in its lists. */
const leavesScopes = ({ resource }: ResourceEndpoint, { outOfScope }: Material): boolean =>
  !outOfScope.has(resource.name) && linksOf(resource).some((list) => outOfScope.has(list.target.name))

interface Offered {
  readonly address: Address
  readonly endpoint: ResourceEndpoint
}

/** What an access code is of, which need not be open to whoever shows it. */
function openedRecord(offered: readonly Offered[], material: Material): Request {
  const { of, id } = material.random.one(material.coded)
  const isOf = ({ endpoint: { kind, resource, key } }: Offered) =>
    kind === 'record' && key === undefined && resource.name === of.name
  const path = offered.find(isOf)?.address.pattern.replace('{id}', id) ?? `/${id}`
  return { line: `GET ${path}`, headers: codeHeader(material) }
}

/** A list of what refers to one record, which may be hidden though what refers to it is not. */
function narrowedList({ address, endpoint }: Offered, material: Material): Request {
  const { resource, version } = endpoint
  const filters = relationFilters(endpoint)
  const telling = filters.filter(({ target }) => material.hidden.has(target))
  const isTelling = telling.length > 0 && material.random.chance(0.6)
  const { name, target } = material.random.one(isTelling ? telling : filters)
  const id = material.random.one((isTelling ? material.hidden : material.ids).get(target) ?? ['none_1'])
  const query = new URLSearchParams([[version.vocabulary.filter(resource, name), id]])
  return { line: `GET ${pathOf(address, endpoint, material)}?${query}`, headers: codeHeader(material) }
}

/** A read as one who has its answer asks it again, or a write with the key that it had, and now and then another body. */
function askedAgain({ random, reads, keyed }: Material): Request | null {
  const request = random.one(random.chance(0.5) ? reads : keyed) ?? null
  return request?.body !== undefined && random.chance(0.2) ? { ...request, body: {} } : request
}

/** Counted in the background, at moments of its own. */
export const countedResource = 'DeprecatedUse'

/** The beginning of a key's secret is random, and is told. */
const isLeftOut = ({ resource, action }: ResourceEndpoint): boolean =>
  resource.name === countedResource || (action.kind === 'create' && resource.name === 'ApiKey')

function pathOf({ pattern }: Address, { resource, within }: ResourceEndpoint, material: Material): string {
  return pattern.replace('{id}', () => anyId(material, within?.holder ?? resource))
}

function headersOf(method: string, { random, etags }: Material): Record<string, string> {
  const key = method === 'POST' && random.chance(0.4) ? { 'Idempotency-Key': `key-${random.below(8)}` } : {}
  if (etags.length === 0 || !random.chance(0.2)) return key
  const etag = random.one(etags)
  if (method === 'POST') return { ...key, 'If-Match': etag }
  return method === 'GET' || method === 'HEAD' ? { 'If-None-Match': etag } : { 'If-Match': etag }
}

function queryOf(endpoint: ResourceEndpoint, material: Material): URLSearchParams {
  const { random } = material
  const { kind } = endpoint
  if (kind === 'summary')
    return new URLSearchParams([...filterQuery(endpoint, material), ...summaryQuery(endpoint, material)])
  if (kind === 'updateMany' || kind === 'deleteMany') return bulkQuery(endpoint, material)
  if (kind === 'moveMany') return new URLSearchParams(random.chance(0.4) ? { dry_run: 'true' } : {})
  const parts = kind === 'list' ? listQuery(endpoint, material) : new URLSearchParams()
  if (['list', 'record'].includes(kind) && random.chance(0.3)) parts.set('fields', fieldsOf(endpoint, material))
  return parts
}

function fieldsOf({ resource, version }: ResourceEndpoint, { random }: Material): string {
  const stored = [...resource.fields.values()].filter(({ column }) => column !== null)
  const fields = random.some(stored, 4).map(({ name }) => version.vocabulary.name(resource, name))
  return [...fields, ...(recordActions(resource).length > 0 ? ['can'] : [])].join(',')
}

function filterQuery({ resource, version }: ResourceEndpoint, material: Material): URLSearchParams {
  const parts = new URLSearchParams()
  for (const filter of resource.namedFilters.values())
    if (material.random.chance(0.2))
      parts.set(
        version.vocabulary.filter(resource, filter.name),
        wireText(filter.either?.part === 'id' ? filter.column.spec : filter.value, material),
      )
  return parts
}

function listQuery(endpoint: ResourceEndpoint, material: Material): URLSearchParams {
  const { resource, version, query } = endpoint
  const { random } = material
  const parts = new URLSearchParams([...filterQuery(endpoint, material), ...narrowingQuery(endpoint, material)])
  for (const argument of query?.args ?? [])
    if (random.chance(0.8)) parts.set(argument.name, wireText(argument.spec, material))
  if (random.chance(0.4)) {
    const field = version.vocabulary.path(resource, random.one([...resource.sorts.values()]))
    parts.set('sort', random.chance(0.5) ? `-${field}` : field)
  }
  if (random.chance(0.7)) parts.set('per_page', `${1 + random.below(4)}`)
  if (random.chance(0.3)) parts.set('page', `${1 + random.below(3)}`)
  return parts
}

const wireText = (spec: SpecBase, material: Material): string => {
  const value = wireValue(spec, material)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A value as clients send it. */
export function wireValue(spec: SpecBase, material: Material): unknown {
  const { ids, random } = material
  const inner = (spec as { readonly of?: SpecBase }).of
  if (spec.kind === 'argument') return wireValue(inner!, material)
  if (spec.kind === 'one') {
    const { target } = spec as unknown as { readonly target: string }
    const memory = material.memory.get(target) ?? []
    return memory.length > 0 && random.chance(0.6) ? random.one(memory) : random.one(ids.get(target) ?? ['none_1'])
  }
  if (spec.kind === 'either') {
    const type = random.one((spec as unknown as { readonly types: readonly string[] }).types)
    return { type, id: wireValue({ kind: 'one', target: type } as SpecBase, material) }
  }
  if (spec.unique === true) {
    material.fresh += 1
    return isEmail(spec) ? `fresh${material.fresh}@example.com` : `fresh${material.fresh}`
  }
  if (spec.kind === 'password') return 'correct horse battery staple'
  if (spec.kind === 'list') return [wireValue(inner!, material)]
  if (spec.kind === 'object') {
    const parts = (spec as unknown as { fields: Readonly<Record<string, SpecBase>> }).fields
    const sent = Object.entries(parts).filter(([, of]) => of.readOnly !== true)
    return Object.fromEntries(
      sent.map(([part, of]) => [of.kind === 'one' ? `${part}_id` : part, wireValue(of, material)]),
    )
  }
  const value = makeSpecValue(spec, new Map(), random)
  return value instanceof Date ? value.toISOString() : value
}

function bodyOf(
  method: string,
  endpoint: ResourceEndpoint,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
  material: Material,
): unknown {
  const { kind, action, resource } = endpoint
  const { random } = material
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE') return undefined
  const [id = null] = path.match(/\b[a-z]+_[0-9A-Z]{26}\b/) ?? []
  const fields = () => inputOf(action, id, endpoint, material)
  if (kind === 'createMany') return { [resource.plural]: Array.from({ length: 1 + random.below(2) }, fields) }
  if (kind === 'updateMany')
    return query.has('where')
      ? fields()
      : { ids: Array.from({ length: 1 + random.below(2) }, () => anyId(material, resource)), ...fields() }
  if (kind === 'moveMany') {
    const named = Object.fromEntries(bulkQuery({ ...endpoint, kind: 'deleteMany' }, material))
    const which = named['ids'] === undefined ? { where: named['where'] } : { ids: named['ids'].split(',') }
    return action.sent.length === 0 ? which : { ...which, input: fields() }
  }
  return action.sent.length + action.lists.length === 0 ? undefined : fields()
}

/** `id` is that of the record, where it is there. */
function inputOf(action: ActionModel, id: string | null, endpoint: Endpoint, material: Material): object {
  const { random } = material
  const { vocabulary } = endpoint.version
  const { resource } = action
  const isWhole = action.kind === 'create' || random.chance(0.2)
  // Whether lists alone change a record is told by its version.
  const isOfLists = action.kind === 'update' && action.lists.length > 0 && random.chance(0.3)
  const fields = (isOfLists ? [] : action.sent)
    .filter(({ initial }) => (isWhole && initial === undefined ? !random.chance(0.03) : random.chance(0.5)))
    .map(({ field, spec, nullable }) => [
      vocabulary.name(resource, field),
      nullable && random.chance(0.2) ? null : wireValue(spec, material),
    ])
  const lists = action.lists
    .filter(() => random.chance(0.4))
    .map((list) => [vocabulary.list(resource, list.relation), listOf(action, list, id, endpoint, material)])
  return Object.fromEntries([...fields, ...lists])
}
type Endpoint = Pick<ResourceEndpoint, 'version'>

/** What a list of an input holds: ids of its records and of others, and what else a child takes. */
function listOf(
  action: ActionModel,
  list: AcceptedList,
  parent: string | null,
  endpoint: Endpoint,
  material: Material,
): readonly unknown[] {
  const { random } = material
  const { target } = list.relation
  const count = random.below(4)
  if (!isChildren(list)) return [...new Set(Array.from({ length: count }, () => anyId(material, target)))]
  const own = material.referring.get(`${parent} ${target.name}.${list.relation.by.field}`) ?? []
  const ids = random.chance(0.5) ? own.filter(() => random.chance(0.8)) : random.some(own, count)
  const named = ids.map((id) => (random.chance(0.9) ? id : anyId(material, target)))
  const update = childUpdate(action, list)
  const stored = replacesChildren(action) ? named : []
  return [
    ...stored.map((id) =>
      update === null || random.chance(0.5) ? { id } : { id, ...inputOf(update, id, endpoint, material) },
    ),
    ...Array.from({ length: random.below(2) }, () => inputOf(childCreate(action, list), null, endpoint, material)),
  ]
}
