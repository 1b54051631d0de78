// The condition of a list: a tree or a text. (contract 12.1)

import type { WhereTest } from '../../../resource/language/rule/filter.ts'
import type { WhereBranch, WhereStep, WhereValue } from '../../../resource/model/model.ts'
import { whereName } from '../where/name.ts'
import type { WhereQuestion } from '../where/question.ts'
import { readWhere } from '../where/read.ts'
import type { Narrowing, Parameter } from './parameter.ts'

/** Null without a valid condition. */
export const where: Parameter<Narrowing | null> = {
  read(sent, { resource }, context, problems, mistakes) {
    const [condition, text] = [sent('where'), context.form === 'typed' ? sent('whereText') : undefined]
    if (condition !== undefined && text !== undefined) {
      problems.push({ field: 'whereText', message: 'Cannot be combined with where.' })
      return null
    }
    if (text !== undefined)
      return narrowedBy(readWhere({ is: 'text', sent: text, parameter: 'whereText' }, resource, context, problems))
    // The face has refused an empty parameter.
    if (context.form === 'text' && condition === '') return null
    const is = context.form === 'text' || (context.form === 'code' && typeof condition === 'string') ? 'text' : 'tree'
    return narrowedBy(readWhere({ is, sent: condition, parameter: 'where' }, resource, context, problems, mistakes))
  },

  describe({ resource }, form, vocabulary) {
    const branch = resource.where
    if (branch === null) return []
    const type = () => ({ is: 'text', charsMax: 'whereChars' }) as const
    if (form === 'typed') {
      const conditions = () => ({ is: 'conditions', title: `${resource.graphql.name}Where`, branch }) as const
      return [
        { name: 'where', about: () => 'Which of them, by conditions.', type: conditions },
        { name: 'whereText', about: () => aboutText, type },
      ]
    }
    const paths = () =>
      [...namedIn(branch)].map(({ path, name, value }) => {
        const steps = path.map(({ holder, relation }) => vocabulary.relation(holder, relation.field))
        return [[...steps, whereName(vocabulary, name, value)].join('.'), wordsOf(value)] as const
      })
    const about = () =>
      `${grammar}${hasTree(branch) ? treeGrammar : ''} Fields: ${paths()
        .map(([name]) => `\`${name}\``)
        .join(', ')}.`
    return [{ name: 'where', about, type, more: () => ({ 'x-where': Object.fromEntries(paths()) }) }]
  },
}

export const narrowedBy = (question: WhereQuestion | null): Narrowing | null =>
  question && {
    shape: { where: question.tree },
    values: { where: question.values },
    key: `&${question.shape}`,
    binding: { where: question.text },
    points: question.points,
    isPrivate: true,
  }

const aboutText =
  'The same as text, such as a stored view: `status = "open" AND created_at > now - 7d`. Names are those of the current REST version. Not together with where.'

const grammar =
  'Which of them, by a condition such as `status = "open" AND NOT startsWith(assignee.name, "A")`. Operators are `=`, `!=`, `<`, ' +
  '`<=`, `>`, `>=`, `IN (…)`, `startsWith(…)` and `:` for what a list holds; for lists of records use `some(list, …)` and ' +
  '`none(list, …)`. `AND`, `OR` and `NOT` join conditions; AND next to OR needs parentheses. Texts, choices, ids, days and moments ' +
  'stand in quotes; numbers, `true`, `false`, `null`, `now`, `now - 7d`, `startOf("month")`, `me` and other values of the record do not. A value that you may not read is null.'

interface NamedValue {
  readonly path: readonly WhereStep[]
  readonly name: string
  readonly value: WhereValue
}
function* namedIn(branch: WhereBranch, path: readonly WhereStep[] = []): Iterable<NamedValue> {
  for (const [name, value] of branch.named) yield { path, name, value }
  for (const step of branch.steps.values()) yield* namedIn(step.of, [...path, step])
}

const hasTree = (branch: WhereBranch): boolean => [...namedIn(branch)].some(({ value }) => value.tree !== undefined)
const treeGrammar = ' `below(parent, "…")` holds for all records of a tree below that one.'

const wordsOf = ({ tests, nullable, tree }: WhereValue): readonly string[] => [
  ...Object.entries(operatorsOf).flatMap(([test, words]) => (tests.has(test as WhereTest) ? words : [])),
  ...(nullable ? ['null'] : []),
  ...(tree === undefined ? [] : ['below']),
]
const operatorsOf: Readonly<Record<WhereTest, readonly string[]>> = {
  is: ['=', '!='],
  oneOf: ['IN'],
  before: ['<'],
  atMost: ['<='],
  after: ['>'],
  atLeast: ['>='],
  startsWith: ['startsWith'],
  endsWith: ['endsWith'],
  includes: ['contains'],
  contains: [':'],
}
