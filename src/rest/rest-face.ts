// The REST face: finds what a path leads to before the body is read, and answers every failure in the envelope.

import type { Runner } from '../action/call.ts'
import { createRootCache } from '../action/root-cache.ts'
import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply, WholeReply } from '../http/message/exchange.ts'
import type { Limits } from '../limits.ts'
import type { RecordsFor } from '../program/records.ts'
import { CursorBindings } from '../read-plan/cursor.ts'
import type { Dialect } from '../read-plan/selection.ts'
import type { Requester } from '../resource/actor.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import type { Model } from '../resource/model/model.ts'
import { type CompiledEndpoint, compileAddressTable } from './address-table.ts'
import { authorAddresses } from './custom-route/address.ts'
import { definitionsOf } from './custom-route/definition.ts'
import type { RouteLog } from './custom-route/log.ts'
import type { AuthorLimit, AuthorRoute } from './custom-route/route.ts'
import { createParsedQueries } from './list-query.ts'
import type { ServiceDescription } from './openapi/document.ts'
import type { DocumentInfo } from './openapi/document-context.ts'
import type { CursorForm } from './page.ts'
import { refusal } from './respond.ts'
import { compileRoutes, type Routes } from './routes.ts'
import type { Version } from './version.ts'

export interface RestDependencies {
  readonly model: Model
  readonly runner: Runner
  readonly limits: Limits
  readonly dialect: Dialect
  /** How a page from a cursor is told; `envelope` unless said. (contract 4.4.16) */
  readonly cursorForm?: CursorForm
  /** How the OpenAPI documents introduce the service. */
  readonly info?: DocumentInfo
  /** What the documents say of the service beside its versions; asked when one is made. */
  readonly describeService?: () => Promise<ServiceDescription>
  /** Addresses of the author's own. Expects them to be without contradictions. */
  readonly authorRoutes?: readonly AuthorRoute[]
  /** How custom routes read and write records. */
  readonly recordsFor: RecordsFor
  /** Takes what custom routes say. */
  readonly routeLog?: RouteLog
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
  refuse(failure: Failure, path: string | null): WholeReply
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
  handle(exchange: Exchange, actor: Requester): Promise<Reply>
}

export const isRoute = (routeOrReply: Route | Reply): routeOrReply is Route => 'handle' in routeOrReply

export function createRestFace(dependencies: RestDependencies): RestFace {
  const { model, limits, cursorForm, info, authorRoutes = [] } = { ...usualForm, ...dependencies }
  const routes = compileRoutes(model)
  const account = model.accounts.resource
  const authored = authorAddresses(definitionsOf(authorRoutes), routes.versions)
  const caches = {
    roots: createRootCache(limits),
    parsedQueries: createParsedQueries(limits),
    bindings: new CursorBindings(),
  }
  const endpointDependencies = { ...dependencies, ...caches, routes, cursorForm, info, account, authored }
  const find = compileAddressTable({ ...endpointDependencies, limits })

  function route({ method, path, query }: Pick<Exchange, 'method' | 'path' | 'query'>): Route | Reply {
    const match = find(path)
    if (match === null) return elsewhere({ method, path, query }, routes)
    const { version, template, pattern, allow, endpoints } = match.address
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow, ...version.headers(path) }, body: null }
    const endpoint = endpoints.get(method)
    if (endpoint === undefined) {
      return refusal(new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } }), version.headers(path))
    }
    return {
      version: version.name,
      template,
      pattern,
      isDeprecated: version.isDeprecated,
      limits: endpoint.limits,
      async handle(exchange, actor) {
        try {
          return withLeaving(await endpoint.answer(exchange, actor, match), endpoint)
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          return withLeaving(refusal(error, version.headers(path), endpoint.nameDetail), endpoint)
        }
      },
    }
  }

  const refuse = (failure: Failure, path: string | null): WholeReply =>
    refusal(failure, path === null ? undefined : versionOf(path, routes)?.headers(path))

  return { route, refuse, patternOf: (path) => find(path)?.address.pattern ?? null }
}

const withLeaving = (reply: Reply, { leaving }: CompiledEndpoint): Reply =>
  leaving === null ? reply : { ...reply, headers: { ...reply.headers, ...leaving } }

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
