// Selections for tests of plans, written as briefly as GraphQL writes them.

import { type Part, type Selection, totalOrder } from '../../../src/read-plan/selection.ts'
import type { ResourceModel } from '../../../src/resource/model/model.ts'

/** A field, or relations with what is selected behind each. */
export type Choice = string | { readonly [relation: string]: readonly Choice[] }

/** Selects these parts of a resource. All lists have the list arguments of slot 0; what is `hidden` is refused unless said. */
export function select(
  resource: ResourceModel,
  choices: readonly Choice[],
  hidden: Selection['hidden'] = 'refuse',
): Selection {
  return { resource, hidden, parts: choices.flatMap((choice) => partsOf(resource, choice, hidden)) }
}

function partsOf(resource: ResourceModel, choice: Choice, hidden: Selection['hidden']): readonly Part[] {
  if (typeof choice === 'string') return [{ kind: 'field', key: choice, field: choice, nullable: false }]
  return Object.entries(choice).map(([key, choices]) => relationPart(resource, key, choices, hidden))
}

function relationPart(
  resource: ResourceModel,
  key: string,
  choices: readonly Choice[],
  hidden: Selection['hidden'],
): Part {
  const relation = resource.relations.get(key)!
  const { target } = relation
  const of = select(target, choices, hidden)
  if (relation.kind === 'one') return { kind: 'one', key, relation, of, nullable: relation.column.nullable }
  const sort = totalOrder(target, [{ column: target.column.get('createdAt')!, descending: false }])
  const list = { resource: target, filters: [], sort, seek: null, backward: false, offset: false }
  return { kind: 'list', key, relation, list, slot: 0, of, nullable: false }
}

/** The arguments of a list from its beginning. */
export const firstOf = (size: number) => ({
  size,
  offset: 0,
  cursor: null,
  filter: [],
  binding: null,
  countMax: 1_000,
})
