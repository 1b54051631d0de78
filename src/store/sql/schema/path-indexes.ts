// Indexes for conditions on related records: `author.name = "Ada"` finds the author first.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { Model, ResourceModel, WhereBranch } from '../../../resource/model/model.ts'
import type { Dialect } from '../text/dialect.ts'
import type { WantedIndex } from './index-plan.ts'
import { isIndexed, isUniqueAlone } from './indexes.ts'

/** By resource of the related records. None on SQLite, which walks the list. */
export function pathIndexes(
  { resources }: Pick<Model, 'resources'>,
  { engine }: Dialect,
): ReadonlyMap<ResourceModel, readonly WantedIndex[]> {
  const wanted = new Map<ResourceModel, WantedIndex[]>()
  if (engine === 'sqlite') return wanted
  const follow = ({ steps }: WhereBranch, question: string): void => {
    for (const { relation, of } of steps.values()) {
      if (relation.kind !== 'one') continue
      for (const value of of.values.values()) {
        const { column, tests } = value
        if (tests.has('contains') || !isIndexed(value) || isUniqueAlone(column, of.resource)) continue
        // Like the resource's own conditions.
        const columns = [column.name, 'created_at', 'id']
        getOrInsert(wanted, of.resource, () => []).push({ question, columns, fixed: 1, conditions: [] })
      }
      follow(of, question)
    }
  }
  for (const { where, name } of resources) if (where !== null) follow(where, `where of ${name}`)
  return wanted
}
