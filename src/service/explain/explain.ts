// Explains the answer to a request, for the author of a service; clients must not see it.

import { definitionsOf } from '../../custom-route/definition.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import { moveText } from '../../resource/about.ts'
import type { Model } from '../../resource/model/model.ts'
import { kebab } from '../../resource/naming/casing.ts'
import { authorAddresses, findAuthorAddress } from '../../rest/custom-route/address.ts'
import { compileRoutes, findAddress, isOfVersion, type Routes } from '../../rest/route/routes.ts'
import { isByKey } from '../../rest/upsert.ts'
import type { Store } from '../../store/store.ts'
import type { Caller } from './caller.ts'
import { type Judged, judge, leftOpen, steps } from './judge.ts'
import { ruleSections } from './section.ts'

export interface Question {
  readonly method: string
  /** `/api/v1/posts`, without a query. */
  readonly path: string
  /** Only `by` of a batch matters. */
  readonly query?: string
}

/** Returns every applicable part of the rule, and the deciding step, as text. Changes nothing. */
export type Explain = (question: Question, caller: Caller, now: Date) => Promise<string>

export interface ExplainDependencies {
  readonly model: Model
  readonly store: Store
  readonly authorRoutes: readonly AuthorRoute[]
}

export function createExplain({ model, store, authorRoutes }: ExplainDependencies): Explain {
  const routes = compileRoutes(model)
  const addresses = authorAddresses(definitionsOf(authorRoutes), routes.versions)
  return async ({ method: sent, path, query = '' }, caller, now) => {
    // HEAD is GET without a body. (contract 4.10.4)
    const method = sent === 'HEAD' || sent === 'QUERY' ? 'GET' : sent
    const outside = withoutRule(method, path, routes)
    if (outside !== null) return `${sent} ${path} as ${caller.title}\n\n${outside}`
    const match = findAddress(path, routes)
    const own = findAuthorAddress(path, addresses)
    const clockOnly = match === null ? clockOnlyMove(path, routes) : null
    const request = { method, match, isByKey: isByKey(query), own, clockOnly, caller, account: model.accounts.resource }
    const judged = await judge(request, store, now)
    const sections = await ruleSections(request, judged, { store, now })
    const title = `${sent} ${path} as ${caller.title}`
    return [title, ...sections, verdictText(judged), ...stepsText(judged)].join('\n\n')
  }
}

function withoutRule(method: string, path: string, { current }: Routes): string | null {
  if (/^\/api\/auth\/(?:login|refresh|logout|forgot-password|reset-password)$/.test(path))
    return 'A sign-in endpoint: it ignores credentials and has no rule.'
  if (method === 'OPTIONS') return '204: OPTIONS lists the methods of an address, and has no rule.'
  const [, resource] = /^\/api\/(?!v\d+(?:\/|$))([^/]+)/.exec(path) ?? []
  if (resource === undefined || method !== 'GET') return null
  return `301: an address without a version leads to ${current.prefix}${path.slice('/api'.length)}.`
}

function clockOnlyMove(path: string, routes: Routes): string | null {
  const slash = path.lastIndexOf('/')
  const endpoint = findAddress(path.slice(0, slash), routes)?.address.endpoints.get('GET')
  if (endpoint === undefined || isOfVersion(endpoint)) return null
  const move = endpoint.resource.timedMoves.find(({ action }) => kebab(action.name) === path.slice(slash + 1))
  return move === undefined ? null : `only the clock makes this move, ${moveText(move)}`
}

const verdictText = ({ status, code, because }: Judged): string =>
  `${status}${code === null ? '' : ` ${code}`}: ${because}.`

function stepsText({ step }: Judged): readonly string[] {
  if (step === null) return []
  const names = Object.keys(steps) as (keyof typeof steps)[]
  const lines = names.slice(0, names.indexOf(step) + 1).map((name) => {
    const mark = name === step ? 'decides' : leftOpen.includes(name) ? 'unknown' : 'passed'
    return `  ${mark.padEnd(7)}  ${steps[name]}`
  })
  return [['What wins, in this order:', ...lines].join('\n')]
}
