// The REST face: finds what a path leads to before the body is read, and answers every failure in the envelope.

import type { Runner } from '../action/call.ts'
import { type NameDetail, plainly } from '../failure/description.ts'
import { Failure } from '../failure/failure.ts'
import type { EndpointDescription } from '../http/message/endpoint-description.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import type { Limits } from '../limits.ts'
import type { Dialect } from '../read-plan/selection.ts'
import type { Actor } from '../resource/actor.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import type { Model } from '../resource/model/model.ts'
import { listName } from './body.ts'
import { type AuthorAddress, authorAddresses, findAuthorAddress } from './custom-route/address.ts'
import { definitionsOf, limitsOf } from './custom-route/definition.ts'
import { authorHandle } from './custom-route/handle.ts'
import { createRecords } from './custom-route/records.ts'
import type { AuthorLimit, AuthorRoute } from './custom-route/route.ts'
import { ofId, ofMember } from './detail-names.ts'
import { type DocumentHandleGiven, documentHandle } from './document-handle.ts'
import type { DocumentInfo, FindExample } from './openapi/given.ts'
import type { CursorForm } from './page.ts'
import { createRoots } from './parsed-queries.ts'
import { type Handle, listHandle, type ReadGiven, recordHandle } from './read.ts'
import { refusal } from './respond.ts'
import { compileRoutes, findAddress, type Operation, type ResourceOperation, type Routes } from './routes.ts'
import { compileNamedUses, type NamedUses } from './uses.ts'
import { leavingHeaders, type Version } from './version.ts'
import { type WriteGiven, writeHandle } from './write.ts'

export interface RestGiven {
  readonly model: Model
  readonly runner: Runner
  readonly limits: Limits
  readonly dialect: Dialect
  /** How a page from a cursor is told; `envelope` unless said. (contract 4.4.16) */
  readonly cursorForm?: CursorForm
  /** How the OpenAPI documents introduce the service. */
  readonly info?: DocumentInfo
  /** Records that the documents can name in their examples. */
  readonly findExample?: FindExample
  /** What the service answers outside of its versions, for the documents. */
  readonly endpoints?: readonly EndpointDescription[]
  /** Addresses of the author's own. Expects them to be without contradictions. */
  readonly authorRoutes?: readonly AuthorRoute[]
  /** Told of every request under a deprecated version. (contract 9.4.1) */
  readonly noteUse?: NoteUse
}

/** How a service answers that says nothing else. */
export const usualForm = { cursorForm: 'envelope', info: { title: 'API' } } as const

export interface RestFace {
  /**
   * What a request leads to, known before its body is read; or the reply that ends it: 404, 405 with `Allow`, 204 to
   * OPTIONS, 301 to the current version. (contract 4.2, 4.10.6)
   */
  route(request: Pick<Exchange, 'method' | 'path' | 'query'>): Route | Reply
  /** The reply to a failure that happened outside of a route, with the headers of the version that the path names. */
  refuse(failure: Failure, path: string | null): Reply
  /** The pattern that a path fits, such as `/api/v1/posts/{id}`; null where it leads nowhere. */
  patternOf(path: string): string | null
}
export interface Route {
  /** `v1`. */
  readonly version: string
  /** `/posts/{id}`. */
  readonly template: string
  /** `/api/v1/posts/{id}`: always the same string, so that it is found by in a moment. */
  readonly pattern: string
  readonly isDeprecated: boolean
  /** What its author limits beside what every request meets, to be asked before `handle`. */
  readonly limits: readonly AuthorLimit[]
  /** Answers the request. Every failure is in the reply; whatever it rejects with is a bug. */
  handle(exchange: Exchange, actor: Actor | null): Promise<Reply>
}

export const isRoute = (found: Route | Reply): found is Route => 'handle' in found

