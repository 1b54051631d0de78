// A search as the database is asked. An index finds the documents in which the words occur; what it cannot tell, such as whether
// words stand side by side, and how well a document answers, is read from the words that are stored. (contract 12.2.10 to 12.2.15)

import type {
  Condition,
  SearchShape,
  SearchSight,
  SearchTerm,
  SearchTermShape,
} from '../../resource/model/condition.ts'
import type { SearchDocument, SearchField } from '../../resource/model/model.ts'
import { partMark, trigramsOf } from '../../resource/model/search-text.ts'
import type { Value } from '../store.ts'
import { type Dialect, quote } from './dialect.ts'
import { linkSides, listMembers } from './list-members.ts'
import { searchTable, spansSql, vectorSql } from './search-index.ts'
import type { SqlText } from './sql-text.ts'

/** Asks a condition of the rows under an alias. */
type Test = (condition: Condition, alias: string, sql: SqlText) => string

// What a search is bound to. The first three are what the indexes are asked: of words, of parts, of both.
const ofWords = 0
const ofParts = 1
const ofBoth = 2
const wholeSequence = 3
const sequence = 4
const wholeLast = 5
/** Common words that the index is not asked for; where there are fewer, an empty text, which every text holds. */
const omitted = [6, 7, 8] as const
const ofTerm = (term: number): number => 9 + 2 * term
const partOfTerm = (term: number): number => 10 + 2 * term

/** What the values of a search come from. */
export const searchSources = ({ terms }: SearchShape) =>
  Array.from({ length: ofTerm(terms.length) }, (_, index) => ({ from: 'search' as const, index }))

/** The values of a search, by their places. The index of words is not asked for `common` ones where it is for others. */
export function searchValues(
  terms: readonly SearchTerm[],
  common: ReadonlySet<string>,
  dialect: Dialect,
): readonly Value[] {
  const needed = terms.filter(({ isExcluded }) => !isExcluded)
  const omits = omittedWords(needed, common, dialect)
  const indexed = needed.flatMap((each) => wordsQuery(each, dialect, omits) ?? [])
  const words = needed.map((each) => wordsQuery(each, dialect))
  const parts = needed.map(({ part }) => (part === null ? null : partsQuery(part, dialect)))
  const and = (texts: readonly (string | null)[]) => (texts.includes(null) ? null : texts.join(conjunction(dialect)))
  const either = words.map((each, at) =>
    parts[at] === null ? `(${each})` : `((${each})${disjunction(dialect)}(${parts[at]}))`,
  )
  const last = needed.at(-1)!
  const all = [...needed.slice(0, -1).flatMap(({ followed }) => followed), ...last.tokens]
  const isOpen = last.begins && !last.mayGoOn
  return [
    indexed.join(conjunction(dialect)),
    and(parts),
    and(either),
    pattern(all, isOpen),
    pattern(all, last.begins),
    pattern(last.tokens, isOpen),
    ...omitted.map((_, at) => (at < omits.length ? pattern([omits[at]!], false) : '')),
    ...terms.flatMap(({ tokens, begins, part }) => [pattern(tokens, begins), part]),
  ]
}
const pattern = (tokens: readonly string[], begins: boolean): string => ` ${tokens.join(' ')}${begins ? '' : ' '}`

const conjunction = ({ engine }: Dialect): string => (engine === 'sqlite' ? ' AND ' : ' & ')
const disjunction = ({ engine }: Dialect): string => (engine === 'sqlite' ? ' OR ' : ' | ')

/** At least one whole word is left, for a beginning may be that of many. SQLite's index is asked for all. */
function omittedWords(
  needed: readonly SearchTerm[],
  common: ReadonlySet<string>,
  { engine }: Dialect,
): readonly string[] {
  if (engine === 'sqlite' || common.size === 0) return []
  const whole = new Set(needed.flatMap(wholeTokens))
  const words = [...whole.intersection(common)].slice(0, omitted.length)
  return words.length < whole.size ? words : []
}

/** Those that are no beginnings of others. */
const wholeTokens = ({ tokens, begins }: SearchTerm): readonly string[] => (begins ? tokens.slice(0, -1) : tokens)

