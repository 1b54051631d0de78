// What of a list the actors of one class may read: by its rule, by what its query and the client ask, and in which order they see it.

import { type Asker, requesterOf } from '../resource/actor.ts'
import { allOf, type Condition, fold } from '../resource/model/condition.ts'
import { type ScopeCondition, scopeCondition } from '../resource/model/query-condition.ts'
import { disclosureCondition } from '../resource/model/readability.ts'
import { relevance, searchSight } from '../resource/model/search.ts'
import { sightOf } from '../resource/model/sight.ts'
import { whereCondition } from '../resource/model/where-condition.ts'
import type { ListShape, SortKey } from '../store/sql/list-shape.ts'

/** What may be read, where no filter tells of a record that is hidden. */
export function readableCondition({ resource, filters }: ListShape, actor: Asker): Condition {
  const conditions = filters.flatMap(({ filter: { column }, present }) => {
    const relation = resource.relations.get(column.field)
    // A record that refers to nothing is told as such.
    return relation?.kind === 'one' && present !== false ? [disclosureCondition(resource, relation, actor)] : []
  })
  const readable = fold(resource.read.allow, resource, actor)
  return conditions.every(({ is }) => is === 'always') ? readable : allOf([readable, ...conditions])
}

/** With what actors of this class see of what it is sorted by, and with what its query and the client ask. */
export function scopedList(unscoped: ListShape, actor: Asker): ListShape {
  const list = sightedList(unscoped, actor)
  const { query: use, where, search } = list
  if (use === undefined && where == null && search == null) return list
  const scopes: ScopeCondition[] = []
  if (use?.query.scope != null) {
    const { query, missing } = use
    const scope = scopeCondition(query.scope!, missing, query.resource, requesterOf(actor))
    if (scope !== null) scopes.push(scope)
  }
  if (where != null) scopes.push({ is: 'condition', condition: whereCondition(where, actor) })
  if (search != null) scopes.push({ is: 'condition', condition: { is: 'match', search: searchSight(search, actor) } })
  const [scope = null] = scopes
  return { ...list, scope: scopes.length > 1 ? { is: 'all', of: scopes } : scope }
}

function sightedList(list: ListShape, actor: Asker): ListShape {
  if (list.sort.every(({ by, column }) => by === undefined && column !== relevance)) return list
  const sort = list.sort.map((key): SortKey => {
    const { by, column, descending } = key
    if (column === relevance) return { column, descending, search: searchSight(list.search!, actor) }
    const sight = by === undefined ? null : sightOf(by, list.resource, actor)
    return sight === null ? { column, descending } : { ...key, sight }
  })
  return { ...list, sort }
}