export function createRestFace(asked: RestGiven): RestFace {
  const { model, limits, cursorForm, info, authorRoutes = [] } = { ...usualForm, ...asked }
  const routes = compileRoutes(model)
  const account = model.accounts.resource
  const authored = authorAddresses(definitionsOf(authorRoutes), routes.versions)
  const given = { ...asked, routes, cursorForm, info, account, authored, roots: createRoots(limits) }
  const operations = new Set(routes.addresses.flatMap((address) => [...address.operations.values()]))
  const answering = new Map(
    [...operations].map((operation) => {
      const { handle, nameDetail } = answeringOf(operation, given)
      // Whoever reads the document is no client yet.
      const named = operation.kind === 'document' ? null : compileNamedUses(operation)
      const leaving = operation.kind === 'document' ? null : leavingHeaders(operation.action, operation.version)
      return [operation, { handle: counted(handle, named), nameDetail, leaving }]
    }),
  )

  const authorGiven = { recordsFor: createRecords(given), limits }
  const authorHandles = new Map(
    authored.flatMap(({ version, operations: own }) =>
      [...own.values()].map(
        (each) => [each, counted(authorHandle(each, version, authorGiven), ofVersion(version))] as const,
      ),
    ),
  )

  /** What uses nothing deprecated costs nothing. (contract 9.4.1) */
  function counted<W>(handle: Handling<W>, named: NamedUses | null): Handling<W> {
    const { noteUse } = asked
    if (named === null || noteUse === undefined || (named.always.length === 0 && named.inQuery === null)) return handle
    const { always, inQuery } = named
    return (exchange, actor, within) => {
      const uses = inQuery === null ? always : [...always, ...inQuery(exchange.query)]
      if (uses.length > 0) noteUse(uses, actor, exchange.headers['x-client-name'])
      return handle(exchange, actor, within)
    }
  }

  function find(path: string): Place | null {
    const found = findAddress(path, routes)
    if (found !== null) {
      const { address, id } = found
      const workOf = (method: string): Work | undefined => {
        const operation = address.operations.get(method)
        if (operation === undefined) return undefined
        const { handle, nameDetail, leaving } = answering.get(operation)!
        return { handle: (exchange, actor) => handle(exchange, actor, id), nameDetail, leaving, limits: [] }
      }
      return { address, workOf }
    }
    const own = findAuthorAddress(path, authored)
    if (own === null) return null
    const workOf = (method: string): Work | undefined => {
      const definition = own.address.operations.get(method)
      if (definition === undefined) return undefined
      const handle = authorHandles.get(definition)!
      const limits = limitsOf(definition)
      const call: Work['handle'] = (exchange, actor) => handle(exchange, actor, own.parts)
      return { handle: call, nameDetail: plainly, leaving: null, limits }
    }
    return { address: own.address, workOf }
  }

  function route({ method, path, query }: Pick<Exchange, 'method' | 'path' | 'query'>): Route | Reply {
    const place = find(path)
    if (place === null) return elsewhere({ method, path, query }, routes)
    const { version, template, pattern, allow } = place.address
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow, ...version.headers(path) }, body: null }
    const work = place.workOf(method)
    if (work === undefined) {
      return refusal(new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } }), version.headers(path))
    }
    return {
      version: version.name,
      template,
      pattern,
      isDeprecated: version.isDeprecated,
      limits: work.limits,
      async handle(exchange, actor) {
        try {
          return withLeaving(await work.handle(exchange, actor), work)
        } catch (error) {
          if (error instanceof Failure) return withLeaving(refusal(error, version.headers(path), work.nameDetail), work)
          throw error
        }
      },
    }
  }

  const refuse = (failure: Failure, path: string | null): Reply => {
    if (path === null) return refusal(failure)
    // These look at no Authorization header, so that there is nothing to say about what it holds. (contract 4.1.3)
    const reply = refusal(failure, versionOf(path, routes)?.headers(path))
    return failure.status === 401 && /^\/(?:api\/)?auth\//.test(path) ? asking(reply) : reply
  }

  return { route, refuse, patternOf: (path) => find(path)?.address.pattern ?? null }
}

const withLeaving = (reply: Reply, { leaving }: Work): Reply =>
  leaving === null ? reply : { ...reply, headers: { ...reply.headers, ...leaving } }

const asking = (reply: Reply): Reply => ({ ...reply, headers: { ...reply.headers, 'WWW-Authenticate': 'Bearer' } })

/** Addresses of the author's own have nothing deprecated but their version. */
const ofVersion = ({ isDeprecated, name }: Version): NamedUses | null =>
  isDeprecated ? { always: [name], inQuery: null, inTargets: null } : null

type Handling<Within> = (exchange: Exchange, actor: Actor | null, within: Within) => Promise<Reply>

/** What a path leads to, whether it belongs to a resource or to the author. */
interface Place {
  readonly address: Pick<AuthorAddress, 'version' | 'template' | 'pattern' | 'allow'>
  readonly workOf: (method: string) => Work | undefined
}
interface Work {
  readonly handle: (exchange: Exchange, actor: Actor | null) => Promise<Reply>
  readonly nameDetail: NameDetail
  /** What its answers say of its deprecation; null where there is nothing to say. (contract 9.1.1) */
  readonly leaving: Readonly<Record<string, string>> | null
  readonly limits: readonly AuthorLimit[]
}

interface Answering {
  readonly handle: Handle
  readonly nameDetail: NameDetail
}

function answeringOf(operation: Operation, given: ReadGiven & WriteGiven & DocumentHandleGiven): Answering {
  if (operation.kind === 'document') return { handle: documentHandle(operation.version, given), nameDetail: plainly }
  const handle =
    operation.kind === 'list'
      ? listHandle(operation, given)
      : operation.kind === 'record'
        ? recordHandle(operation, given)
        : writeHandle(operation, given)
  return { handle, nameDetail: nameDetailOf(operation) }
}

function nameDetailOf({ kind, resource }: ResourceOperation): NameDetail {
  if (kind === 'createMany') return ofMember(listName(resource))
  return kind === 'updateMany' ? ofId : plainly
}

const versionOf = (path: string, { byVersion }: Routes): Version | undefined => {
  const [, api, name = ''] = path.split('/', 3)
  return api === 'api' ? byVersion.get(name) : undefined
}

/** Paths without a version lead to the current one, for reading only; all others lead nowhere. (contract 4.2.3) */
function elsewhere({ method, path, query }: Pick<Exchange, 'method' | 'path' | 'query'>, routes: Routes): Reply {
  const version = versionOf(path, routes)
  if (version !== undefined) return refusal(new Failure('NOT_FOUND'), version.headers(path))
  const [, api, name = '', ...below] = path.split('/')
  if (api !== 'api' || !routes.collections.has(name)) return refusal(new Failure('NOT_FOUND'))
  if (method === 'GET' || method === 'HEAD') {
    const location = `${routes.current.prefix}/${[name, ...below].join('/')}${query === '' ? '' : `?${query}`}`
    return { status: 301, headers: { Location: location }, body: null }
  }
  const names = routes.versions.map(({ prefix }) => `${prefix}/${name}`).join(' or ')
  return refusal(new Failure('NOT_FOUND', { message: `Name a version: ${names}.` }))
}
