// Finds resources and custom routes by path, with their compiled methods.

import { limitsOf, type RouteDefinition } from '../custom-route/definition.ts'
import type { AuthorLimit } from '../custom-route/route.ts'
import { type NameDetail, plainly } from '../failure/description.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import type { Requester } from '../resource/actor.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import { type AuthorAddress, findAuthorAddress } from './custom-route/address.ts'
import { type AuthorDependencies, authorHandle } from './custom-route/handle.ts'
import { ofId, ofMember, ofMove } from './detail-names.ts'
import { type DocumentHandleDependencies, documentHandle } from './document-handle.ts'
import { type EventStreamDependencies, eventStreamHandle } from './event-stream/handle.ts'
import { listName } from './query/body.ts'
import { readQueryBody, uncached } from './query/query-method.ts'
import { type Handle, listHandle, type ReadDependencies, recordHandle } from './read.ts'
import { inOwnTenant } from './record-name.ts'
import {
  type Address,
  type Endpoint,
  findAddress,
  isOfVersion,
  type ResourceEndpoint,
  type Routes,
  type VersionEndpoint,
} from './route/routes.ts'
import { leavingHeaders, type Version } from './route/version.ts'
import { summaryHandle } from './summary.ts'
import { compileNamedUses, type NamedUses } from './uses.ts'
import { type WriteDependencies, writeHandle } from './write.ts'

export interface AddressTableDependencies
  extends ReadDependencies,
    WriteDependencies,
    DocumentHandleDependencies,
    EventStreamDependencies,
    AuthorDependencies {
  readonly routes: Routes
  readonly authored: readonly AuthorAddress[]
  /** Called for each use of something deprecated. (contract 9.4.1) */
  readonly noteUse?: NoteUse
}
export interface AddressMatch {
  readonly address: CompiledAddress
  /** At `{id}`, possibly malformed or unknown. */
  readonly id: string | null
  /** Path segments of a custom route by name, not decoded. */
  readonly parts: ReadonlyMap<string, string>
}
/** QUERY is GET with its parameters in the body. */
export type CompiledAddress = Address<CompiledEndpoint>
export interface CompiledEndpoint {
  readonly answer: (exchange: Exchange, actor: Requester, match: AddressMatch) => Promise<Reply>
  readonly nameDetail: NameDetail
  /** Deprecation headers; null if none. (contract 9.1.1) */
  readonly leaving: Readonly<Record<string, string>> | null
  readonly limits: readonly AuthorLimit[]
}

/** Null if no address matches. Resources win over custom routes. */
export function compileAddressTable(dependencies: AddressTableDependencies): (path: string) => AddressMatch | null {
  const { routes, authored } = dependencies
  const resources = new Map(
    routes.addresses.map((address) => [
      address,
      withQuery(
        compileAddress(address, (each) => compileEndpoint(each, dependencies)),
        dependencies,
      ),
    ]),
  )
  const custom = new Map(
    authored.map((address) => {
      const { version } = address
      return [address, compileAddress(address, (each) => compileCustomEndpoint(each, version, dependencies))]
    }),
  )
  return (path) => {
    const match = findAddress(path, routes)
    if (match !== null) return { address: resources.get(match.address)!, id: match.id, parts: noParts }
    const own = findAuthorAddress(path, authored)
    return own === null ? null : { address: custom.get(own.address)!, id: null, parts: own.parts }
  }
}

const noParts: AddressMatch['parts'] = new Map()

function compileAddress<E>(
  { version, template, pattern, allow, endpoints }: Address<E>,
  compile: (endpoint: E) => CompiledEndpoint,
): CompiledAddress {
  // GET and HEAD share an endpoint, so that a document is cached once.
  const compiled = new Map([...new Set(endpoints.values())].map((endpoint) => [endpoint, compile(endpoint)]))
  const byMethod = new Map([...endpoints].map(([method, endpoint]) => [method, compiled.get(endpoint)!]))
  return { version, template, pattern, allow, endpoints: byMethod }
}

