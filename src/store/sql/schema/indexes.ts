// Indexes derived from relations, filters, sorts and rules: every client query has one.

import { charsMaxOf } from '../../../resource/field/registry.ts'
import type { RuleNode } from '../../../resource/language/rule/rule.ts'
import type { Column } from '../../../resource/model/column.ts'
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
import { exclusionIndex } from './exclusion-index.ts'
import { narrowing } from './narrowing.ts'
import { queryIndexes, type WantedIndex } from './query-indexes.ts'
import { exampleActor } from './rule-indexes.ts'
import { uniqueIndex } from './unique-index.ts'

const notDeleted = '"deleted_at" is null'

/** `wanted`: indexes needed by other resources. */
export function indexesOf(
  resource: ResourceModel,
  dialect: Dialect,
  wanted: readonly WantedIndex[] = [],
): readonly Derived[] {
  const byName = new Map<string, Derived>()
  const add = (...indexes: readonly Derived[]) => {
    for (const each of indexes) byName.set(each.name, each)
  }
  const list = (columns: readonly string[], ...conditions: readonly string[]) =>
    add(index(resource, columns, [notDeleted, ...conditions]))
  // No index of this table sorts by referenced records or relevance.
  const sorts = [...resource.sorts.values()].flatMap(({ relations, column }) =>
    relations.length === 0 && column !== relevance ? [placeOf(column)] : [],
  )

  for (const unique of resource.uniques) add(uniqueIndex(resource, unique, dialect))
  for (const exclusion of resource.exclusions) add(exclusionIndex(resource, exclusion, dialect))
  for (const counter of resource.counters) add(counterIndex(resource, counter))
  for (const sort of sorts) list([sort, 'id'])
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'one') continue
    const { name } = relation.column
    if (!isListedBy(resource, relation)) list([name])
    else for (const sort of sorts) list([name, sort, 'id'])
  }
  for (const filter of resource.filters.values())
    add(...filterIndexes(resource, filter, dialect), ...inTenant(resource, filter))
  for (const query of resource.queries.values()) {
    for (const { columns, conditions } of queryIndexes(query)) list(columns, ...conditions)
    for (const { test, column } of query.tests)
      if (test === 'contains') add(containsIndex(resource, column, null, dialect))
  }
  for (const condition of branches(resource.read.allow, resource)) {
    const { fixed, conditions } = narrowing(condition)
    for (const sort of sorts) list([...fixed, sort, 'id'], ...conditions)
    for (const relation of resource.relations.values()) {
      if (relation.kind !== 'one' || !hasMany(resource, relation)) continue
      list([relation.column.name, ...fixed, 'created_at', 'id'], ...conditions)
    }
  }
  for (const move of resource.timedMoves) add(dueIndex(move, dialect))
  for (const columns of resource.indexed) add(searchIndex(resource, columns, dialect))
  for (const { columns, conditions } of wanted) list(columns, ...conditions)
  for (const value of resource.where?.values.values() ?? []) {
    if (value.tests.has('contains')) add(containsIndex(resource, value.column, null, dialect))
    else if (isIndexed(value) && !isUniqueAlone(value.column, resource)) list([value.column.name, 'created_at', 'id'])
  }
  return [...byName.values()]
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
function inTenant(resource: ResourceModel, { test, column }: FilterModel): readonly Derived[] {
  const [tenant] = resource.tenants
  if (tenant === undefined || tenant === column) return []
  switch (test) {
    case 'is':
      return isUniqueAlone(column, resource)
        ? []
        : [index(resource, [tenant.name, column.name, 'created_at', 'id'], [notDeleted])]
    case 'atLeast':
    case 'atMost':
      return [index(resource, [tenant.name, placeOf(column), 'id'], [notDeleted])]
    default:
      return []
  }
}

function filterIndexes(resource: ResourceModel, filter: FilterModel, dialect: Dialect): readonly Derived[] {
  const { column } = filter
  const { name } = column
  switch (filter.test) {
    case 'is':
      return isUniqueAlone(column, resource) || column.spec.kind === 'one'
        ? []
        : [index(resource, [name, 'created_at', 'id'], [notDeleted])]
    case 'atLeast':
    case 'atMost':
      return [index(resource, [placeOf(column), 'id'], [notDeleted])]
    case 'isPresent': {
      // SQLite finds nulls by the index of all values.
      const value = resource.where?.values.get(column.field)
      const isWhole = dialect.engine === 'sqlite' && value !== undefined && isIndexed(value)
      return [
        index(resource, ['created_at', 'id'], [notDeleted, `${quote(name)} is not null`]),
        ...(isWhole ? [] : [index(resource, [name, 'created_at', 'id'], [notDeleted, `${quote(name)} is null`])]),
      ]
    }
    case 'contains':
      return [containsIndex(resource, column, filter.part, dialect)]
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

const hasMany = (holder: ResourceModel, { target, field }: OneRelation): boolean =>
  [...target.relations.values()].some(
    (each) => each.kind === 'many' && each.target === holder && each.by.field === field,
  )

const isListedBy = (holder: ResourceModel, relation: OneRelation): boolean =>
  hasMany(holder, relation) ||
  holder.where?.values.has(relation.field) === true ||
  [...holder.filters.values()].some((each) => each.test === 'is' && each.column === relation.column) ||
  owners(holder.read.allow).has(relation.field) ||
  [holder.read.allow, ...[...holder.queries.values()].flatMap(({ where }) => where ?? [])].some((rule) =>
    leads(rule).has(relation.field),
  )

/** Relations that are starting points of the rule. (`driving-table.ts`) */
function leads(rule: RuleNode): ReadonlySet<string> {
  if (rule.rule === 'may') return rule.mine === null ? new Set() : leads(rule.mine)
  if (rule.rule === 'confined') return leads(rule.of)
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') return new Set(rule.rules.flatMap((each) => [...leads(each)]))
  if (rule.rule !== 'through') return new Set()
  const conjuncts = rule.of.rule === 'allOf' ? rule.of.rules : [rule.of]
  return new Set(conjuncts.some((each) => each.rule === 'some') ? [rule.relation] : [])
}

function owners(rule: RuleNode): ReadonlySet<string> {
  if (rule.rule === 'own') return new Set([rule.relation])
  if (rule.rule === 'may') return rule.mine === null ? new Set() : owners(rule.mine)
  if (rule.rule === 'confined') return owners(rule.of)
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') return new Set(rule.rules.flatMap((each) => [...owners(each)]))
  return new Set()
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
