// What a condition can ask of a list, as a document tells it: the parameter, its grammar, and the operators of each path. (contract 12.1)

import { conditionMax } from '../../action/write-selection.ts'
import { invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { JsonSchema } from '../../resource/field/field.ts'
import type { WhereTest } from '../../resource/language/filter.ts'
import type { ResourceModel, WhereBranch, WhereStep, WhereValue } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { valuesOf } from '../../resource/model/where.ts'
import { words } from '../../resource/naming/casing.ts'
import type { ResourceEndpoint } from '../routes.ts'
import type { Parameter } from './parameter.ts'

const operatorsOf: Readonly<Record<WhereTest, readonly string[]>> = {
  is: ['=', '!='],
  oneOf: ['IN'],
  before: ['<'],
  atMost: ['<='],
  after: ['>'],
  atLeast: ['>='],
  startsWith: ['startsWith'],
  contains: [':'],
}

const grammar =
  'Which of them, by a condition such as `status = "open" AND NOT startsWith(assignee.name, "A")`. Operators are `=`, `!=`, `<`, ' +
  '`<=`, `>`, `>=`, `IN (…)`, `startsWith(…)` and `:` for what a list holds; through lists of records ask `some(list, …)` and ' +
  '`none(list, …)`. `AND`, `OR` and `NOT` join conditions; AND beside OR needs parentheses. Texts, choices, ids, days and moments ' +
  'stand in quotes; numbers, `true`, `false`, `null`, `now`, `now - 7d` and `me` do not. A value that you may not read is null.'

/** The parameter of lists that have conditions; none of others. */
export function whereParameters(
  { where }: ResourceModel,
  vocabulary: Vocabulary,
  { whereChars }: Limits,
): readonly Parameter[] {
  if (where === null) return []
  const { paths, description, schema } = textOf(where, vocabulary, whereChars)
  return [{ name: 'where', in: 'query', description, schema, 'x-where': Object.fromEntries(paths) }]
}

/** The same in a body. */
export function whereText(
  { where }: ResourceModel,
  vocabulary: Vocabulary,
  { whereChars }: Limits,
): { readonly description: string; readonly schema: JsonSchema } {
  invariant(where !== null, 'only what takes conditions tells of them')
  return textOf(where, vocabulary, whereChars)
}

function textOf(where: WhereBranch, vocabulary: Vocabulary, maxLength: number) {
  const paths = [...valuesOf(where)].map(
    ({ path, value }) => [pathName(path, value, vocabulary), wordsOf(value)] as const,
  )
  const description = `${grammar} It can ask for ${paths.map(([name]) => `\`${name}\``).join(', ')}.`
  return { paths, description, schema: { type: 'string', minLength: 1, maxLength } }
}

/** What says which records are written at once; none where lists have no conditions. (contract 13.7) */
export function bulkParameters(resource: ResourceModel, vocabulary: Vocabulary, limits: Limits): readonly Parameter[] {
  if (resource.where === null) return []
  return [...whereParameters(resource, vocabulary, limits), dryRunParameter]
}

/** How many records one write takes by a condition; nothing where it takes none. (contract 13.7.5) */
export function recordsMax({ kind, resource, action }: ResourceEndpoint, limits: Limits): object {
  const takesCondition = ['updateMany', 'deleteMany', 'moveMany'].includes(kind) && resource.where !== null
  return takesCondition ? { 'x-records-max': conditionMax([action], limits) } : {}
}

export const dryRunParameter: Parameter = {
  name: 'dry_run',
  in: 'query',
  description: 'Checks everything, stores nothing, and answers how many records it would write.',
  schema: { type: 'boolean', default: false },
}

/** The ids of what is deleted. */
export const idsParameter = ({ plural }: ResourceModel, { batch }: Limits): Parameter => ({
  name: 'ids',
  in: 'query',
  description: `The ids of the ${words(plural)}, with commas between, in place of \`where\`; ${batch} at most.`,
  schema: { type: 'string', minLength: 1, maxLength: batch * 65 },
})

const pathName = (path: readonly WhereStep[], { resource, column }: WhereValue, vocabulary: Vocabulary): string =>
  [
    ...path.map(({ holder, relation }) => vocabulary.relation(holder, relation.field)),
    vocabulary.name(resource, column.field),
  ].join('.')

const wordsOf = ({ tests, nullable }: WhereValue): readonly string[] => [
  ...Object.entries(operatorsOf).flatMap(([test, words]) => (tests.has(test as WhereTest) ? words : [])),
  ...(nullable ? ['null'] : []),
]
