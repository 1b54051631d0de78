// Compares two GraphQL schemas: graphql-js's verdicts, plus what it ignores. (contract 9.2.2, 9.3.1)

import {
  BreakingChangeType,
  buildSchema,
  DangerousChangeType,
  findSchemaChanges,
  type GraphQLSchema,
  isInputObjectType,
  resolveSchemaCoordinate,
} from 'graphql'
import { adds, breaks, type Judgement, type Report, surprises } from './change.ts'
import { neededWithout, type Part, partsOf, usedByDeprecated } from './older-name.ts'
import { comparePermission } from './permission.ts'

/** A removed field carries its place, by which uses are counted. */
export function compareSchemaTexts(before: string, after: string, report: Report): void {
  const [from, to] = [buildSchema(before), buildSchema(after)]
  for (const { type, description } of findSchemaChanges(from, to)) {
    if (type === 'DESCRIPTION_CHANGED') continue
    const removed = goneWith(type, description, from, to) ?? removedAt(type, description, from)
    const place = removedAt(type, description, from) ?? placeIn(description)
    const judgement =
      type in BreakingChangeType
        ? breaks(why[type] ?? 'A document that was valid is refused.', remedy[type] ?? staysDeprecated)
        : type in DangerousChangeType && type !== 'OPTIONAL_INPUT_FIELD_ADDED' && type !== 'OPTIONAL_ARG_ADDED'
          ? surprises(why[type] ?? 'A client may be answered what it does not expect.')
          : adds
    report({
      where: `GraphQL ${place}`,
      what: description,
      ...judgement,
      ...(removed === null ? {} : { removed }),
    })
  }
  compareAlternatives(from, to, report)
  compareNotes(from, to, report)
}

/** graphql-js compares no `@oneOf`. (contract 9.3.4) */
function compareAlternatives(before: GraphQLSchema, after: GraphQLSchema, report: Report): void {
  for (const was of Object.values(before.getTypeMap())) {
    const is = after.getType(was.name)
    if (!isInputObjectType(was) || !isInputObjectType(is) || was.isOneOf === is.isOneOf) continue
    const where = `GraphQL ${was.name}`
    if (!is.isOneOf) report({ where, what: 'It takes several of its fields at once now.', ...adds })
    else {
      const judgement = breaks('A document that sends several of its fields, or none, is refused.', newInput)
      report({ where, what: 'It takes exactly one of its fields now (@oneOf).', ...judgement })
    }
  }
}
const newInput = 'Leave it as it is, and make alternatives a new input.'

const staysDeprecated =
  'Keep it next to the new one, deprecated with a reason, until it has not been used for long enough.'
const why: Readonly<Record<string, string>> = {
  FIELD_REMOVED: 'A document that selects it is refused.',
  ARG_REMOVED: 'A document that sends it is refused.',
  VALUE_REMOVED_FROM_ENUM: 'A document that names it is refused.',
  REQUIRED_INPUT_FIELD_ADDED: 'A document without it is refused.',
  REQUIRED_ARG_ADDED: 'A document without it is refused.',
  ARG_DEFAULT_VALUE_CHANGE: 'Clients that omit it get something else.',
  INPUT_FIELD_DEFAULT_VALUE_CHANGE: 'Clients that omit it get something else.',
}
const remedy: Readonly<Record<string, string>> = {
  REQUIRED_INPUT_FIELD_ADDED: 'Make it optional.',
  REQUIRED_ARG_ADDED: 'Make it optional.',
}

/** The first place in the text: `Post.title`, `Query.posts(first:)`, `PostStatus`. */
function placeIn(description: string): string {
  return (
    /@?[A-Z_a-z]\w*(?:\.\w+)?(?:\(\w+:\))/.exec(description)?.[0] ??
    /\b[A-Z]\w*\.\w+/.exec(description)?.[0] ??
    typeIn(description)
  )
}
const notTypes = new Set(['A', 'An', 'Field', 'Argument', 'Enum', 'Standard', 'Directive', 'Description', 'Repeatable'])
const typeIn = (description: string): string =>
  description
    .split(/[\s,]/)
    .find((word) => /^@?[A-Z]/.test(word) && !notTypes.has(word))
    ?.replace(/[.:]$/, '') ?? 'schema'

/** The deprecated name that caused another removal, or caused a successor to become required. */
function goneWith(type: string, description: string, from: GraphQLSchema, to: GraphQLSchema): string | null {
  if (type === 'TYPE_REMOVED') return usedByDeprecated(description.split(' ')[0]!, from, to)
  const [, coordinate, was, is] = /(\S+) (?:has )?changed type from (\S+) to (\S+)\.$/.exec(description) ?? []
  return coordinate !== undefined && is === `${was}!` ? neededWithout(coordinate, from, to) : null
}

const removals = ['FIELD_REMOVED', 'ARG_REMOVED', 'VALUE_REMOVED_FROM_ENUM', 'TYPE_REMOVED']

/** The coordinate of a removal, parsed from graphql-js's message, so it must exist in the schema. */
function removedAt(type: string, description: string, schema: GraphQLSchema): string | null {
  if (!removals.includes(type)) return null
  const coordinate = /^(?:Field |Argument |Enum value )?(\S+) was removed/.exec(description)?.[1]
  if (coordinate === undefined) return null
  try {
    return resolveSchemaCoordinate(schema, coordinate) === undefined ? null : coordinate
  } catch {
    // Not a coordinate, so uses are unknown.
    return null
  }
}

/** Compares deprecations and the rules in descriptions. */
function compareNotes(before: GraphQLSchema, after: GraphQLSchema, report: Report): void {
  const rest = new Map(partsOf(after).map((each) => [each.coordinate, each]))
  for (const was of partsOf(before)) {
    const is = rest.get(was.coordinate)
    if (is === undefined) continue
    const where = `GraphQL ${was.coordinate}`
    if (was.deprecationReason !== is.deprecationReason)
      report({ where, what: deprecation(was.deprecationReason, is.deprecationReason), ...adds })
    comparePermission(was.description, is.description, where, report)
    compareLimit(was.description, is.description, where, report)
  }
}

function deprecation(was: Part['deprecationReason'], is: Part['deprecationReason']): string {
  if (is === undefined || is === null) return 'It is no longer deprecated.'
  return was === undefined || was === null
    ? `It is deprecated now: ${is}`
    : `The reason of its deprecation is now: ${is}`
}

/** Descriptions contain bounds that GraphQL cannot express: `From 1 to 100.`, `At most 10000.` (contract 8.1) */
function compareLimit(before: Part['description'], after: Part['description'], where: string, report: Report): void {
  const [from, to] = [before, after].map((each) => /(?:From 1 to|At most) (\d+)/.exec(each ?? '')?.[1])
  if (from === undefined || to === undefined || from === to) return
  const judgement: Judgement =
    Number(to) < Number(from)
      ? breaks('A request that was accepted is refused.', 'Leave the limit where it was.')
      : adds
  report({ where, what: `The limit changed from ${from} to ${to}.`, ...judgement })
}
