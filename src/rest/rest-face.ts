// The REST face: routes before the body is read, and answers every failure in the envelope.

import { createRootCache } from '../action/root-cache.ts'
import { definitionsOf } from '../custom-route/definition.ts'
import type { AuthorLimit, AuthorRoute } from '../custom-route/route.ts'
import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply, WholeReply } from '../http/message/exchange.ts'
import type { Requester } from '../resource/actor.ts'
import { type AddressTableDependencies, type CompiledEndpoint, compileAddressTable } from './address-table.ts'
import { authorAddresses } from './custom-route/address.ts'
import { createParsedQueries } from './query/list-query.ts'
import { acceptQuery } from './query/query-method.ts'
import { refusal } from './route/respond.ts'
import { compileRoutes, type Routes } from './route/routes.ts'
import type { Version } from './route/version.ts'

/** What endpoints need, but for what follows from the model and is made here. */
type Needed = Omit<AddressTableDependencies, 'routes' | 'authored' | 'account' | 'roots' | 'parsedQueries'>
export interface RestDependencies
  extends Omit<Needed, keyof typeof usualForm>,
    Partial<Pick<Needed, keyof typeof usualForm>> {
  /** Expected to be without contradictions. */
  readonly authorRoutes?: readonly AuthorRoute[]
}

/** The form of cursors, and what the service is called, unless it says so. (contract 4.4.16) */
export const usualForm = { cursorForm: 'envelope', info: { title: 'API' } } as const

export interface RestFace {
  /** Or returns the final reply: 404, 405 with `Allow`, 204 to OPTIONS, 301 to the current version. (contract 4.2, 4.10.6) */
  route(request: Pick<Exchange, 'method' | 'path' | 'query'>): Route | Reply
  refuse(failure: Failure, path: string | null): WholeReply
  /** Such as `/api/v1/posts/{id}`; null if the path has no route. */
  patternOf(path: string): string | null
}
export interface Route {
  readonly version: string
  readonly template: string
  /** `/api/v1/posts/{id}`: always the same string object, for fast lookups. */
  readonly pattern: string
  readonly isDeprecated: boolean
  readonly limits: readonly AuthorLimit[]
  /** Failures become replies; a rejection is a bug. */
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
  }
  const endpointDependencies = { ...dependencies, ...caches, routes, cursorForm, info, account, authored }
  const find = compileAddressTable({ ...endpointDependencies, limits })

  function route({ method, path, query }: Pick<Exchange, 'method' | 'path' | 'query'>): Route | Reply {
    const match = find(path)
    if (match === null) return elsewhere({ method, path, query }, routes)
    const { version, template, pattern, allow, endpoints } = match.address
    if (method === 'OPTIONS') {
      const accepts = endpoints.has('QUERY') ? acceptQuery : {}
      return { status: 204, headers: { Allow: allow, ...accepts, ...version.headers(path) }, body: null }
    }
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

const versionOf = (path: string, { versions }: Routes): Version | undefined => {
  const [, api, name = ''] = path.split('/', 3)
  return api === 'api' ? versions.find((each) => each.name === name) : undefined
}

/** Redirects reads without a version to the current one; otherwise 404. (contract 4.2.3) */
function elsewhere({ method, path, query }: Pick<Exchange, 'method' | 'path' | 'query'>, routes: Routes): Reply {
  const version = versionOf(path, routes)
  if (version !== undefined) return refusal(new Failure('NOT_FOUND'), version.headers(path))
  const [, api, name = '', ...below] = path.split('/')
  if (api !== 'api' || !routes.byCollection.has(`${routes.current.prefix}/${name}`))
    return refusal(new Failure('NOT_FOUND'))
  if (method === 'GET' || method === 'HEAD') {
    const location = `${routes.current.prefix}/${[name, ...below].join('/')}${query === '' ? '' : `?${query}`}`
    return { status: 301, headers: { Location: location }, body: null }
  }
  const names = routes.versions.map(({ prefix }) => `${prefix}/${name}`).join(' or ')
  return refusal(new Failure('NOT_FOUND', { message: `Name a version: ${names}.` }))
}
