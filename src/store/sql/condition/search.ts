// A search as SQL. An index finds documents with the words; adjacency and relevance come from the stored words. (contract
// 12.2.10 to 12.2.15)

import type { SearchDocument, SearchField } from '../../../resource/model/model.ts'
import type { Condition, SearchTerm, SearchTermShape, VisibleSearch } from '../../../resource/model/rule/condition.ts'
import { partMark, trigramsOf } from '../../../resource/model/search/search-text.ts'
import type { Value } from '../../store.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'
import { linkSides, listMembers } from './list-members.ts'
import { searchTable, spansSql, vectorSql } from './search-index.ts'

type Test = (condition: Condition, alias: string, sql: SqlText) => string

// Indexes of a search's values. The first three are index queries: by words, by parts, by both.
const ofWords = 0
const ofParts = 1
const ofBoth = 2
const wholeSequence = 3
const sequence = 4
const wholeLast = 5
const ofTerm = (term: number): number => 6 + 3 * term
const partOfTerm = (term: number): number => 7 + 3 * term
const wholePartOfTerm = (term: number): number => 8 + 3 * term

export function searchValues(terms: readonly SearchTerm[], dialect: Dialect): readonly Value[] {
  const needed = terms.filter(({ isExcluded }) => !isExcluded)
  const words = needed.map((each) => wordsQuery(each, dialect))
  const parts = needed.map((each) => partsQuery(each, dialect))
  const and = (texts: readonly string[]) => texts.join(conjunction(dialect))
  const either = words.map((each, at) => `((${each})${disjunction(dialect)}(${parts[at]}))`)
  const last = needed.at(-1)!
  const all = [...needed.slice(0, -1).flatMap(({ followed }) => followed), ...last.tokens]
  const isOpen = last.begins && !last.mayGoOn
  return [
    and(words),
    and(parts),
    and(either),
    pattern(all, isOpen),
    pattern(all, last.begins),
    pattern(last.tokens, isOpen),
    ...terms.flatMap(({ tokens, begins, part, isPartShort }) => [
      pattern(tokens, begins),
      isPartShort ? ` ${part}` : part,
      ` ${part} `,
    ]),
  ]
}
const pattern = (tokens: readonly string[], begins: boolean): string => ` ${tokens.join(' ')}${begins ? '' : ' '}`

const conjunction = ({ engine }: Dialect): string => (engine === 'sqlite' ? ' AND ' : ' & ')
const disjunction = ({ engine }: Dialect): string => (engine === 'sqlite' ? ' OR ' : ' | ')

/** Tokens contain nothing that either query language knows. */
function wordsQuery({ tokens, begins }: Pick<SearchTerm, 'tokens' | 'begins'>, dialect: Dialect): string {
  const each = tokens.map((token, at) => tokenQuery(token, begins && at === tokens.length - 1, dialect))
  return [...new Set(each)].join(conjunction(dialect))
}

function tokenQuery(token: string, begins: boolean, { engine }: Dialect): string {
  if (engine === 'sqlite') return `"${token}"${begins ? ' *' : ''}`
  return `'${token}'${begins ? ':*' : ''}`
}

function partsQuery({ part, isPartShort }: SearchTerm, dialect: Dialect): string {
  if (isPartShort) return wordsQuery({ tokens: part.split(' '), begins: true }, dialect)
  const trigrams = new Set(part.split(' ').flatMap(trigramsOf))
  return partsQueryOf([...trigrams], dialect)
}

export const partsQueryOf = (trigrams: readonly string[], dialect: Dialect): string =>
  trigrams.map((each) => tokenQuery(partMark + each, false, dialect)).join(conjunction(dialect))

/** True if a record matches only by itself, not by records of its lists. */
export const isAnsweredAlone = (search: VisibleSearch): boolean => ownDocument(search) !== null

function ownDocument({ visible }: VisibleSearch): Visible | null {
  const [own, ...others] = visible
  return own === undefined || own.document.relation !== null || others.length > 0 ? null : own
}

/** As a table that PostgreSQL evaluates first. `spans`: restricts it to these time spans. */
export function answerTable(search: VisibleSearch, spans: string | undefined, test: Test, sql: SqlText): string {
  const { table, alias, where } = answersOf(ownDocument(search)!, search.terms, test, sql)
  const within = spans === undefined ? '' : ` and ${spansSql(alias)} && ${spans}`
  return `(select ${alias}.* from ${table} where ${where}${within} offset 0)`
}

