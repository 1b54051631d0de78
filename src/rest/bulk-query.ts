// The query string of a write of many records: those for which a condition holds, and whether anything is stored. (contract 13.7)

import type { WriteSelection } from '../action/call.ts'
import type { BoundList } from '../action/list-request.ts'
import type { RootCache } from '../action/root-cache.ts'
import { readWhere } from '../action/where/read.ts'
import { bindWriteSelection, writeSelectionRoot } from '../action/write-selection.ts'
import type { Detail } from '../failure/failure.ts'
import type { Json } from '../http/message/exchange.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Limits } from '../limits.ts'
import type { Requester } from '../resource/actor.ts'
import type { ListQueryDependencies } from './list-query.ts'
import type { ResourceEndpoint } from './routes.ts'

/** What says which records are written, in a query string or a body. */
export interface BulkQuery {
  /** Absent where no condition was sent; null where it has a problem. */
  readonly selection?: WriteSelection | null
  /** Of a delete, whose body says nothing; a list as it should be, or not. */
  readonly ids?: Json
  readonly dryRun: boolean
  readonly problems: readonly Detail[]
}
export interface BulkQueryDependencies extends Pick<ListQueryDependencies, 'dialect' | 'bindings'> {
  readonly limits: ListQueryDependencies['limits'] & Pick<Limits, 'recordsPerWrite'>
  readonly roots: RootCache
}

/** Reads what such a query string says, for a move with the members of its body, whoever sends it. Never fails. */
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
    const parameters = readQuery(query, problems)
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
    const where = readWhere(sent, resource, { ...dependencies, vocabulary, textVocabulary: vocabulary }, problems)
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
