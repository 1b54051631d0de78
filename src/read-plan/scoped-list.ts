// The readable part of a list for a class of actors: by rule, query, condition and visible order.

import { type Caller, requesterOf } from '../resource/actor.ts'
import { allOf, type Condition, fold } from '../resource/model/rule/condition.ts'
import { type ScopeCondition, scopeCondition } from '../resource/model/rule/query-condition.ts'
import { idCondition } from '../resource/model/rule/readability.ts'
import { visibleValueOf } from '../resource/model/rule/visible-value.ts'
import { whereCondition } from '../resource/model/rule/where-condition.ts'
import { relevance, visibleSearch } from '../resource/model/search/search.ts'
import type { ListShape, SortKey } from '../store/sql/condition/list-shape.ts'

/** Combines the rule with the query's and filters' visibility, so that no filter reveals a hidden record. */
export function readableCondition({ resource, filters, query: use }: ListShape, actor: Caller): Condition {
  const conditions = filters.flatMap(({ filter: { column }, present }) => {
    const relation = resource.relations.get(column.field)
    // An empty reference is no secret.
    return relation?.kind === 'one' && present !== false ? [idCondition(resource, relation, actor)] : []
  })
  const readable = fold(resource.read.allow, resource, actor)
  if (use !== undefined) conditions.push(fold(use.query.allow, resource, actor))
  return conditions.every(({ is }) => is === 'always') ? readable : allOf([readable, ...conditions])
}

/** Adds the query, the condition, and the sort values visible to this class. */
export function scopedList(unscoped: ListShape, actor: Caller): ListShape {
  const list = withVisibleValues(unscoped, actor)
  const { query: use, where, search } = list
  if (use === undefined && where == null && search == null) return list
  const scopes: ScopeCondition[] = []
  if (use?.query.scope != null) {
    const { query, missing } = use
    const scope = scopeCondition(query.scope!, missing, query.resource, requesterOf(actor))
    if (scope !== null) scopes.push(scope)
  }
  if (where != null) scopes.push({ is: 'condition', condition: whereCondition(where, actor) })
  if (search != null) scopes.push({ is: 'condition', condition: { is: 'match', search: visibleSearch(search, actor) } })
  const [scope = null] = scopes
  return { ...list, scope: scopes.length > 1 ? { is: 'all', of: scopes } : scope }
}

function withVisibleValues(list: ListShape, actor: Caller): ListShape {
  if (list.sort.every(({ by, column }) => by === undefined && column !== relevance)) return list
  const sort = list.sort.map((key): SortKey => {
    const { by, column, descending } = key
    if (column === relevance) return { column, descending, search: visibleSearch(list.search!, actor) }
    const visibleValue = by === undefined ? null : visibleValueOf(by, list.resource, actor)
    return visibleValue === null ? { column, descending } : { ...key, visibleValue }
  })
  return { ...list, sort }
}