export function matchSql({ visible, ...shape }: VisibleSearch, alias: string, test: Test, sql: SqlText): string {
  const [first, ...others] = visible
  if (first === undefined) return 'false'
  const key = others.length === 0 && first.document.relation === null ? rowPlace(sql) : '"id"'
  const holders = [first, ...others].map((each) => holdersSql(each, shape.terms, key, test, sql))
  // The array makes PostgreSQL evaluate the search first, instead of parsing each record's words.
  if (sql.dialect.engine === 'postgres') return `${alias}.${key} = any(array(${holders.join(' union all ')}))`
  return `${alias}.${key} in (${holders.join(' union all ')})`
}

/** The physical row, stable within a statement: faster than an id. */
export const rowPlace = ({ dialect }: SqlText): string => (dialect.engine === 'sqlite' ? 'rowid' : 'ctid')

type Visible = VisibleSearch['visible'][number]

function answersOf({ document, condition }: Visible, terms: readonly SearchTermShape[], test: Test, sql: SqlText) {
  const alias = sql.alias()
  const tests = [
    indexTest(document, alias, sql),
    ...sql.watching(alias),
    `${alias}."deleted_at" is null`,
    ...uncertain(document, terms).map(({ shape, at }) => termSql(document, shape, at, alias, sql)),
    ...(condition.is === 'always' ? [] : [test(condition, alias, sql)]),
  ]
  return { table: `${quote(document.resource.table)} ${alias}`, alias, where: tests.join(' and ') }
}

function holdersSql(
  visible: Visible,
  terms: readonly SearchTermShape[],
  key: string,
  test: Test,
  sql: SqlText,
): string {
  const { table, alias: other, where } = answersOf(visible, terms, test, sql)
  const { relation } = visible.document
  if (relation === null) return `select ${other}.${key} from ${table} where ${where}`
  if (relation.kind === 'many') return `select ${other}.${quote(relation.by.column.name)} from ${table} where ${where}`
  const [mine, theirs] = linkSides(relation)
  const link = sql.alias()
  return (
    `select ${link}."${mine}_id" from ${table} join ${quote(relation.link.table)} ${link} ` +
    `on ${link}."${theirs}_id" = ${other}."id" where ${where}`
  )
}

function indexTest(document: SearchDocument, alias: string, sql: SqlText): string {
  const { words, parts } = document
  const index = parts.length === 0 ? ofWords : words.length === 0 ? ofParts : ofBoth
  return foundSql(document, alias, sql.parameter({ from: 'search', index }), sql)
}

/** Whether the index has the record for this query. */
export function foundSql(
  { words, parts, resource }: SearchDocument,
  alias: string,
  value: string,
  sql: SqlText,
): string {
  const columns = [...words, ...parts].map(({ column }) => column)
  // So that the plan is independent of the words.
  if (sql.dialect.engine === 'postgres') return `${vectorSql(columns, alias)} @@ (select ${value}::tsquery)`
  const table = quote(searchTable(resource, columns))
  const tests = [`${table} match ${value}`, ...sql.watching(table)].join(' and ')
  return `${alias}.rowid in (select rowid from ${table} where ${tests})`
}

/** What the index cannot test: order, gaps, parts of words, exclusions. */
const uncertain = ({ parts }: SearchDocument, terms: readonly SearchTermShape[]) =>
  inOrder(terms).filter(({ shape }) => shape.isExcluded || shape.isSequence || parts.length > 0)

const inOrder = (terms: readonly SearchTermShape[]) => terms.map((shape, at) => ({ shape, at }))
const neededOf = (terms: readonly SearchTermShape[]) => inOrder(terms).filter(({ shape }) => !shape.isExcluded)

function termSql(document: SearchDocument, shape: SearchTermShape, at: number, alias: string, sql: SqlText): string {
  const occurs = [
    ...document.words.map((field) => holds(field, ofTerm(at), alias, sql)),
    ...document.parts.map((field) => holds(field, partOfTerm(at), alias, sql)),
  ]
  const condition = occurs.length === 0 ? 'false' : `(${occurs.join(' or ')})`
  return shape.isExcluded ? `not ${condition}` : condition
}

