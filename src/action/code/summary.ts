// Reads summaries of code: the groups and sums that a definition declares, in names of the definition. (contract 13.3.17)

import type { Detail } from '../../failure/failure.ts'
import type { GroupPart } from '../../read-plan/selection.ts'
import type { SummaryRoot } from '../../read-plan/summary.ts'
import type { Caller } from '../../resource/actor.ts'
import { decimalOf } from '../../resource/field/exact.ts'
import { readValue } from '../../resource/field/registry.ts'
import type { ResourceModel, SortModel, SummaryModel } from '../../resource/model/model.ts'
import type { SummaryInput } from '../call.ts'
import type { CodeSummary, SummaryReader } from '../code-face.ts'
import { groupOrder, groups } from '../question/parameter/groups.ts'
import { readNarrowing } from '../question/parameter/narrowing.ts'
import { zone } from '../question/parameter/time-zone.ts'
import { measuredBy, SummaryRequest } from '../question/summary-request.ts'
import { type ListDependencies, namesOf, readPage, requireNone } from './list.ts'

type Values = Readonly<Record<string, unknown>>

/** Null without a summary. */
export function createSummaryReader(
  resource: ResourceModel,
  { roots, textVocabulary, ...dependencies }: ListDependencies,
): SummaryReader | null {
  const { summary } = resource
  if (summary === null) return null
  const context = { ...dependencies, ...namesOf(textVocabulary), form: 'code' } as const
  const subject = { resource }
  const cursorNames = { list: ['program', resource.path, 'summary'], args: [] }

  function read(which: CodeSummary, actor: Caller): SummaryInput {
    const problems: Detail[] = []
    const mistakes: Detail[] = []
    const sent = (name: string) => which[name as keyof CodeSummary]
    const groupings = groups.read(sent, subject, context, mistakes)
    const sort = groupOrder.read(sent, { resource, groups: groupings }, context, mistakes)
    const own = totals(which.of ?? [], summary!, mistakes)
    const narrowed = readNarrowing(sent, subject, context, problems, mistakes)
    const clocks = zone.read(sent, subject, context, problems)
    const page = readPage(which, context.limits, problems, mistakes)
    requireNone(mistakes, resource)
    const isSound = problems.length === 0
    const question = {
      resource,
      groups: groupings,
      zone: clocks,
      parts: measuredBy(own),
      ...narrowed,
      sort,
      page,
      isSound,
    }
    const bound = new SummaryRequest(question, context).bind(actor, cursorNames, problems)
    if (problems.length > 0) return { problems, filters: narrowed.filters.map(({ filter }) => filter) }
    const keys = groupings.map(({ group: path }): GroupPart => ({ kind: 'group', key: path.name, path }))
    const shape = roots.get(`${resource.name} summary|${bound.key}`, () => ({
      ...bound.shape,
      parts: { as: 'array', of: [...keys, ...own] } as const,
    }))
    return { shape, list: bound.list, zone: bound.zone }
  }
  return { read, groups: readGroups }
}

function totals(of: readonly string[], { measures }: SummaryModel, mistakes: Detail[]): readonly GroupPart[] {
  const paths = of.flatMap((name) => {
    const path = measures.get(name)
    if (path === undefined)
      mistakes.push({ field: 'of', message: `Cannot add up ${name}; only ${[...measures.keys()].join(', ')}.` })
    return path === undefined ? [] : [{ key: name, path }]
  })
  const kinds = paths.length === 0 ? [] : (['sum', 'avg', 'min', 'max'] as const)
  return [{ kind: 'count', key: 'count' }, ...kinds.map((kind): GroupPart => ({ kind, key: kind, parts: paths }))]
}

/** From JSON to what callbacks see. */
function readGroups(json: string | null, { groups: uses, parts }: SummaryRoot): readonly Values[] {
  const of = parts.as === 'array' ? parts.of : []
  const rows = JSON.parse(json ?? '[]') as readonly Readonly<Record<string, unknown>>[]
  const valueIn = (part: GroupPart, value: unknown): unknown => {
    if (part.kind === 'group')
      return uses.find(({ path }) => path === part.path)!.unit === null
        ? readValue(part.path.column.spec, value)
        : value
    if (!('parts' in part)) return value
    const values = value as Values
    return Object.fromEntries(
      part.parts.map(({ key, path }) => [key, measured(part.kind, values[key] as string | null, path!)]),
    )
  }
  return rows.map((row) => Object.fromEntries(of.map((part) => [part.key, valueIn(part, row[part.key])])))
}

function measured(kind: string, value: string | null, { column }: SortModel): unknown {
  if (value === null) return null
  if (kind === 'avg') return decimalOf(value)
  return kind === 'sum' && column.type === 'integer' ? Number(value) : readValue(column.spec, value)
}
