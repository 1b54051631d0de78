// GET /orders/summary: how many records there are of each group, and what their numbers come to. (contract 12.2)

import type { SummaryInput } from '../action/call.ts'
import { readSearchText } from '../action/list-search.ts'
import { notZone, readGroups, readSummarySort, type SummaryNames, summaryNames } from '../action/summary-names.ts'
import {
  allMeasurements,
  isShared,
  type SummaryQuestion,
  SummaryRequest,
  wholeSummary,
} from '../action/summary-request.ts'
import { type TimeZone, timeZone, utc } from '../action/time-zone.ts'
import { readWhere } from '../action/where/read.ts'
import type { Detail } from '../failure/failure.ts'
import { type Parameters, readQuery, requireKnown } from '../http/message/query.ts'
import type { SummaryGroup } from '../read-plan/summary.ts'
import type { Requester } from '../resource/actor.ts'
import { cacheControl } from './caching.ts'
import { filterNames, readFilters } from './filter.ts'
import { pageRequest, readPage } from './page.ts'
import { type Handle, pageBody, type ReadDependencies } from './read.ts'
import { readReply } from './respond.ts'
import type { ResourceEndpoint } from './routes.ts'
import { tooLargeOr } from './too-large.ts'

/** What a summary is asked with beside filters. */
export const summaryParameters: readonly string[] = ['group_by', 'time_zone', 'sort', 'limit', 'cursor']

interface SummaryReading {
  readonly input: SummaryInput
  readonly question: SummaryQuestion
}

export function summaryHandle(endpoint: ResourceEndpoint, dependencies: ReadDependencies): Handle {
  const { runner, cursorForm } = dependencies
  const { resource, version } = endpoint
  const { vocabulary } = version
  const names = summaryNames(resource, vocabulary)
  const read = createReader(endpoint, names, dependencies)
  return async (exchange, actor) => {
    const { query, path, headers, now: requestTime, size } = exchange
    let reading: SummaryReading | undefined
    const input = () => {
      reading = read(query, actor)
      return reading.input
    }
    let body: string
    try {
      const answer = await runner.summary({ resource, vocabulary, actor, input, requestTime, deadline: exchange, size })
      const { page } = reading!.question
      const json = `[${answer.groups.map((each) => groupJson(each, reading!.question, names)).join(',')}]`
      const mode = { mode: 'cursor', cursor: null, size: page.size } as const
      body = pageBody(json, { ...answer, total: null }, mode, cursorForm)
      size.finish(body)
    } catch (error) {
      throw tooLargeOr(error, exchange, reading?.question.page.size)
    }
    const { question } = reading!
    const control = cacheControl(endpoint, actor, question.where != null || question.search != null, isShared(question))
    return readReply(body, { cacheControl: control }, headers['if-none-match'], version.headers(path))
  }
}

type Read = (query: string, actor: Requester) => SummaryReading

function createReader(
  { resource, version }: ResourceEndpoint,
  names: SummaryNames,
  dependencies: ReadDependencies,
): Read {
  const { limits, roots } = dependencies
  const { vocabulary } = version
  const filters = filterNames(resource, vocabulary)
  const narrowingNames = [...(resource.where === null ? [] : ['where']), ...(resource.search === null ? [] : ['q'])]
  const parameterNames = new Set([...summaryParameters, ...narrowingNames, ...filters.keys()])
  const parts = wholeSummary(resource.summary!)
  const place = `${version.name}//${resource.path}/summary`

  return (query, actor) => {
    const problems: Detail[] = []
    const parameters = readQuery(query, problems)
    requireKnown(parameters, (name) => parameterNames.has(name), problems)
    const groups = readGroups(listed(parameters.get('group_by')), names, 'group_by', problems)
    const sortNames = listed(parameters.get('sort'))
    const sort = sortNames.length === 0 ? null : readSummarySort(sortNames, names, groups, problems)
    const narrowings = readFilters(parameters, filters, vocabulary, problems)
    const text = resource.where === null ? undefined : parameters.get('where') || undefined
    const sent = { is: 'text', sent: text, parameter: 'where' } as const
    const where = readWhere(sent, resource, { ...dependencies, vocabulary, textVocabulary: vocabulary }, problems)
    const tell = (message: string) => void problems.push({ field: 'q', message })
    const search = resource.search === null ? null : readSearchText(parameters.get('q'), resource, limits, tell)
    const zone = readZone(parameters, problems)
    const isSound = problems.length === 0
    const { cursor, size } = { cursor: null, ...readPage(parameters, limits, problems) }
    const page = pageRequest({ mode: 'cursor', cursor, size })
    const question = { resource, groups, zone, parts, filters: narrowings, where, search, sort, page, isSound }
    const request = new SummaryRequest(question, { ...dependencies, vocabulary })
    const bound = request.bind(actor, { list: ['rest', place], args: [] }, problems)
    if (problems.length > 0) return { question, input: { problems, filters: narrowings.map(({ filter }) => filter) } }
    const shape = roots.get(`${place}|${bound.key}`, () => bound.shape)
    return { question, input: { shape, list: bound.list, zone: bound.zone } }
  }
}

const listed = (text: string | undefined): readonly string[] =>
  text === undefined || text === '' ? [] : text.split(',')

function readZone(parameters: Parameters, problems: Detail[]): TimeZone {
  const name = parameters.get('time_zone') || 'UTC'
  const zone = timeZone(name)
  if (zone === null) problems.push({ field: 'time_zone', message: notZone })
  return zone ?? utc
}

function groupJson(
  { keys, count, measures, distinct }: SummaryGroup,
  { groups, parts }: SummaryQuestion,
  { of }: SummaryNames,
): string {
  const members = groups.map(({ group }, index) => `"${of(group)}":${keys[index]}`)
  members.push(`"count":${count}`)
  if (parts.measures.length > 0)
    for (const each of allMeasurements) {
      const values = parts.measures.map(({ path }, index) => `"${of(path)}":${measures[index]![each]}`)
      members.push(`"${each}":{${values.join(',')}}`)
    }
  if (parts.distinct.length > 0) {
    const values = parts.distinct.map((path, index) => `"${of(path)}":${distinct[index]}`)
    members.push(`"distinct":{${values.join(',')}}`)
  }
  return `{${members.join(',')}}`
}