/** Null where none is left. Tokens have nothing in them that either language of queries knows. */
function wordsQuery(term: SearchTerm, dialect: Dialect, omits: readonly string[] = []): string | null {
  const each = wholeTokens(term)
    .filter((token) => !omits.includes(token))
    .map((token) => tokenQuery(token, false, dialect))
  if (term.begins) each.push(tokenQuery(term.tokens.at(-1)!, true, dialect))
  return each.length === 0 ? null : [...new Set(each)].join(conjunction(dialect))
}

function tokenQuery(token: string, begins: boolean, { engine }: Dialect): string {
  if (engine === 'sqlite') return `"${token}"${begins ? ' *' : ''}`
  return `'${token}'${begins ? ':*' : ''}`
}

function partsQuery(part: string, dialect: Dialect): string {
  const trigrams = new Set(part.split(' ').flatMap(trigramsOf))
  return [...trigrams].map((each) => tokenQuery(partMark + each, false, dialect)).join(conjunction(dialect))
}

/** Whether the records answer the search by themselves: none of a list may answer for its holder. */
export const isAnsweredAlone = (search: SearchSight): boolean => ownDocument(search) !== null

function ownDocument({ visible, terms }: SearchSight): Visible | null {
  const [own, ...others] = visible.filter(({ document }) => canAnswer(document, terms))
  return own === undefined || own.document.relation !== null || others.length > 0 ? null : own
}

/**
 * The records that answer such a search, as a table: PostgreSQL finds them before it looks at anything that is asked besides. Where
 * `spans` are given, only those that were created in one of them.
 */
export function answerTable(search: SearchSight, spans: string | undefined, test: Test, sql: SqlText): string {
  const { table, alias, where } = answersOf(ownDocument(search)!, search.terms, test, sql)
  const within = spans === undefined ? '' : ` and ${spansSql(alias)} && ${spans}`
  return `(select ${alias}.* from ${table} where ${where}${within} offset 0)`
}

/** Whether the record answers the search: by itself, or by a record of a list that the reader may read. */
export function matchSql({ visible, ...shape }: SearchSight, alias: string, test: Test, sql: SqlText): string {
  const [first, ...others] = visible.filter(({ document }) => canAnswer(document, shape.terms))
  if (first === undefined) return 'false'
  const key = others.length === 0 && first.document.relation === null ? rowPlace(sql) : '"id"'
  const holders = [first, ...others].map((each) => holdersSql(each, shape.terms, key, test, sql))
  // PostgreSQL would else walk an index in the order of the list, and work out the words of each record.
  if (sql.dialect.engine === 'postgres') return `${alias}.${key} = any(array(${holders.join(' union all ')}))`
  return `${alias}.${key} in (${holders.join(' union all ')})`
}

/** Where a row lies, for as long as a statement runs: an id would be looked up in its index. */
export const rowPlace = ({ dialect }: SqlText): string => (dialect.engine === 'sqlite' ? 'rowid' : 'ctid')

type Visible = SearchSight['visible'][number]

/** The records in whose document the words occur. */
function answersOf({ document, condition }: Visible, terms: readonly SearchTermShape[], test: Test, sql: SqlText) {
  const alias = sql.alias()
  const tests = [
    indexTest(document, alias, sql),
    ...sql.watching(alias),
    `${alias}."deleted_at" is null`,
    ...omittedTests(document, alias, sql),
    ...uncertain(document, terms).map(({ shape, at }) => termSql(document, shape, at, alias, sql)),
    ...(condition.is === 'always' ? [] : [test(condition, alias, sql)]),
  ]
  return { table: `${quote(document.resource.table)} ${alias}`, alias, where: tests.join(' and ') }
}

/** The keys of the records that a document of theirs makes an answer. */
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

/** A document without words has no answer to a word that is too short for parts of words. */
const canAnswer = ({ words }: SearchDocument, terms: readonly SearchTermShape[]): boolean =>
  words.length > 0 || terms.every(({ isExcluded, hasPart }) => isExcluded || hasPart)

