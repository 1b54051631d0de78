// Variables are coerced by graphql-js; problems are described in REST's sentences. (contract 7.3.8)

import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql'
import { type Detail, Failure } from '../../failure/failure.ts'
import { entryOf, Refusal } from '../error.ts'
import type { Variables } from './field-collector.ts'

export type VariableValues = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>

const none: VariableValues = { sources: {}, coerced: {} }

/** Throws a Refusal with VALIDATION_ERROR, with all problems in its details. `showsValues`: list the values of enums. */
export function coerceVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  sent: Variables,
  showsValues: boolean,
): VariableValues {
  if (definitions.length === 0) return none
  const { variableValues, errors } = getVariableValues(schema, definitions, sent, {
    hideSuggestions: true,
    maxErrors: 1,
  })
  if (errors === undefined) return variableValues!
  const details = definitions.flatMap((definition) => problemsOf(definition, schema, sent, showsValues))
  throw new Refusal([entryOf(new Failure('VALIDATION_ERROR', { details, message: 'The variables do not fit.' }))])
}

function problemsOf(
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  schema: GraphQLSchema,
  sent: Variables,
  showsValues: boolean,
): readonly Detail[] {
  const name = variable.name.value
  const type = typeFromAST(schema, typeNode) as GraphQLInputType
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined
  if (value === undefined && defaultValue !== undefined) return []
  const details: Detail[] = []
  // Relative to the input, without its own name. (contract 4.8.7)
  check(value, type, showsValues, (path, message) => {
    const isPart = path !== '' && !path.startsWith('[')
    details.push({ field: isPart ? path.slice(1) : `${name}${path}`, message })
  })
  return details
}

type Problem = (path: string, message: string) => void

/** Finds the problems in a value that graphql-js refused. */
function check(value: unknown, type: GraphQLInputType, showsValues: boolean, problem: Problem): void {
  if (isNonNullType(type)) {
    if (value === undefined) problem('', 'Is required.')
    else if (value === null) problem('', 'Must not be null.')
    else check(value, type.ofType, showsValues, problem)
  } else if (value === undefined || value === null) return
  else if (isListType(type)) checkList(value, type.ofType, showsValues, problem)
  else if (isInputObjectType(type)) checkObject(value, type, showsValues, problem)
  else {
    try {
      type.coerceInputValue(value, true)
    } catch {
      // graphql-js messages repeat the value sent.
      problem('', leafSentence(type, showsValues))
    }
  }
}

function checkList(value: unknown, of: GraphQLInputType, showsValues: boolean, problem: Problem): void {
  // A single value stands for a list of one. (GraphQL specification, "Input Coercion")
  if (!Array.isArray(value)) check(value, of, showsValues, problem)
  else {
    for (const [at, each] of value.entries()) {
      check(each, of, showsValues, (path, message) => problem(`[${at}]${path}`, message))
    }
  }
}

function checkObject(value: unknown, type: GraphQLInputObjectType, showsValues: boolean, problem: Problem): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problem('', 'Must be an object.')
    return
  }
  const fields = type.getFields()
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) problem(`.${name}`, 'There is no such field.')
  }
  for (const [name, field] of Object.entries(fields)) {
    const part = Object.hasOwn(value, name) ? (value as Variables)[name] : undefined
    check(part, field.type, showsValues, (path, message) => problem(`.${name}${path}`, message))
  }
}

function leafSentence(type: GraphQLInputType, showsValues: boolean): string {
  if (isEnumType(type)) {
    const names = type.getValues().map((each) => each.name)
    return showsValues ? `Must be one of ${names.join(', ')}.` : 'Is none of the values that it can have.'
  }
  return sentences[String(type)] ?? 'Does not fit.'
}

const sentences: Readonly<Record<string, string>> = {
  Int: 'Must be a whole number of 32 bits.',
  Float: 'Must be a number.',
  String: 'Must be text.',
  Boolean: 'Must be true or false.',
  ID: 'Must be an id.',
}