const holds = ({ column }: SearchField, index: number, alias: string, sql: SqlText): string =>
  sql.dialect.includes(`${alias}.${quote(column.name)}`, sql.parameter({ from: 'search', index }))

/** The relevance of its best document. (contract 12.2.34) */
export function relevanceSql({ visible, ...shape }: VisibleSearch, alias: string, test: Test, sql: SqlText): string {
  const own = visible.find(({ document }) => document.relation === null)
  const lists = visible.filter(({ document }) => document.relation !== null)
  if (lists.length === 0) return documentRelevance(own!.document, shape, alias, sql)
  const each = lists.map((list) => `coalesce(${listRelevance(list, shape, alias, test, sql)}, -1)`)
  const mine =
    own === undefined
      ? []
      : [
          `case when ${answersSql(own.document, shape.terms, alias, sql)} then ${documentRelevance(own.document, shape, alias, sql)} else -1 end`,
        ]
  const all = [...mine, ...each]
  if (all.length === 1) return all[0]!
  return `${sql.dialect.engine === 'sqlite' ? 'max' : 'greatest'}(${all.join(', ')})`
}

type Shape = Omit<VisibleSearch, 'visible'>

function listRelevance(
  { document, condition }: Visible,
  shape: Shape,
  holder: string,
  test: Test,
  sql: SqlText,
): string {
  const relation = document.relation!
  const other = sql.alias()
  const tests = [
    `${other}."deleted_at" is null`,
    answersSql(document, shape.terms, other, sql),
    ...(condition.is === 'always' ? [] : [test(condition, other, sql)]),
  ].join(' and ')
  const best = `select max(${documentRelevance(document, shape, other, sql)})`
  const { from, where } = listMembers(relation, `${holder}."id"`, other, sql)
  return `(${best} from ${from} where ${where} and ${tests})`
}

const answersSql = (document: SearchDocument, terms: readonly SearchTermShape[], alias: string, sql: SqlText): string =>
  `(${terms.map((shape, at) => termSql(document, shape, at, alias, sql)).join(' and ')})`

/** By the first field with all words; otherwise 0. */
function documentRelevance(document: SearchDocument, { model, terms }: Shape, alias: string, sql: SqlText): string {
  const fields = [
    ...document.words.map((field) => ({ field, tests: wordTests(field, terms, alias, sql) })),
    ...document.parts.map((field) => ({ field, tests: partTests(field, terms, alias, sql) })),
  ].toSorted((one, other) => one.field.place - other.field.place)
  const cases = fields.flatMap(({ field, tests }) =>
    tests.map(([level, test]) => `when ${test} then ${(model.size - field.place) * levels + level}`),
  )
  return cases.length === 0 ? '0' : `case ${cases.join(' ')} else 0 end`
}
const levels = 4

type LevelTest = readonly [level: number, test: string]

/** Adjacent words first, then whole words before prefixes. */
function wordTests(
  field: SearchField,
  terms: readonly SearchTermShape[],
  alias: string,
  sql: SqlText,
): readonly LevelTest[] {
  const needed = neededOf(terms)
  const last = needed.at(-1)!
  const others = needed.slice(0, -1).map(({ at }) => holds(field, ofTerm(at), alias, sql))
  const apart = (index: number): string => [...others, holds(field, index, alias, sql)].join(' and ')
  const tests: LevelTest[] = []
  if (others.length > 0) {
    tests.push([3, holds(field, wholeSequence, alias, sql)])
    if (last.shape.mayGoOn) tests.push([2, holds(field, sequence, alias, sql)])
  }
  if (last.shape.mayGoOn) tests.push([1, apart(wholeLast)], [0, apart(ofTerm(last.at))])
  else tests.push([1, apart(ofTerm(last.at))])
  return tests
}

function partTests(
  field: SearchField,
  terms: readonly SearchTermShape[],
  alias: string,
  sql: SqlText,
): readonly LevelTest[] {
  const needed = neededOf(terms)
  const all = (indexOf: (term: number) => number) =>
    needed.map(({ at }) => holds(field, indexOf(at), alias, sql)).join(' and ')
  return [
    [1, all(wholePartOfTerm)],
    [0, all(partOfTerm)],
  ]
}
