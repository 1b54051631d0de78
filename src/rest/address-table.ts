// Every address of the REST face, those of resources and those of custom routes: found by path, with how each method is answered.

import { type NameDetail, plainly } from '../failure/description.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import type { Requester } from '../resource/actor.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import { listName } from './body.ts'
import { type AuthorAddress, findAuthorAddress } from './custom-route/address.ts'
import { limitsOf, type RouteDefinition } from './custom-route/definition.ts'
import { type AuthorDependencies, authorHandle } from './custom-route/handle.ts'
import type { AuthorLimit } from './custom-route/route.ts'
import { ofId, ofMember, ofMove } from './detail-names.ts'
import { type DocumentHandleDependencies, documentHandle } from './document-handle.ts'
import { type Handle, listHandle, type ReadDependencies, recordHandle } from './read.ts'
import { type Address, type Endpoint, findAddress, type ResourceEndpoint, type Routes } from './routes.ts'
import { summaryHandle } from './summary.ts'
import { compileNamedUses, type NamedUses } from './uses.ts'
import { leavingHeaders, type Version } from './version.ts'
import { type WriteDependencies, writeHandle } from './write.ts'

export interface AddressTableDependencies
  extends ReadDependencies,
    WriteDependencies,
    DocumentHandleDependencies,
    AuthorDependencies {
  readonly limits: ReadDependencies['limits'] &
    WriteDependencies['limits'] &
    DocumentHandleDependencies['limits'] &
    AuthorDependencies['limits']
  readonly routes: Routes
  /** The addresses of custom routes. */
  readonly authored: readonly AuthorAddress[]
  /** Told of every request that uses what is deprecated. (contract 9.4.1) */
  readonly noteUse?: NoteUse
}
/** What a path leads to. */
export interface AddressMatch {
  readonly address: CompiledAddress
  /** What stands in the path for `{id}`: not known to be an id, nor to exist. Null where there is no such place. */
  readonly id: string | null
  /** What stands in the path of a custom route, by the names of its template; not decoded. */
  readonly parts: ReadonlyMap<string, string>
}
export interface CompiledAddress extends Pick<AuthorAddress, 'version' | 'template' | 'pattern' | 'allow'> {
  /** By method; HEAD does what GET does. */
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>
}
/** What one method does at one address. */
export interface CompiledEndpoint {
  readonly answer: (exchange: Exchange, actor: Requester, match: AddressMatch) => Promise<Reply>
  readonly nameDetail: NameDetail
  /** What its answers say of its deprecation; null where there is nothing to say. (contract 9.1.1) */
  readonly leaving: Readonly<Record<string, string>> | null
  /** What its author limits beside what every request meets. */
  readonly limits: readonly AuthorLimit[]
}

/** The function finds what a path leads to; null where that is nothing. Resources win over custom routes. */
export function compileAddressTable(dependencies: AddressTableDependencies): (path: string) => AddressMatch | null {
  const { routes, authored } = dependencies
  const resources = new Map(
    routes.addresses.map((address) => [
      address,
      compileAddress(address, (each) => compileEndpoint(each, dependencies)),
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
  { version, template, pattern, allow, endpoints }: AddressOf<E>,
  compile: (endpoint: E) => CompiledEndpoint,
): CompiledAddress {
  // GET and HEAD share an endpoint: that of a document keeps what it has made.
  const compiled = new Map([...new Set(endpoints.values())].map((endpoint) => [endpoint, compile(endpoint)]))
  const byMethod = new Map([...endpoints].map(([method, endpoint]) => [method, compiled.get(endpoint)!]))
  return { version, template, pattern, allow, endpoints: byMethod }
}
type AddressOf<E> = Omit<Address, 'endpoints'> & { readonly endpoints: ReadonlyMap<string, E> }

function compileEndpoint(endpoint: Endpoint, dependencies: AddressTableDependencies): CompiledEndpoint {
  if (endpoint.kind === 'document') {
    const handle = documentHandle(endpoint.version, dependencies)
    // Whoever reads the document is no client yet: no use is counted.
    return { answer: byId(handle), nameDetail: plainly, leaving: null, limits: [] }
  }
  return {
    answer: countUses(byId(handleOf(endpoint, dependencies)), compileNamedUses(endpoint), dependencies.noteUse),
    nameDetail: nameDetailOf(endpoint),
    leaving: leavingHeaders(endpoint.action, endpoint.version),
    limits: [],
  }
}

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

/** Custom routes have nothing deprecated but their version. */
const usesOfVersion = ({ isDeprecated, name }: Version): NamedUses | null =>
  isDeprecated ? { always: [name], inQuery: null, inTargets: null } : null

/** What uses nothing deprecated costs nothing. (contract 9.4.1) */
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
