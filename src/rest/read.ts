// Endpoints that read a record or a list.

import type { RecordCall, RecordRoot, Runner } from '../action/call.ts'
import { linksOf, makeSelection, nameParts, type RecordParts } from '../action/record-selection.ts'
import { type Detail, Failure, invariant } from '../failure/failure.ts'
import { ownETag, recordETag } from '../http/message/conditional.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import { listParameters, readQuery, requireKnown } from '../http/message/query.ts'
import type { ListAnswer } from '../read-plan/run.ts'
import type { Requester } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { createListQuery, type ListQueryDependencies, type ListReading } from './query/list-query.ts'
import type { CursorForm, RequestedPage } from './query/page.ts'
import { acceptQuery } from './query/query-method.ts'
import { readFields } from './query/selection.ts'
import { readRecordName } from './record-name.ts'
import { cacheControl, isOwnLink } from './route/caching.ts'
import { readReply } from './route/respond.ts'
import type { ResourceEndpoint } from './route/routes.ts'

/** `id`: the path segment; null if there is none. */
export type Handle = (exchange: Exchange, actor: Requester, id: string | null) => Promise<Reply>

export interface ReadDependencies extends ListQueryDependencies {
  readonly runner: Runner
  readonly cursorForm: CursorForm
  readonly account: ResourceModel
}

export function recordHandle(endpoint: ResourceEndpoint, { runner, roots, account }: ReadDependencies): Handle {
  const { resource, version } = endpoint
  const whole = makeRoot()
  return async (exchange, actor, id) => {
    const { query, path } = exchange
    const recordId = readRecordName(id!, endpoint, resource, account, actor)
    let parts: RecordParts | undefined
    const some = () => {
      parts = partsIn(query)
      return parts === undefined ? whole : rootOf(parts)
    }
    const root = query === '' ? whole : some
    const { now: requestTime, size } = exchange
    const call = { resource, root, actor, id: recordId, requestTime, lists: [], deadline: exchange, size }
    const { answer, body } = await readRecord(call, exchange)
    const hasCan = parts?.can === true
    const { links } = parts ?? { links: linksOf(resource) }
    const ownId = recordId === id ? null : typeof recordId === 'string' ? recordId : answer.id!
    const etag = tagOf(answer.version, body, ownId)
    const caching = { etag, cacheControl: cacheControl(endpoint, actor, hasCan || links.some(isOwnLink)) }
    return readReply(body, caching, version.headers(path))
  }

  async function readRecord(call: RecordCall, exchange: Exchange) {
    try {
      const answer = await runner.record(call)
      invariant(answer.json !== null, 'nothing that REST selects of a record can be refused')
      const body = `{"data":${answer.json}}`
      exchange.size.finish(body)
      return { answer, body }
    } catch (error) {
      throw tooLargeOr(error, exchange)
    }
  }

  function partsIn(query: string): RecordParts | undefined {
    const problems: Detail[] = []
    const parameters = readQuery(query, problems, listParameters)
    requireKnown(parameters, (name) => name === 'fields', problems)
    const text = parameters.get('fields') || undefined
    const parts = text === undefined ? undefined : readFields(text, resource, version.vocabulary, problems)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    return parts
  }

  function rootOf(parts: RecordParts): RecordRoot {
    return roots.get(`${version.name}/${resource.path}/{id}|${nameParts(parts)}`, () => makeRoot(parts))
  }

  function makeRoot(parts?: RecordParts): RecordRoot {
    return { kind: 'record', of: makeSelection(resource, version.vocabulary, parts), etag: true }
  }
}

export function listHandle(endpoint: ResourceEndpoint, dependencies: ReadDependencies): Handle {
  const { runner, cursorForm, account } = dependencies
  const { within, version } = endpoint
  const readList = createListQuery(endpoint, dependencies)
  return async (exchange, actor, id) => {
    const { query, path, now: requestTime, size } = exchange
    const holderId = within === null ? null : readRecordName(id!, endpoint, within.holder, account, actor)
    let reading: ListReading | undefined
    const input = () => {
      reading = readList(query, actor, typeof holderId === 'string' ? holderId : id)
      return reading.input
    }
    const holder = holderId === null ? {} : { holderId }
    const { vocabulary } = version
    let body: string
    try {
      const answer = await runner.list({
        source: endpoint,
        vocabulary,
        actor,
        ...holder,
        input,
        requestTime,
        lists: [],
        deadline: exchange,
        size,
      })
      body = listBody(answer, reading!.page, cursorForm)
      size.finish(body)
    } catch (error) {
      throw tooLargeOr(error, exchange, reading?.page.size)
    }
    return readReply(
      body,
      { cacheControl: cacheControl(endpoint, actor, reading!.isOwn, reading!.isShared) },
      { ...version.headers(path), ...acceptQuery },
    )
  }
}

function listBody(answer: ListAnswer, page: RequestedPage, cursorForm: CursorForm): string {
  invariant(answer.json !== null, 'nothing that REST selects of a record can be refused')
  return pageBody(answer.json, answer, page, cursorForm)
}

/** A page of printed records with `meta`. */
export function pageBody(
  json: string,
  { hasNext, hasPrevious, nextCursor, previousCursor, total }: Omit<ListAnswer, 'json' | 'count' | 'errors'>,
  page: RequestedPage,
  cursorForm: CursorForm,
): string {
  if (page.mode === 'cursor') {
    const flat = { ...(nextCursor === null ? {} : { next_cursor: nextCursor }), has_more: hasNext }
    return cursorForm === 'flat'
      ? `{"data":${json},${JSON.stringify(flat).slice(1)}`
      : enveloped(json, { next_cursor: nextCursor, prev_cursor: previousCursor, has_next: hasNext })
  }
  return enveloped(json, {
    page: page.page,
    per_page: page.size,
    // Counting stops at the paging limit. (contract 4.4.15)
    ...(total === null ? {} : { total, total_pages: Math.ceil(total / page.size) }),
    has_next: hasNext,
    has_prev: hasPrevious,
  })
}

/**
 * The ETag of a record. `ownId`: set for an address that may name another record for another caller, or later. (contract 4.11.4,
 * 4.11.5)
 */
export const tagOf = (version: number, body: string, ownId: string | null): string =>
  ownId === null ? recordETag(version, body) : ownETag(version, body, ownId)

export const enveloped = (json: string, meta: object): string => `{"data":${json},"meta":${JSON.stringify(meta)}}`

/** REST's own code for an answer that is too large, with advice. `size`: page size of a list. (contract 8.4.6) */
export function tooLargeOr(thrown: unknown, { size: { failure }, query }: Exchange, size?: number): unknown {
  if (thrown !== failure || failure?.code !== 'QUERY_TOO_COMPLEX') return thrown
  if (size === undefined) return new Failure('VALIDATION_ERROR', { message: failure.message })
  const field = new URLSearchParams(query).has('per_page') ? 'per_page' : 'limit'
  const message = `${failure.message} Request fewer than ${size} records.`
  return new Failure('VALIDATION_ERROR', { details: [{ field, message }] })
}
