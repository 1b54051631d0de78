// The deprecated parts of the schema that an operation uses. Its text is examined once; per request, only variables that can hold
// something deprecated. (contract 9.4.1)

import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql'
import type { WhereContext } from '../../action/question/where/read.ts'
import { namesInText } from '../../action/question/where/read-text.ts'
import type { Operation } from '../document/document.ts'
import { deprecationOf, deprecationsIn } from '../schema/deprecation.ts'
import type { Variables } from './field-collector.ts'
import type { Branch, ListSite, Tree, TreeField } from './tree.ts'

/** Schema coordinates, without repetition. */
export type ReadUses = (sent: Variables) => readonly string[]

type TextNames = Pick<WhereContext, 'vocabulary' | 'textVocabulary' | 'limits'>

const none: readonly string[] = []
const nothing: ReadUses = () => none

export function compileUses(
  tree: Tree,
  rootType: string,
  { node }: Operation,
  schema: GraphQLSchema,
  names: TextNames,
): ReadUses {
  if (deprecationsIn(schema).size === 0) return nothing
  const places = new Set<string>()
  const add = (place: string) => void places.add(place)
  for (const root of tree.roots) lookAtField(root, rootType, add)
  const definitions = node.variableDefinitions ?? []
  const variables = definitions.filter((each) => mayHold(inputTypeOf(each, schema), new Set()))
  const conditions = tree.lists.filter(takesText)
  if (variables.length === 0 && conditions.length === 0) {
    const fixed = places.size === 0 ? none : [...places]
    return () => fixed
  }
  const usual = Object.fromEntries(
    definitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  )
  return (sent) => {
    const all = new Set(places)
    const addAlso = (place: string) => void all.add(place)
    const values = { ...usual, ...sent }
    for (const each of variables) lookAtValue(values[each.variable.name.value], inputTypeOf(each, schema), addAlso)
    for (const site of conditions) lookAtText(site, values, names, addAlso)
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
    // A variable is examined with what was sent.
    lookAtValue(valueFromASTUntyped(value), argument.type, add)
  }
}

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

const takesText = ({ node, resource: { where } }: ListSite): boolean =>
  where !== null && (node.arguments ?? []).some(({ name }) => name.value === 'whereText' || name.value === 'input')

/** A condition as text has the names of the same condition as a tree. */
function lookAtText(
  { node, field, resource, pages }: ListSite,
  sent: Variables,
  { vocabulary, textVocabulary = vocabulary, limits }: TextNames,
  add: Add,
): void {
  const args = (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, sent)] as const)
  const inputs = Object.fromEntries(field.args.map(({ name, type }) => [name, type]))
  const values = Object.fromEntries(args)
  // A write by condition has it in its input.
  const isWrite = pages === 'none'
  const { whereText } = ((isWrite ? values['input'] : values) ?? {}) as Variables
  const where = isWrite ? membersOf(inputs['input'])?.getFields()['where']?.type : inputs['where']
  if (typeof whereText !== 'string') return
  for (const { path, value } of namesInText(whereText, resource.where!, { vocabulary: textVocabulary, limits })) {
    let type: GraphQLInputType | undefined = where
    for (const name of path) {
      const members = membersOf(type)
      // A relation has its own name in texts, or that of its id.
      const member = members?.getFields()[name] ?? members?.getFields()[`${name}Id`]
      if (member !== undefined && deprecationOf(member) !== undefined) add(`${members!.name}.${member.name}`)
      type = member?.type
    }
    const compared = membersOf(type)?.getFields()['eq']
    if (compared !== undefined) lookAtValue(value, compared.type, add)
  }
}

function membersOf(type: GraphQLInputType | undefined): GraphQLInputObjectType | undefined {
  const members = type === undefined ? undefined : getNamedType(type)
  if (!isInputObjectType(members)) return undefined
  const { some, and } = members.getFields()
  return some === undefined || and !== undefined ? members : membersOf(some.type)
}

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
