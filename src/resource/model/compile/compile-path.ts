// Compiles sort and summary paths: values of records, and of records they refer to.

import type { Requester } from '../../actor.ts'
import type { ColumnType } from '../../field/field.ts'
import { type CalendarUnit, calendarUnits } from '../../language/calendar.ts'
import { type Definition, sortsOf } from '../../language/definition.ts'
import type { GroupModel, OneRelation, ResourceModel, SortModel, ValuePath } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { visibleListOf, visibleValueOf } from '../rule/visible-value.ts'

/** Needs the rules and relations of all resources. */
export function compilePaths(resource: ResourceDraft, definition: Definition, everyone: readonly Requester[]): void {
  const { summary } = definition
  const byName = (names: readonly string[]) =>
    new Map(names.map((name) => [name, sortOf(valuePath(name, resource), resource, everyone)]))
  const sorts = sortsOf(definition)
  resource.sorts = byName(['createdAt', ...sorts.map(([path]) => path)])
  for (const [path, { within }] of sorts) {
    const relation = within === undefined ? undefined : resource.relations.get(within)
    if (relation?.kind === 'one') resource.sorts.set(path, { ...resource.sorts.get(path)!, inside: relation })
  }
  if (summary === undefined) return
  const groups = [...byName(summary.by)].map(([name, path]): [string, GroupModel] => [
    name,
    { ...path, units: unitsOf(path.column.type) },
  ])
  resource.summary = {
    groups: new Map(groups),
    measures: byName(summary.of ?? []),
    distinct: byName(summary.distinct ?? []),
  }
}

function unitsOf(type: ColumnType): readonly CalendarUnit[] {
  if (type === 'timestamp') return calendarUnits
  return type === 'date' ? calendarUnits.slice(1) : []
}

/** Parses `assignee.name`: optionally a list, then references, then a column, or a part of an object. */
function valuePath(name: string, holder: ResourceModel): ValuePath {
  const steps = name.split('.')
  const relations: OneRelation[] = []
  let list: ValuePath['list'] = null
  let resource = holder
  while (!resource.column.has(steps.join('.'))) {
    const relation = resource.relations.get(steps.shift()!)!
    if (relation.kind === 'one') relations.push(relation)
    else list = relation
    resource = relation.target
  }
  return { name, list, relations, resource, column: resource.column.get(steps.join('.'))! }
}

function sortOf(path: ValuePath, holder: ResourceModel, everyone: readonly Requester[]): SortModel {
  const visibleValues = everyone.map((actor) => visibleValueOf(path, holder, actor))
  const lists = everyone.map((actor) => visibleListOf(path, holder, actor))
  return {
    ...path,
    isHideable:
      visibleValues.some((visibleValue) => visibleValue !== null) || lists.some((list) => list?.isWhole === false),
    isHidden: visibleValues.every((visibleValue, at) => visibleValue?.isNever === true || lists[at]?.isNever === true),
    inside: null,
  }
}
