// The query string of a bulk write: its condition and dry run. (contract 13.7)

import type { WriteSelection } from '../../action/call.ts'
import type { BoundList } from '../../action/question/list-request.ts'
import { narrowedBy } from '../../action/question/parameter/where.ts'
import { readWhere } from '../../action/question/where/read.ts'
import { bindWriteSelection, writeSelectionRoot } from '../../action/question/write-selection.ts'
import type { Detail } from '../../failure/failure.ts'
import { listParameters, readQuery, requireKnown } from '../../http/message/query.ts'
import type { Json } from '../../json/json.ts'
import type { Requester } from '../../resource/actor.ts'
import type { ResourceEndpoint } from '../route/routes.ts'
import type { ListQueryDependencies } from './list-query.ts'

export interface BulkQuery {
  /** Absent if no condition was sent; null if it is wrong. */
  readonly selection?: WriteSelection | null
  /** Of a delete, which has no body; not validated. */
  readonly ids?: Json
  readonly dryRun: boolean
  readonly problems: readonly Detail[]
}
export type BulkQueryDependencies = Omit<ListQueryDependencies, 'parsedQueries'>

/** Returns a reader that never fails. For a move, it also takes the members of the body. */
export function createBulkQuery(
  { kind, resource, version }: Pick<ResourceEndpoint, 'kind' | 'resource' | 'version'>,
  dependencies: BulkQueryDependencies,
): (query: string, members: Readonly<Record<string, Json>>, actor: Requester) => BulkQuery {
  const { roots } = dependencies
  const { vocabulary } = version
  const [isDelete, isMove] = [kind === 'deleteMany', kind === 'moveMany']
  const names: ReadonlySet<string> = new Set(['dry_run', ...(isMove ? [] : ['where']), ...(isDelete ? ['ids'] : [])])

  return (query, members, actor) => {
    const problems: Detail[] = []
    const parameters = readQuery(query, problems, listParameters)
    requireKnown(parameters, (name) => names.has(name), problems)
    const dryRun = readFlag(parameters.get('dry_run'), problems)
    const text = isMove ? members['where'] : parameters.get('where')
    const ids = isMove ? members['ids'] : isDelete ? parameters.get('ids')?.split(',') : undefined
    if (ids !== undefined && text !== undefined) problems.push({ field: 'ids', message: 'Send these or a condition.' })
    if ((isDelete || isMove) && ids === undefined && text === undefined)
      problems.push({ field: 'where', message: 'Send a condition, or ids.' })
    if (ids !== undefined) return { ids, dryRun, problems }
    if (text === undefined) return { ...(isDelete || isMove ? { selection: null } : {}), dryRun, problems }
    const sent = { is: 'text', sent: text, parameter: 'where' } as const
    const where = narrowedBy(readWhere(sent, resource, { ...dependencies, vocabulary }, problems))
    if (where === null) return { selection: null, dryRun, problems }
    const bound = bindWriteSelection(resource, where, actor, { ...dependencies, vocabulary }, problems)
    return { selection: { root: rootOf(bound), list: bound.list }, dryRun, problems }
  }

  function rootOf({ key, shape }: BoundList): WriteSelection['root'] {
    return roots.get(`${version.name}/${resource.path}?write|${key}`, () => writeSelectionRoot(shape))
  }
}

function readFlag(text: string | undefined, problems: Detail[]): boolean {
  if (text !== undefined && text !== '' && text !== 'true' && text !== 'false')
    problems.push({ field: 'dry_run', message: 'Must be true or false.' })
  return text === 'true'
}
