// An example operation for each action, with a useful selection.

import {
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { RouteDefinition } from '../../custom-route/definition.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import { meaningOf } from './meaning.ts'

const fieldsShown = 6
const levelsMax = 3

export interface RootField {
  readonly operation: 'query' | 'mutation'
  readonly field: GraphQLField<unknown, unknown>
}

const rootFields = (schema: GraphQLSchema): readonly RootField[] =>
  (
    [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
    ] as const
  ).flatMap(([operation, type]) => Object.values(type?.getFields() ?? {}).map((field) => ({ operation, field })))

/** The root field for each action on one record, or list. */
export function fieldsByAction(schema: GraphQLSchema): ReadonlyMap<ActionModel, RootField> {
  const fields = new Map<ActionModel, RootField>()
  for (const root of rootFields(schema)) {
    const meaning = meaningOf(root.field)
    if (meaning?.is === 'connection' && meaning.query === undefined)
      getOrInsert(fields, meaning.resource.read, () => root)
    if (meaning?.is === 'write' && (meaning.targets === 'one' || meaning.targets === 'collection'))
      fields.set(meaning.action, root)
  }
  return fields
}

/** The root field of each custom route that has one. */
export const fieldsByRoute = (schema: GraphQLSchema): ReadonlyMap<RouteDefinition, RootField> =>
  new Map(
    rootFields(schema).flatMap((root) => {
      const meaning = meaningOf(root.field)
      return meaning?.is === 'route' ? [[meaning.route, root] as const] : []
    }),
  )

/** By argument, in GraphQL's names. */
export type ExampleValues = Readonly<Record<string, unknown>>

/** `variables` is JSON. */
export interface ExampleOperation {
  readonly query: string
  readonly variables: string
}

export function exampleOperation({ operation, field }: RootField, values: ExampleValues): ExampleOperation {
  const used = field.args.filter((arg) => isRequiredArgument(arg) || arg.name in values)
  const declared = used.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ')
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ')
  const name = field.name[0]!.toUpperCase() + field.name.slice(1)
  return {
    query: [
      `${operation} ${name}${declared === '' ? '' : `(${declared})`} {`,
      ...indented([`${field.name}${passed === '' ? '' : `(${passed})`}${selection(field.type)}`]),
      '}',
    ].join('\n'),
    variables: JSON.stringify(Object.fromEntries(used.map(({ name }) => [name, values[name] ?? null])), null, 2),
  }
}

/** Empty for leaf types. */
function selection(type: GraphQLOutputType, level = 1): string {
  const namedType = getNamedType(type)
  if (isLeafType(namedType)) return ''
  if (!isObjectType(namedType)) return ' { __typename }'
  const open = Object.values(namedType.getFields()).filter(({ args }) => !args.some(isRequiredArgument))
  const nodes = open.find(({ name }) => name === 'nodes')
  if (nodes !== undefined && level < levelsMax) return block([`${nodes.name}${selection(nodes.type, level + 1)}`])
  const leaves = open.filter((each) => isLeafType(getNamedType(each.type)) && each.deprecationReason == null)
  if (leaves.length > 0) return block(leaves.slice(0, fieldsShown).map(({ name }) => name))
  const [object] = open
  const isShown = object !== undefined && level < levelsMax
  return block([isShown ? `${object.name}${selection(object.type, level + 1)}` : '__typename'])
}

const block = (lines: readonly string[]): string => ` {\n${indented(lines).join('\n')}\n}`
const indented = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`)