function indexTest(document: SearchDocument, alias: string, sql: SqlText): string {
  const { words, parts, resource } = document
  const columns = [...words, ...parts].map(({ column }) => column)
  const index = parts.length === 0 ? ofWords : words.length === 0 ? ofParts : ofBoth
  const value = sql.parameter({ from: 'search', index })
  // It plans this once, since no words make another index better, and would else plan it for every search.
  if (sql.dialect.engine === 'postgres') return `${vectorSql(columns, alias)} @@ (select ${value}::tsquery)`
  const table = quote(searchTable(resource, columns))
  return `${alias}.rowid in (select rowid from ${table} where ${table} match ${value})`
}

/** What the index leaves open: the order of words, what is between them, parts of words, and what must not occur. */
const uncertain = ({ parts }: SearchDocument, terms: readonly SearchTermShape[]) =>
  terms
    .map((shape, at) => ({ shape, at }))
    .filter(({ shape }) => shape.isExcluded || shape.isSequence || parts.length > 0)

/** That the words occur which the index is not asked for. */
function omittedTests({ words, parts }: SearchDocument, alias: string, sql: SqlText): readonly string[] {
  if (sql.dialect.engine === 'sqlite' || parts.length > 0) return []
  const each = omitted.map((index) => `(${words.map((field) => holds(field, index, alias, sql)).join(' or ')})`)
  // One test, since PostgreSQL expects each to leave out records.
  return [
    `case when ${sql.parameter({ from: 'search', index: omitted[0] })} = '' then true else ${each.join(' and ')} end`,
  ]
}

function termSql(document: SearchDocument, shape: SearchTermShape, at: number, alias: string, sql: SqlText): string {
  const occurs = [
    ...document.words.map((field) => holds(field, ofTerm(at), alias, sql)),
    ...(shape.hasPart ? document.parts.map((field) => holds(field, partOfTerm(at), alias, sql)) : []),
  ]
  const condition = occurs.length === 0 ? 'false' : `(${occurs.join(' or ')})`
  return shape.isExcluded ? `not ${condition}` : condition
}

function holds({ column }: SearchField, index: number, alias: string, sql: SqlText): string {
  return holdsText(`${alias}.${quote(column.name)}`, sql.parameter({ from: 'search', index }), sql)
}
const holdsText = (column: string, text: string, { dialect }: SqlText): string =>
  dialect.engine === 'sqlite' ? `instr(${column}, ${text}) > 0` : `strpos(${column}, ${text}) > 0`

/** How well a record that answers the search does so: as well as the best of its documents. (contract 12.2.15) */
export function relevanceSql({ visible, ...shape }: SearchSight, alias: string, test: Test, sql: SqlText): string {
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

type Shape = Omit<SearchSight, 'visible'>

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

/** The same as the index finds, asked of one document. */
const answersSql = (
  document: SearchDocument,
  terms: readonly SearchTermShape[],
  alias: string,
  sql: SqlText,
): string =>
  canAnswer(document, terms)
    ? `(${terms.map((shape, at) => termSql(document, shape, at, alias, sql)).join(' and ')})`
    : 'false'

/** Of a document that answers: by the first field that holds all words; where none does, 0. */
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

/** Side by side before apart, and within that the whole word before its beginning. */
function wordTests(
  field: SearchField,
  terms: readonly SearchTermShape[],
  alias: string,
  sql: SqlText,
): readonly LevelTest[] {
  const needed = terms.map((shape, at) => ({ shape, at })).filter(({ shape }) => !shape.isExcluded)
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
  const needed = terms.map((shape, at) => ({ shape, at })).filter(({ shape }) => !shape.isExcluded)
  if (needed.some(({ shape }) => !shape.hasPart)) return []
  const column = `${alias}.${quote(field.column.name)}`
  const values = needed.map(({ at }) => sql.parameter({ from: 'search', index: partOfTerm(at) }))
  const all = (text: (value: string) => string) =>
    values.map((value) => holdsText(column, text(value), sql)).join(' and ')
  return [
    [1, all((value) => sql.dialect.concat([`' '`, value, `' '`]))],
    [0, all((value) => value)],
  ]
}
