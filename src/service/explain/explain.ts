// Explains the answer to a request, for the author of a service; clients must not see it.

import { definitionsOf } from '../../custom-route/definition.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import { deletionSentences, moveText } from '../../resource/about.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { kebab } from '../../resource/naming/casing.ts'
import { authorAddresses, findAuthorAddress } from '../../rest/custom-route/address.ts'
import { compileRoutes, findAddress, isOfVersion, type ResourceEndpoint, type Routes } from '../../rest/route/routes.ts'
import { isByKey } from '../../rest/upsert.ts'
import type { Store } from '../../store/store.ts'
import { type Branch, type BranchContext, branchesOf, branchOf } from './branch.ts'
import type { Caller } from './caller.ts'
import { endpointOf, type Judged, judge, leftOpen, type Request, steps } from './judge.ts'
import { referenceBranches } from './reference-branch.ts'

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

/**
 * Sections for the deciding rule, for fields of the answer or input with a rule of their own, and for records the input may name.
 */
async function ruleSections(
  request: Request,
  judged: Judged,
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<readonly string[]> {
  const endpoint = endpointOf(request)
  const { action, also = [], examined, code } = judged
  if (action === null || endpoint === undefined || isOfVersion(endpoint)) return []
  const { vocabulary } = endpoint.version
  const { actor, requester } = request.caller
  const nameIn = (resource: ResourceModel) => (field: string) => vocabulary.name(resource, field)
  const context: BranchContext = { resource: action.resource, actor, requester, examined, nameIn, store, now }
  const rules: string[] = []
  for (const { name, allow } of [action, ...also]) {
    const branches = await branchesOf(allow, context)
    const who = `Who may ${name} ${action.resource.path}`
    rules.push(section(branches.length > 1 ? `${who}; one of these is enough:` : `${who}:`, branches))
  }
  const fields = code === null ? await fieldBranches(endpoint, context) : []
  const title = isReading(endpoint)
    ? 'Fields that are left out where the answer is no:'
    : 'Fields that are 403 where they are sent and the answer is no:'
  const references = code === null && !isReading(endpoint) ? await referenceBranches(endpoint.action, context) : []
  const referenceTitle = 'References that are 422 where the answer is no for the record that is sent:'
  return [
    ...rules,
    ...(fields.length === 0 ? [] : [section(title, fields)]),
    ...(references.length === 0 ? [] : [section(referenceTitle, references)]),
    ...(action.kind === 'delete' && code === null ? deletionSection(action.resource) : []),
    ...(isReading(endpoint) || action.kind === 'create' ? [] : clockSection(action.resource)),
  ]
}

function deletionSection(resource: ResourceModel): readonly string[] {
  const effects = deletionSentences(resource)
  return effects.length === 0 ? [] : [['What a delete does to other records:', ...effects].join('\n  ')]
}

function clockSection({ timedMoves }: ResourceModel): readonly string[] {
  const lines = timedMoves.map((move) => `${move.action.name}: ${moveText(move)}`)
  return lines.length === 0 ? [] : [['What the clock does to such records:', ...lines].join('\n  ')]
}

const isReading = ({ kind }: ResourceEndpoint): boolean => kind === 'record' || kind === 'list' || kind === 'summary'

function fieldBranches(endpoint: ResourceEndpoint, context: BranchContext): Promise<readonly Branch[]> {
  const { resource, nameIn } = context
  const accepted = new Set(endpoint.action.accept.map(({ field }) => field))
  const fields = [...resource.protect].flatMap(([field, { read, write }]) => {
    const rule = isReading(endpoint) ? read : accepted.has(field) ? write : undefined
    return rule === undefined ? [] : [{ field, rule }]
  })
  return Promise.all(
    fields.map(async ({ field, rule }) => {
      const branch = await branchOf(rule, context)
      return { ...branch, sentence: `${nameIn(resource)(field)}: ${branch.sentence}` }
    }),
  )
}

const section = (title: string, branches: readonly Branch[]): string =>
  [title, ...branches.flatMap((each) => lines(each, '  '))].join('\n')

function lines({ holds, sentence, why, parts }: Branch, indent: string): readonly string[] {
  const answer = holds === null ? 'some' : holds ? 'yes ' : 'no  '
  const line = `${indent}${answer} ${sentence}${why === null ? '' : ` (${why})`}`
  return [line, ...parts.flatMap((each) => lines(each, `${indent}     `))]
}
