// The GraphQL types of summaries: what groups are of, and what their numbers come to. (contract 12.2)

import {
  GraphQLEnumType,
  type GraphQLEnumValueConfig,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql'
import { type SummaryNames, summaryNames } from '../../action/summary-names.ts'
import type { Grouping, SummarySort } from '../../action/summary-request.ts'
import { defaultLimits } from '../../limits.ts'
import { pathWords } from '../../resource/about.ts'
import type { GroupModel, ResourceModel, SortModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, constant, uncapitalised, words } from '../../resource/naming/casing.ts'
import type { InputTypes } from './input-types.ts'
import { meaning, type SummaryMeaning } from './meaning.ts'
import { pageInfo, part, type RecordTypes } from './record-types.ts'
import { partType, type ValueTypes } from './value-types.ts'

export interface SchemaParts {
  readonly values: ValueTypes
  readonly vocabulary: Vocabulary
  readonly inputs: InputTypes
}
/** A value of the enum of orders. */
export interface SummarySortChoice extends SummarySort {
  readonly name: string
}

type Field = GraphQLFieldConfig<unknown, unknown>

/** `assignee.name` → `assigneeName`. */
export const graphqlSummaryNames = (resource: ResourceModel, vocabulary: Vocabulary): SummaryNames =>
  summaryNames(resource, vocabulary, ([first, ...rest]) => [first, ...rest.map(capitalised)].join(''))

/** `orderSummary(groupBy:, timeZone:, filter:, sort:, first:, …)`. */
export function summaryField(resource: ResourceModel, records: RecordTypes, parts: SchemaParts): [string, Field] {
  const { inputs, vocabulary } = parts
  const names = graphqlSummaryNames(resource, vocabulary)
  const { first, after, last, before } = records.connectionArguments(resource)
  const listOf = (type: GraphQLEnumType) => new GraphQLList(new GraphQLNonNull(type))
  const field = {
    type: new GraphQLNonNull(connectionType(resource, names, parts)),
    args: {
      groupBy: {
        type: listOf(groupEnum(resource, names)),
        description: `What the ${words(resource.plural)} are grouped by, at most ${defaultLimits.groupKeys}; without it all of them are one group.`,
      },
      timeZone: {
        type: GraphQLString,
        description: 'The time zone of calendar units, by its name in the IANA database; UTC without it.',
      },
      ...inputs.filtering(resource),
      sort: {
        type: listOf(sortEnum(resource, names)),
        description: 'The order of the groups; that of groupBy without it.',
      },
      first: first!,
      after: after!,
      last: last!,
      before: before!,
    },
    description: `What the ${words(resource.plural)} that you may read come to, by groups.`,
    ...meaning({ is: 'summary', resource }),
  }
  return [`${uncapitalised(resource.name)}Summary`, field]
}

function groupEnum({ name, plural }: ResourceModel, { groups }: SummaryNames): GraphQLEnumType {
  const values = [...groups].flatMap(([key, group]): [string, GraphQLEnumValueConfig][] => {
    const about = `By ${pathWords(group)}`
    if (group.units.length === 0) {
      const value: Grouping = { group, unit: null }
      return [[constant(key), { value, description: `${about}.` }]]
    }
    return group.units.map((unit) => {
      const value: Grouping = { group, unit }
      return [`${constant(key)}_${unit.toUpperCase()}`, { value, description: `${about}, by the ${unit}.` }]
    })
  })
  const description = `What ${words(plural)} can be grouped by.`
  return new GraphQLEnumType({ name: `${name}Group`, description, values: Object.fromEntries(values) })
}

function sortEnum({ name, plural }: ResourceModel, { groups, measures }: SummaryNames): GraphQLEnumType {
  const all: readonly (readonly [key: string, by: SummarySort['by'], about: string])[] = [
    ...[...groups].map(([key, group]) => [constant(key), { group }, pathWords(group)] as const),
    ['COUNT', 'count', 'how many there are'],
    ...[...measures].map(([key, sum]) => [`SUM_${constant(key)}`, { sum }, `the sum of ${pathWords(sum)}`] as const),
  ]
  const values = all.flatMap(([key, by, about]) =>
    [false, true].map((descending) => {
      const word = `${key}_${descending ? 'DESC' : 'ASC'}`
      const value: SummarySortChoice = { name: word, by, descending }
      return [word, { value, description: `By ${about}, ${descending ? 'descending' : 'ascending'}.` }] as const
    }),
  )
  const description = `What groups of ${words(plural)} can be sorted by.`
  return new GraphQLEnumType({ name: `${name}SummarySort`, description, values: Object.fromEntries(values) })
}

function connectionType(resource: ResourceModel, names: SummaryNames, parts: SchemaParts): GraphQLObjectType {
  const { name } = resource
  const plural = words(resource.plural)
  const group = new GraphQLNonNull(groupType(resource, names, parts))
  const cursor = 'Where it stands: pages begin behind it or end before it; null where all is one group.'
  const edge = new GraphQLObjectType({
    name: `${name}SummaryEdge`,
    description: `A group of ${plural} in a page.`,
    fields: { node: part('node', group, 'The group.'), cursor: part('cursor', GraphQLString, cursor) },
  })
  const list = (type: GraphQLOutputType) => new GraphQLNonNull(new GraphQLList(type))
  return new GraphQLObjectType({
    name: `${name}SummaryConnection`,
    description: `A page of groups of ${plural}.`,
    fields: {
      edges: part('edges', list(new GraphQLNonNull(edge)), 'The groups of the page, each with its cursor.'),
      nodes: part('nodes', list(group), 'The groups of the page.'),
      pageInfo: part('pageInfo', new GraphQLNonNull(pageInfo), 'What there is before and behind the page.'),
    },
  })
}

const summaryPart = (type: GraphQLOutputType, description: string, is: SummaryMeaning): Field => ({
  type,
  description,
  ...meaning(is),
})

function groupType(resource: ResourceModel, names: SummaryNames, { values }: SchemaParts): GraphQLObjectType {
  const { name, summary } = resource
  const plural = words(resource.plural)
  const fields: Record<string, Field> = {}
  for (const [key, group] of names.groups) {
    const about = `${capitalised(pathWords(group))}${group.units.length === 0 ? '' : ', by the name of its unit'}; null where there is none, you may not see it, or it is not grouped by.`
    fields[key] = summaryPart(groupValueType(group, values), about, { is: 'group', path: group })
  }
  const whole = new GraphQLNonNull(GraphQLInt)
  fields['count'] = summaryPart(whole, `How many ${plural} it has.`, { is: 'count' })
  const measures = [...summary!.measures.values()]
  if (measures.length > 0) {
    const exact = values.output({ kind: 'decimal' }, '')
    const of = (type: (path: SortModel) => GraphQLOutputType) =>
      Object.fromEntries(
        measures.map((path) => [
          names.of(path),
          summaryPart(type(path), `Of the ${pathWords(path)}; null for none.`, { is: 'measure', path }),
        ]),
      )
    const sums = new GraphQLNonNull(
      new GraphQLObjectType({
        name: `${name}Sums`,
        description: `Numbers of ${plural}, exactly.`,
        fields: of(() => exact),
      }),
    )
    const own = new GraphQLNonNull(
      new GraphQLObjectType({
        name: `${name}Extremes`,
        description: `Numbers of ${plural}.`,
        fields: of((path) => ownType(path, values)),
      }),
    )
    fields['sum'] = summaryPart(sums, 'What they add up to.', { is: 'sum' })
    fields['avg'] = summaryPart(sums, 'Their average, with six more digits.', { is: 'avg' })
    fields['min'] = summaryPart(own, 'The least of them.', { is: 'min' })
    fields['max'] = summaryPart(own, 'The greatest of them.', { is: 'max' })
  }
  if (summary!.distinct.size > 0) {
    const each = [...summary!.distinct.values()].map((path) => [
      names.of(path),
      summaryPart(whole, `Of the ${pathWords(path)}.`, { is: 'difference', path }),
    ])
    const description = `How many different values there are of ${plural}.`
    const type = new GraphQLObjectType({ name: `${name}Differences`, description, fields: Object.fromEntries(each) })
    fields['distinct'] = summaryPart(new GraphQLNonNull(type), description, { is: 'distinct' })
  }
  const description = `A group of ${plural}: what it is of, and what they come to.`
  return new GraphQLObjectType({ name: `${name}Summary`, description, fields })
}

const groupValueType = (group: GroupModel, values: ValueTypes): GraphQLOutputType =>
  group.units.length > 0 ? GraphQLString : ownType(group, values)

const ownType = ({ column, resource }: SortModel, values: ValueTypes): GraphQLOutputType =>
  values.output(column.spec, partType(resource.name, column.field))
