// Which deprecated parts of the schema an operation uses. What its text says is known once it is compiled; only variables
// that could hold something deprecated are looked at again with every request. (contract 9.4.1)

import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql'
import type { Operation } from '../document/document.ts'
import { deprecationOf, deprecationsIn } from '../schema/deprecation.ts'
import type { Variables } from './field-collector.ts'
import type { Branch, Tree, TreeField } from './tree.ts'

/** The places of what is used, each once. */
export type ReadUses = (sent: Variables) => readonly string[]

const none: readonly string[] = []
const nothing: ReadUses = () => none

/** Works out what can be known without variables; answers what looks at the rest. */
export function compileUses(tree: Tree, rootType: string, { node }: Operation, schema: GraphQLSchema): ReadUses {
  if (deprecationsIn(schema).size === 0) return nothing
  const places = new Set<string>()
  const add = (place: string) => void places.add(place)
  for (const root of tree.roots) lookAtField(root, rootType, add)
  const variables = (node.variableDefinitions ?? []).filter((each) => mayHold(inputTypeOf(each, schema), new Set()))
  if (variables.length === 0) {
    const fixed = places.size === 0 ? none : [...places]
    return () => fixed
  }
  return (sent) => {
    const all = new Set(places)
    for (const each of variables) {
      lookAtValue(sent[each.variable.name.value], inputTypeOf(each, schema), (place) => void all.add(place))
    }
    return [...all]
  }
}

type Add = (place: string) => void

const inputTypeOf = ({ type }: VariableDefinitionNode, schema: GraphQLSchema) =>
  typeFromAST(schema, type) as GraphQLInputType

function lookAtField({ field, nodes, below }: TreeField, holder: string, add: Add): void {
  const place = `${holder}.${field.name}`
  if (deprecationOf(field) !== undefined) add(place)
  for (const node of nodes.slice(0, 1)) lookAtArguments(node, field, place, add)
  for (const { type, fields } of below as readonly Branch[])
    for (const each of fields) lookAtField(each, type.name, add)
}

function lookAtArguments(
  { arguments: argumentNodes = [] }: FieldNode,
  { args }: GraphQLField<unknown, unknown>,
  place: string,
  add: Add,
): void {
  for (const { name, value } of argumentNodes) {
    const argument = args.find((each) => each.name === name.value)!
    if (deprecationOf(argument) !== undefined) add(`${place}(${argument.name}:)`)
    lookAtLiteral(value, argument.type, add)
  }
}

function lookAtLiteral(value: ValueNode, type: GraphQLInputType, add: Add): void {
  if (isNonNullType(type)) lookAtLiteral(value, type.ofType, add)
  else if (isListType(type)) {
    for (const each of value.kind === Kind.LIST ? value.values : [value]) lookAtLiteral(each, type.ofType, add)
  } else if (isEnumType(type) && value.kind === Kind.ENUM) {
    const chosen = type.getValue(value.value)
    if (chosen !== undefined && chosen !== null && deprecationOf(chosen) !== undefined)
      add(`${type.name}.${value.value}`)
  } else if (isInputObjectType(type) && value.kind === Kind.OBJECT) {
    for (const { name, value: part } of value.fields) {
      const field = type.getFields()[name.value]!
      if (deprecationOf(field) !== undefined) add(`${type.name}.${field.name}`)
      lookAtLiteral(part, field.type, add)
    }
  }
}

/** A variable as it was sent, known to fit its type. */
function lookAtValue(value: unknown, type: GraphQLInputType, add: Add): void {
  if (value === undefined || value === null) return
  if (isNonNullType(type)) lookAtValue(value, type.ofType, add)
  else if (isListType(type)) for (const each of [value].flat()) lookAtValue(each, type.ofType, add)
  else if (isEnumType(type)) {
    const chosen = type.getValue(String(value))
    if (chosen !== undefined && chosen !== null && deprecationOf(chosen) !== undefined)
      add(`${type.name}.${chosen.name}`)
  } else if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      if (!Object.hasOwn(value as object, field.name)) continue
      if (deprecationOf(field) !== undefined) add(`${type.name}.${field.name}`)
      lookAtValue((value as Variables)[field.name], field.type, add)
    }
  }
}

/** Whether a value of this type could use something deprecated. */
function mayHold(type: GraphQLInputType, visitedTypes: Set<string>): boolean {
  const valueType = getNamedType(type)
  if (visitedTypes.has(valueType.name)) return false
  visitedTypes.add(valueType.name)
  if (isEnumType(valueType)) return valueType.getValues().some((each) => deprecationOf(each) !== undefined)
  if (!isInputObjectType(valueType)) return false
  return Object.values(valueType.getFields()).some(
    (each) => deprecationOf(each) !== undefined || mayHold(each.type, visitedTypes),
  )
}
