// Compiles the named queries of a resource.

import { initialValue, kindOf } from '../../field/registry.ts'
import type { QueryDefinition } from '../../language/definition.ts'
import { sortNumber } from '../column.ts'
import type { QueryModel, ResourceModel } from '../model.ts'
import { isAboutMe } from '../rule/comparison.ts'
import { compileScope } from '../rule/query-condition.ts'
import type { Scope, ScopeTest } from '../scope.ts'

/** The position of a record in the result of `ids`. */
export const placeColumn = sortNumber('_place')

/** Expects a definition without contradictions. */
export function compileQuery(name: string, definition: QueryDefinition, resource: ResourceModel): QueryModel {
  const { allow, about, args = {}, where, ids, sort = [] } = definition
  const tests: ScopeTest[] = []
  const scope = where === undefined ? null : compileScope(where, resource, tests)
  return {
    name,
    resource,
    allow,
    about,
    args: Object.entries(args).map(([argument, spec]) => ({
      name: argument,
      spec,
      kind: kindOf(spec),
      initial: initialValue(spec),
    })),
    where: where ?? null,
    scope,
    tests,
    ids: ids ?? null,
    sort: sort.length === 0 ? usualSort(resource, ids !== undefined) : sort.map((each) => sortKey(each, resource)),
    isPublic: allow.rule === 'anyone' && scope !== null && isSameForAll(scope),
  }
}

const usualSort = (resource: ResourceModel, isOfIds: boolean): QueryModel['sort'] =>
  isOfIds
    ? [{ column: placeColumn, descending: false }]
    : [{ column: resource.column.get('createdAt')!, descending: true }]

function sortKey(key: string, resource: ResourceModel): QueryModel['sort'][number] {
  const descending = key.startsWith('-')
  return { column: resource.column.get(descending ? key.slice(1) : key)!, descending }
}

function isSameForAll(scope: Scope): boolean {
  if (scope.is === 'rule') {
    const { rule } = scope
    return rule.rule === 'anyone' || (rule.rule === 'when' && !Object.values(rule.values).some(isAboutMe))
  }
  return scope.is === 'test' || scope.of.every(isSameForAll)
}
