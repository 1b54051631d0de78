// Indexes derived from relations, filters, sorts and rules: every client query has one.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { charsMaxOf } from '../../../resource/field/registry.ts'
import type { RuleNode } from '../../../resource/language/rule/rule.ts'
import type { Column, FoldedColumn } from '../../../resource/model/column.ts'
import type { FilterModel, Link, OneRelation, ResourceModel, WhereValue } from '../../../resource/model/model.ts'
import { type Condition, fold } from '../../../resource/model/rule/condition.ts'
import { relevance } from '../../../resource/model/search/search.ts'
import { alternatives } from '../condition/condition.ts'
import { searchIndex } from '../condition/search-index.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { elements } from '../text/elements.ts'
import { type Derived, derivedName } from '../text/names.ts'
import { placeOf, placeSql } from '../text/place.ts'
import { counterIndex } from '../write/count.ts'
import { dueIndex } from '../write/due.ts'
import { exclusionIndex, uniqueIndex } from './constraint-index.ts'
import { planIndexes, type WantedIndex } from './index-plan.ts'
import { narrowing } from './narrowing.ts'
import { queryIndexes } from './query-indexes.ts'
import { exampleActor } from './rule-indexes.ts'

const notDeleted = '"deleted_at" is null'

/** An index, and the questions of the definition that use it. */
export interface IndexUse {
  readonly index: Derived
  readonly questions: readonly string[]
}

/** `wanted`: indexes needed by other resources. */
export function indexesOf(
  resource: ResourceModel,
  dialect: Dialect,
  wanted: readonly WantedIndex[] = [],
  planned: typeof planIndexes = planIndexes,
): readonly IndexUse[] {
  const uses = new Map<string, { readonly index: Derived; readonly questions: Set<string> }>()
  const add = (index: Derived, ...questions: readonly string[]) => {
    const use = getOrInsert(uses, index.name, () => ({ index, questions: new Set() }))
    for (const each of questions) use.questions.add(each)
  }
  const uniques = resource.uniques.map((unique) => ({ unique, index: uniqueIndex(resource, unique, dialect) }))
  for (const { unique, index } of uniques) add(index, `unique ${fieldsOf(unique.columns)}`)
  for (const each of resource.exclusions)
    add(exclusionIndex(resource, each, dialect), `exclude ${fieldsOf([...each.columns, each.start])}`)
  for (const each of resource.counters) add(counterIndex(resource, each), `counter ${each.column.field}`)
  for (const each of resource.timedMoves) add(dueIndex(each, dialect), `move ${each.action.name}`)
  for (const each of resource.indexed) add(searchIndex(resource, each, dialect), 'search')
  for (const { column, part, question } of elementsOf(resource))
    add(containsIndex(resource, column, part, dialect), question)
  const whole = uniques.filter(({ unique }) => unique.where === null && unique.stored.every(isRequired))
  const columnsOf = ({ unique }: (typeof uniques)[number]) => unique.stored.map(({ name }) => name)
  const plan = planned([...questionsOf(resource, dialect), ...wanted], whole.map(columnsOf), resource)
  for (const { columns, conditions, questions, isUnique } of plan) {
    const unique = isUnique ? whole.find((each) => columnsOf(each).join() === columns.join()) : undefined
    add(unique?.index ?? index(resource, columns, [notDeleted, ...conditions]), ...questions)
  }
  return uses
    .values()
    .map(({ index, questions }) => ({ index, questions: [...questions] }))
    .toArray()
}

const fieldsOf = (columns: readonly Column[]): string => columns.map(({ field }) => field).join(', ')
// A folded form is never null, but differs from the value.
const isRequired = (column: Column | FoldedColumn): boolean => !('of' in column) && !column.nullable

interface Elements {
  readonly column: Column
  readonly part: string | null
  readonly question: string
}
function* elementsOf({ filters, queries, where }: ResourceModel): Iterable<Elements> {
  for (const { name, column, part, test } of filters.values())
    if (test === 'contains') yield { column, part, question: `filter ${name}` }
  for (const { name, tests } of queries.values())
    for (const { test, column } of tests)
      if (test === 'contains') yield { column, part: null, question: `query ${name}` }
  for (const { column, tests } of where?.values.values() ?? [])
    if (tests.has('contains')) yield { column, part: null, question: `where ${column.field}` }
}

