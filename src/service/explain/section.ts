// Formats the sections of `duet explain`.

import { deletionSentences, moveText } from '../../resource/about.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { isOfVersion, type ResourceEndpoint } from '../../rest/route/routes.ts'
import type { Store } from '../../store/store.ts'
import { type Branch, type BranchContext, branchesOf, branchOf } from './branch.ts'
import { endpointOf, type Judged, type Request } from './judge.ts'
import { referenceBranches } from './reference-branch.ts'

/**
 * Sections for the deciding rule, for fields of the answer or input with a rule of their own, and for records the input may name.
 */
export async function ruleSections(
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
