// GET /orders/summary. (contract 12.2)

import type { SummaryInput } from '../action/call.ts'
import { groupOrder, groups, type SummaryNames, summaryNames } from '../action/question/parameter/groups.ts'
import { narrowing, readNarrowing } from '../action/question/parameter/narrowing.ts'
import { textNames } from '../action/question/parameter/parameter.ts'
import { zone } from '../action/question/parameter/time-zone.ts'
import { isShared, measuredBy, type SummaryQuestion, SummaryRequest } from '../action/question/summary-request.ts'
import type { Detail } from '../failure/failure.ts'
import { listParameters, readQuery, requireKnown } from '../http/message/query.ts'
import type { GroupPart } from '../read-plan/selection.ts'
import type { Requester } from '../resource/actor.ts'
import type { SortModel, SummaryModel } from '../resource/model/model.ts'
import { pageRequest, readPage } from './query/page.ts'
import { acceptQuery } from './query/query-method.ts'
import { type Handle, pageBody, type ReadDependencies, tooLargeOr } from './read.ts'
import { cacheControl } from './route/caching.ts'
import { readReply } from './route/respond.ts'
import type { ResourceEndpoint } from './route/routes.ts'

interface SummaryReading {
  readonly input: SummaryInput
  readonly question: SummaryQuestion
  readonly isPrivate: boolean
}

export function summaryHandle(endpoint: ResourceEndpoint, dependencies: ReadDependencies): Handle {
  const { runner, cursorForm } = dependencies
  const { resource, version } = endpoint
  const { vocabulary } = version
  const read = createReader(endpoint, dependencies)
  return async (exchange, actor) => {
    const { query, path, now: requestTime, size } = exchange
    let reading: SummaryReading | undefined
    const input = () => {
      reading = read(query, actor)
      return reading.input
    }
    let body: string
    try {
      const answer = await runner.summary({ resource, vocabulary, actor, input, requestTime, deadline: exchange, size })
      const { page } = reading!.question
      const mode = { mode: 'cursor', cursor: null, size: page.size } as const
      body = pageBody(answer.json!, { ...answer, total: null }, mode, cursorForm)
      size.finish(body)
    } catch (error) {
      throw tooLargeOr(error, exchange, reading?.question.page.size)
    }
    const { question, isPrivate } = reading!
    const control = cacheControl(endpoint, actor, isPrivate, isShared(question))
    return readReply(body, { cacheControl: control }, { ...version.headers(path), ...acceptQuery })
  }
}

type Read = (query: string, actor: Requester) => SummaryReading

function createReader(endpoint: ResourceEndpoint, dependencies: ReadDependencies): Read {
  const { resource, version } = endpoint
  const { limits, roots } = dependencies
  const { vocabulary } = version
  const context = { ...dependencies, vocabulary, form: 'text' } as const
  const kinds = [groups, zone, groupOrder, ...narrowing]
  const names = new Set([...textNames(kinds, endpoint, vocabulary), 'limit', 'cursor'])
  const { of } = summaryNames(resource, vocabulary)
  const own = totals(resource.summary!, { of })
  const parts = measuredBy(own)
  const place = `${version.name}//${resource.path}/summary`

  return (query, actor) => {
    const problems: Detail[] = []
    const parameters = readQuery(query, problems, listParameters)
    requireKnown(parameters, (name) => names.has(name), problems)
    const sent = (name: string) => (names.has(name) ? parameters.get(name) : undefined)
    const groupings = groups.read(sent, endpoint, context, problems)
    const sort = groupOrder.read(sent, { resource, groups: groupings }, context, problems)
    const narrowed = readNarrowing(sent, endpoint, context, problems)
    const clocks = zone.read(sent, endpoint, context, problems)
    const isSound = problems.length === 0
    const { cursor, size } = { cursor: null, ...readPage(parameters, limits, problems) }
    const page = pageRequest({ mode: 'cursor', cursor, size })
    const question = { resource, groups: groupings, zone: clocks, parts, ...narrowed, sort, page, isSound }
    const request = new SummaryRequest(question, context)
    const bound = request.bind(actor, { list: ['rest', place], args: [] }, problems)
    const { isPrivate } = bound
    if (problems.length > 0)
      return { question, isPrivate, input: { problems, filters: narrowed.filters.map(({ filter }) => filter) } }
    const shape = roots.get(`${place}|${bound.key}`, () => {
      const keys = groupings.map(({ group: path }): GroupPart => ({ kind: 'group', key: of(path), path }))
      return { ...bound.shape, parts: { as: 'array', of: [...keys, ...own] } as const }
    })
    return { question, isPrivate, input: { shape, list: bound.list, zone: bound.zone } }
  }
}

/** Everything but what it is grouped by. */
function totals({ measures, distinct }: SummaryModel, { of }: Pick<SummaryNames, 'of'>): readonly GroupPart[] {
  const named = (paths: Iterable<SortModel>) => [...paths].map((path) => ({ key: of(path), path }))
  const kinds = measures.size === 0 ? [] : (['sum', 'avg', 'min', 'max'] as const)
  return [
    { kind: 'count', key: 'count' },
    ...kinds.map((kind): GroupPart => ({ kind, key: kind, parts: named(measures.values()) })),
    ...(distinct.size === 0 ? [] : [{ kind: 'distinct', key: 'distinct', parts: named(distinct.values()) } as const]),
  ]
}