/** What its own declarations read in order or find. */
function* questionsOf(resource: ResourceModel, dialect: Dialect): Iterable<WantedIndex> {
  // No index of this table sorts by referenced records or relevance.
  const all = [...resource.sorts].flatMap(([name, { relations, column, inside }]) =>
    relations.length === 0 && column !== relevance ? [{ name, place: placeOf(column), inside }] : [],
  )
  const sorts = all.filter(({ inside }) => inside === null)
  const relations = [...resource.relations.values()].filter((each) => each.kind === 'one')
  for (const { name, place } of sorts) yield want(`sort ${name}`, [], [place, 'id'])
  for (const relation of relations) {
    const fixed = [relation.column.name]
    const ordered = isListedBy(resource, relation) ? all : []
    const within = ordered.filter(({ inside }) => inside === null || inside === relation)
    if (within.length === 0) yield want(relation.field, fixed, [])
    for (const { name, place } of within) yield want(`${relation.field}, sort ${name}`, fixed, [place, 'id'])
  }
  for (const filter of resource.filters.values()) {
    yield* filterQuestions(resource, filter, dialect)
    yield* inTenant(resource, filter)
  }
  for (const query of resource.queries.values()) yield* queryIndexes(query, dialect)
  for (const condition of branches(resource.read.allow, resource)) {
    const { fixed, conditions } = narrowing(condition, dialect)
    for (const { name, place } of sorts) yield want(`rule, sort ${name}`, fixed, [place, 'id'], conditions)
    for (const relation of relations.filter((each) => hasMany(resource, each)))
      yield want(`rule, ${relation.field}`, [relation.column.name, ...fixed], usualOrder, conditions)
  }
  for (const value of resource.where?.values.values() ?? [])
    if (!value.tests.has('contains') && isIndexed(value) && !isUniqueAlone(value.column, resource))
      yield want(`where ${value.column.field}`, [value.column.name], usualOrder)
}

const usualOrder = ['created_at', 'id']

function want(
  question: string,
  fixed: readonly string[],
  order: readonly string[],
  conditions: readonly string[] = [],
): WantedIndex {
  const columns = [...new Set([...fixed, ...order])]
  return { question, columns, fixed: new Set(fixed).size, conditions }
}

export function linkIndexes(link: Link): readonly Derived[] {
  return [
    index(link, ['source_id', 'target_created_at', 'target_id'], []),
    index(link, ['target_id', 'source_created_at', 'source_id'], []),
  ]
}

function index(of: Named, columns: readonly string[], conditions: readonly string[]): Derived {
  const { table } = of
  const distinct = [...new Set(columns)]
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
  const definition = `on ${quote(table)} (${distinct.map((each) => indexed(each, of)).join(', ')})${where}`
  const name = derivedName(`${table}_${distinct.join('_').replaceAll(' ', '_')}`, definition, 'idx')
  return { name, create: [`create index ${quote(name)} ${definition}`], unique: null }
}

/** `plays desc` is a column with direction, `priority place` the sort expression of an ordered choice. */
function indexed(each: string, { columns = [] }: Named): string {
  const [name, ...words] = each.split(' ')
  if (words[0] !== 'place') return [quote(name!), ...words].join(' ')
  const place = placeSql(columns.find((column) => column.name === name)!, quote(name!))
  return [place, ...words.slice(1)].join(' ')
}

interface Named {
  readonly table: string
  readonly columns?: readonly Column[]
}

export const isIndexed = ({ column, spec }: WhereValue): boolean =>
  column.field !== 'id' && charsMaxOf(spec) <= indexedCharsMax
/** Of PostgreSQL's index entries; text counts double. */
const indexedCharsMax = 1_300

export const isUniqueAlone = (column: Column, { uniques }: ResourceModel): boolean =>
  uniques.some(({ stored: [first, second], where }) => first === column && second === undefined && where === null)

