// The types of groups and their measures. (contract 12.2)

import {
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql'
import { groupOrder, groups } from '../../action/question/parameter/groups.ts'
import { narrowing } from '../../action/question/parameter/narrowing.ts'
import { zone } from '../../action/question/parameter/time-zone.ts'
import { pathWords } from '../../resource/about.ts'
import type { GroupModel, ResourceModel, SortModel } from '../../resource/model/model.ts'
import { deprecationOfPath } from '../../resource/model/path-deprecation.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, uncapitalised, words } from '../../resource/naming/casing.ts'
import type { ArgumentTypes } from './argument-types.ts'
import { leaving } from './deprecation.ts'
import type { InputTypes } from './input-types.ts'
import { type Field, makeField } from './meaning.ts'
import { pageInfoField, type RecordTypes } from './record-types.ts'
import type { SchemaNames } from './schema-names.ts'
import { partType, type ValueTypes } from './value-types.ts'

export interface SchemaParts {
  readonly values: ValueTypes
  readonly names: SchemaNames
  readonly inputs: InputTypes
  readonly args: ArgumentTypes
}

/** `orderSummary(groupBy:, timeZone:, filter:, sort:, first:, …)`. */
export function summaryField(resource: ResourceModel, records: RecordTypes, parts: SchemaParts): [string, Field] {
  const { first, after, last, before } = records.connectionArguments(resource)
  const page = { first: first!, after: after!, last: last!, before: before! }
  const args = { ...parts.args.of([groups, zone, ...narrowing, groupOrder], { resource }), ...page }
  const type = new GraphQLNonNull(connectionType(resource, parts))
  const description = `The ${words(resource.plural)} that you may read, totalled by group.`
  const field = makeField(type, description, { is: 'summary', resource }, args)
  return [`${uncapitalised(resource.graphql.name)}Summary`, field]
}

function connectionType(resource: ResourceModel, parts: SchemaParts): GraphQLObjectType {
  const { name } = resource.graphql
  const plural = words(resource.plural)
  const group = new GraphQLNonNull(groupType(resource, parts))
  const cursor = 'Its position: a page begins after it or ends before it; null if all is one group.'
  const edge = new GraphQLObjectType({
    name: `${name}SummaryEdge`,
    description: `A group of ${plural} in a page.`,
    fields: {
      node: makeField(group, 'The group.', { is: 'node' }),
      cursor: makeField(GraphQLString, cursor, { is: 'cursor' }),
    },
  })
  const list = (type: GraphQLOutputType) => new GraphQLNonNull(new GraphQLList(type))
  return new GraphQLObjectType({
    name: `${name}SummaryConnection`,
    description: `A page of groups of ${plural}.`,
    fields: {
      edges: makeField(list(new GraphQLNonNull(edge)), 'The groups of the page, each with its cursor.', {
        is: 'edges',
      }),
      nodes: makeField(list(group), 'The groups of the page.', { is: 'nodes' }),
      pageInfo: pageInfoField,
    },
  })
}

function groupType(resource: ResourceModel, { values, names }: SchemaParts): GraphQLObjectType {
  const { summary } = resource
  const { name } = resource.graphql
  const plural = words(resource.plural)
  const byPath = <P extends SortModel>(paths: Iterable<P>, partOf: (path: P, vocabulary: Vocabulary) => Field) =>
    names.parts(
      paths,
      (path, vocabulary) => vocabulary.joined(resource, path),
      (path, vocabulary) => leaving(partOf(path, vocabulary), deprecationOfPath(resource, path)),
    )
  const fields: Record<string, Field> = byPath(summary!.groups.values(), (group, vocabulary) => {
    const about = `${capitalised(pathWords(group))}${group.units.length === 0 ? '' : ', by the name of its unit'}; null where there is none, you may not see it, or it is not grouped by.`
    return makeField(groupValueType(group, values, vocabulary), about, { is: 'group', path: group })
  })
  const whole = new GraphQLNonNull(GraphQLInt)
  fields['count'] = makeField(whole, `How many ${plural} it has.`, { is: 'count' })
  const measures = [...summary!.measures.values()]
  if (measures.length > 0) {
    const exact = values.output({ kind: 'decimal' }, '')
    const of = (type: (path: SortModel, vocabulary: Vocabulary) => GraphQLOutputType) =>
      byPath(measures, (path, vocabulary) =>
        makeField(type(path, vocabulary), `Of the ${pathWords(path)}; null for none.`, { is: 'measure', path }),
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
        fields: of((path, vocabulary) => ownType(path, values, vocabulary)),
      }),
    )
    fields['sum'] = makeField(sums, 'What they add up to.', { is: 'sum' })
    fields['avg'] = makeField(sums, 'Their average, with six more digits.', { is: 'avg' })
    fields['min'] = makeField(own, 'The least of them.', { is: 'min' })
    fields['max'] = makeField(own, 'The greatest of them.', { is: 'max' })
  }
  if (summary!.distinct.size > 0) {
    const each = byPath(summary!.distinct.values(), (path) =>
      makeField(whole, `Of the ${pathWords(path)}.`, { is: 'difference', path }),
    )
    const description = `How many different values there are of ${plural}.`
    const type = new GraphQLObjectType({ name: `${name}Differences`, description, fields: each })
    fields['distinct'] = makeField(new GraphQLNonNull(type), description, { is: 'distinct' })
  }
  const description = `A group of ${plural}: its values and their totals.`
  return new GraphQLObjectType({ name: `${name}Summary`, description, fields })
}

const groupValueType = (group: GroupModel, values: ValueTypes, vocabulary: Vocabulary): GraphQLOutputType =>
  group.units.length > 0 ? GraphQLString : ownType(group, values, vocabulary)

const ownType = ({ column, resource }: SortModel, values: ValueTypes, { relation }: Vocabulary): GraphQLOutputType =>
  values.output(column.spec, partType(resource.graphql.name, relation(resource, column.field)))
