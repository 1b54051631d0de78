// Compiles the arguments of a field once; variables are coerced per request, and older names become current ones. (contract 9.2.3)

import {
  type ASTNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  visit,
} from 'graphql'
import type { Detail } from '../../failure/failure.ts'
import { currentNameOf, isNeededByAnyName } from '../schema/schema-names.ts'
import type { Variables } from './field-collector.ts'
import type { VariableValues } from './variables.ts'

/** With current names. */
export interface Arguments {
  readonly values: Variables
  /** Values sent under several names, or required and missing. */
  readonly problems: readonly Detail[]
  /** The path as sent, for a current path relative to the input. */
  sentPath(path: string): string
}
export const noArguments: Arguments = { values: {}, problems: [], sentPath: (path) => path }

export type ReadArguments = (variables: VariableValues) => Arguments

export function readerOf(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const rename = renamingOf(field.args)
  const read = (variables?: VariableValues): Arguments => {
    const values = getArgumentValues(field, node, variables, undefined, true)
    return rename === null ? { ...noArguments, values } : rename(values)
  }
  if (hasVariables(node)) return read
  const constant = read()
  return () => constant
}

const hasVariables = ({ arguments: args = [] }: FieldNode): boolean => args.flatMap(variablesIn).length > 0

export function variablesIn(node: ASTNode): readonly string[] {
  const names: string[] = []
  visit(node, {
    [Kind.VARIABLE]({ name }) {
      names.push(name.value)
    },
  })
  return names
}

/** Null if no argument can have an older name. */
function renamingOf(args: readonly GraphQLArgument[]): ((values: Variables) => Arguments) | null {
  if (!args.some((each) => mayBeRenamed(each, new Set()))) return null
  return (values) => {
    const renaming = new Renaming()
    return { values: renaming.members(values, args, root), problems: renaming.problems, sentPath: renaming.sentPath }
  }
}

type Part = GraphQLArgument | GraphQLInputField

function mayBeRenamed(part: Part, visitedTypes: Set<string>): boolean {
  if (currentNameOf(part) !== undefined || isNeededByAnyName(part)) return true
  const type = getNamedType(part.type)
  if (!isInputObjectType(type) || visitedTypes.has(type.name)) return false
  visitedTypes.add(type.name)
  return Object.values(type.getFields()).some((each) => mayBeRenamed(each, visitedTypes))
}

interface Place {
  readonly current: string
  readonly sent: string
}
const root: Place = { current: '', sent: '' }

class Renaming {
  readonly problems: Detail[] = []
  readonly #sentPaths = new Map<string, string>()

  members(values: Variables, parts: readonly Part[], place: Place): Variables {
    const renamed: Record<string, unknown> = {}
    for (const part of parts) {
      const { name } = part
      if (!Object.hasOwn(values, name)) continue
      const current = currentNameOf(part) ?? name
      // Relative to the input. (contract 4.8.7)
      const inner = place === root && name === 'input' ? root : below(place, current, name)
      if (Object.hasOwn(renamed, current)) {
        this.problems.push({ field: inner.sent, message: `Send either this or ${current}.` })
        continue
      }
      if (current !== name) this.#sentPaths.set(inner.current, inner.sent)
      renamed[current] = this.#value(values[name], part.type, inner)
    }
    for (const part of parts)
      if (isNeededByAnyName(part) && renamed[part.name] == null)
        this.problems.push({ field: below(place, part.name, part.name).sent, message: 'Is required.' })
    return renamed
  }

  #value(value: unknown, type: GraphQLInputType, place: Place): unknown {
    if (value === null || value === undefined) return value
    const nullable = getNullableType(type)
    if (isListType(nullable) && Array.isArray(value))
      return value.map((each, index) => this.#value(each, nullable.ofType, element(place, index)))
    if (!isInputObjectType(nullable)) return value
    return this.members(value as Variables, Object.values(nullable.getFields()), place)
  }

  /** Uses the longest renamed prefix. */
  readonly sentPath = (path: string): string => {
    for (
      let end = path.length;
      end > 0;
      end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
    ) {
      const sent = this.#sentPaths.get(path.slice(0, end))
      if (sent !== undefined) return `${sent}${path.slice(end)}`
    }
    return path
  }
}

const below = ({ current, sent }: Place, name: string, sentName: string): Place =>
  current === '' ? { current: name, sent: sentName } : { current: `${current}.${name}`, sent: `${sent}.${sentName}` }

const element = ({ current, sent }: Place, index: number): Place => ({
  current: `${current}[${index}]`,
  sent: `${sent}[${index}]`,
})