/** Records of other tenants are never read. (contract 10.2.16) */
function inTenant(resource: ResourceModel, { name, test, column }: FilterModel): readonly WantedIndex[] {
  const [tenant] = resource.tenants
  if (tenant === undefined || tenant === column) return []
  const question = `filter ${name} in ${tenant.field}`
  switch (test) {
    case 'is':
      return isUniqueAlone(column, resource) ? [] : [want(question, [tenant.name, column.name], usualOrder)]
    case 'atLeast':
    case 'atMost':
      return [want(question, [tenant.name], [placeOf(column), 'id'])]
    default:
      return []
  }
}

function filterQuestions(resource: ResourceModel, filter: FilterModel, dialect: Dialect): readonly WantedIndex[] {
  const { column, test } = filter
  const { name } = column
  const question = `filter ${filter.name}`
  switch (test) {
    case 'is':
      return isUniqueAlone(column, resource) || column.spec.kind === 'one' ? [] : [want(question, [name], usualOrder)]
    case 'atLeast':
    case 'atMost':
      return [want(question, [], [placeOf(column), 'id'])]
    case 'isPresent':
      return [
        want(question, [], usualOrder, [`${quote(name)} is not null`]),
        ...(filter.isOfEither
          ? []
          : [want(question, dialect.engine === 'sqlite' ? [name] : [], usualOrder, [`${quote(name)} is null`])]),
      ]
    case 'contains':
      return []
  }
}

const containsIndex = (resource: ResourceModel, column: Column, part: string | null, dialect: Dialect): Derived =>
  dialect.engine === 'sqlite' ? elements(resource.table, column.name, part) : inverted(resource, column)

function inverted({ table }: Named, column: Column): Derived {
  // No pending list, which every search would scan.
  const gin = `using gin ((${quote(column.name)}::jsonb) jsonb_path_ops) with (fastupdate = off)`
  const definition = `on ${quote(table)} ${gin} where ${notDeleted}`
  const name = derivedName(`${table}_${column.name}`, definition, 'idx')
  return { name, create: [`create index ${quote(name)} ${definition}`], unique: null }
}

const hasMany = ({ name }: ResourceModel, { target, field }: OneRelation): boolean =>
  [...target.relations.values()].some(
    (each) => each.kind === 'many' && each.target.name === name && each.by.field === field,
  )

const isListedBy = (holder: ResourceModel, relation: OneRelation): boolean =>
  hasMany(holder, relation) ||
  holder.where?.values.has(relation.field) === true ||
  [...holder.filters.values()].some((each) => each.test === 'is' && each.column === relation.column) ||
  [...partsOf(holder.read.allow)].some((each) => each.rule === 'own' && each.relation === relation.field) ||
  [holder.read.allow, ...[...holder.queries.values()].flatMap(({ where }) => where ?? [])].some((rule) =>
    [...partsOf(rule)].some((each) => each.rule === 'through' && each.relation === relation.field && leads(each.of)),
  )

/** Whether a relation with this rule is a starting point. (`driving-table.ts`) */
const leads = (rule: RuleNode): boolean =>
  (rule.rule === 'allOf' ? rule.rules : [rule]).some((each) => each.rule === 'some')

/** What the rule is made of, but for what it denies. */
function* partsOf(rule: RuleNode): Iterable<RuleNode> {
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') for (const each of rule.rules) yield* partsOf(each)
  else if (rule.rule === 'confined') yield* partsOf(rule.of)
  else if (rule.rule !== 'may') yield rule
  else if (rule.mine !== null) yield* partsOf(rule.mine)
}

function branches(rule: RuleNode, resource: ResourceModel): readonly Condition[] {
  switch (rule.rule) {
    case 'when':
      return alternatives(fold(rule, resource, exampleActor))
    case 'anyOf':
      return rule.rules.flatMap((each) => branches(each, resource))
    case 'allOf':
      return rule.rules.every((each) => each.rule === 'when') ? [fold(rule, resource, exampleActor)] : []
    case 'confined':
      return branches(rule.of, resource)
    case 'may':
      return rule.mine === null ? [] : branches(rule.mine, resource)
    default:
      return []
  }
}
