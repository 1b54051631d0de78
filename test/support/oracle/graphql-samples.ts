// A valid question for any field of a schema, made from its types alone.

import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'

type Field = GraphQLField<unknown, unknown>

/** `post(id: "x") { id }`: the field with every argument that it needs, and as little of its answer as there can be. */
export function sampleOf(field: Field, id: string): string {
  const needed = field.args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
  const args = needed.map(({ name, type }) => `${name}: ${name === 'id' ? JSON.stringify(id) : literalOf(type)}`)
  return `${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${selectionOf(field.type)}`
}

/** The fields of a type that are no records and need no arguments, as a selection. */
export function plainFieldsOf(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => !isCompositeType(getNamedType(field.type)) && field.args.length === 0)
}

function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type)
  if (!isCompositeType(named)) return ''
  if (isUnionType(named)) return ' { __typename ... on UnauthorizedError { code } }'
  const fields = isObjectType(named) ? named.getFields() : {}
  return fields['nodes'] === undefined ? ' { __typename }' : ' { nodes { __typename } }'
}

function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType)
  if (isListType(type)) return `[${literalOf(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter((each) => isNonNullType(each.type))
    return `{ ${needed.map((each) => `${each.name}: ${literalOf(each.type)}`).join(', ')} }`
  }
  const samples: Readonly<Record<string, string>> = { Int: '1', Boolean: 'true', JSON: '{}' }
  return samples[type.toString()] ?? '"x"'
}