const withQuery = (address: CompiledAddress, { limits }: AddressTableDependencies): CompiledAddress => {
  const read = address.endpoints.get('QUERY')
  if (read === undefined) return address
  const answer: CompiledEndpoint['answer'] = async (exchange, actor, match) => {
    exchange.query = await readQueryBody(exchange, limits)
    return uncached(await read.answer(exchange, actor, match))
  }
  return { ...address, endpoints: new Map([...address.endpoints, ['QUERY', { ...read, answer }]]) }
}

function compileEndpoint(endpoint: Endpoint, dependencies: AddressTableDependencies): CompiledEndpoint {
  if (isOfVersion(endpoint)) return compileVersionEndpoint(endpoint, dependencies)
  return {
    answer: countUses(
      byId(addressedBy(endpoint, handleOf(endpoint, dependencies))),
      compileNamedUses(endpoint, dependencies.limits),
      dependencies.noteUse,
    ),
    nameDetail: nameDetailOf(endpoint),
    leaving: leavingHeaders(endpoint.action, endpoint.version),
    limits: [],
  }
}

function compileVersionEndpoint(
  { kind, version }: VersionEndpoint,
  dependencies: AddressTableDependencies,
): CompiledEndpoint {
  const plain = { nameDetail: plainly, leaving: null, limits: [] }
  // Reading a document is no use of its version.
  if (kind !== 'eventStream') return { ...plain, answer: byId(documentHandle(kind, version, dependencies)) }
  const handle = eventStreamHandle(version, dependencies)
  return { ...plain, answer: countUses(handle, usesOfVersion(version), dependencies.noteUse) }
}

const addressedBy = (endpoint: ResourceEndpoint, handle: Handle): Handle =>
  endpoint.isInOwnTenant === true
    ? (exchange, actor, id) => handle(exchange, actor, inOwnTenant(id!, endpoint, actor))
    : handle

const byId =
  (handle: Handle): CompiledEndpoint['answer'] =>
  (exchange, actor, { id }) =>
    handle(exchange, actor, id)

function handleOf(endpoint: ResourceEndpoint, dependencies: AddressTableDependencies): Handle {
  if (endpoint.kind === 'list') return listHandle(endpoint, dependencies)
  if (endpoint.kind === 'summary') return summaryHandle(endpoint, dependencies)
  return endpoint.kind === 'record' ? recordHandle(endpoint, dependencies) : writeHandle(endpoint, dependencies)
}

function nameDetailOf({ kind, resource }: ResourceEndpoint): NameDetail {
  if (kind === 'createMany') return ofMember(listName(resource))
  if (kind === 'moveMany') return ofMove
  return kind === 'updateMany' || kind === 'deleteMany' ? ofId : plainly
}

function compileCustomEndpoint(
  definition: RouteDefinition,
  version: Version,
  dependencies: AddressTableDependencies,
): CompiledEndpoint {
  const handle = authorHandle(definition, version, dependencies)
  const answer: CompiledEndpoint['answer'] = (exchange, actor, { parts }) => handle(exchange, actor, parts)
  return {
    answer: countUses(answer, usesOfVersion(version), dependencies.noteUse),
    nameDetail: plainly,
    leaving: null,
    limits: limitsOf(definition),
  }
}

/** Only the version of a custom route can be deprecated. */
const usesOfVersion = ({ isDeprecated, name }: Version): NamedUses | null =>
  isDeprecated ? { always: [name], inQuery: null, inBody: null } : null

/** Returns `answer` itself if nothing is deprecated. (contract 9.4.1) */
function countUses(
  answer: CompiledEndpoint['answer'],
  namedUses: NamedUses | null,
  noteUse?: NoteUse,
): CompiledEndpoint['answer'] {
  if (namedUses === null || noteUse === undefined || (namedUses.always.length === 0 && namedUses.inQuery === null))
    return answer
  const { always, inQuery } = namedUses
  return (exchange, actor, match) => {
    const uses = inQuery === null ? always : [...always, ...inQuery(exchange.query)]
    if (uses.length > 0) noteUse(uses, actor, exchange.headers['x-client-name'])
    return answer(exchange, actor, match)
  }
}
