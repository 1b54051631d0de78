// Compiles the moves that the clock makes. Needs actions and relations.

import type { Definition } from '../../language/definition.ts'
import type { DueDefinition } from '../../language/due.ts'
import { timedNames } from '../../naming/casing.ts'
import type { Column } from '../column.ts'
import type { OneRelation, TimedMove } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'

export function compileTimedMoves(
  resource: ResourceDraft,
  { actions }: Definition,
  drafts: ReadonlyMap<string, ResourceDraft>,
): void {
  for (const [name, { at, past = false, shown }] of Object.entries(actions)) {
    if (at === undefined) continue
    const { due, shifts } = dueOf(at)
    const [first, field] = due.split('.') as [string, string?]
    const relation = field === undefined ? null : (resource.relations.get(first) as OneRelation)
    const { made, parked, copy } = timedNames(name)
    const move: TimedMove = {
      name: `${resource.name}.${name}`,
      action: resource.actions.get(name)!,
      on: relation === null ? resource.column.get(first)! : relation.target.column.get(field!)!,
      relation,
      shifts: shifts.map(({ unitSeconds, count }) => ({
        unitSeconds,
        count: typeof count === 'number' ? count : resource.column.get(count.field)!,
      })),
      made,
      parked,
      copy: relation === null ? null : copy,
      includesPast: past,
      isShownToAll: shown !== undefined,
    }
    resource.timedMoves.push(move)
    if (relation !== null) drafts.get(relation.target.name)!.timedReferrers.push(move)
  }
}

export const dueOf = (at: string | DueDefinition): DueDefinition =>
  typeof at === 'string' ? { due: at, shifts: [] } : at

/** The record's own columns that its due time is made of, without the relation to another record. */
export const dueColumns = ({ on, relation, shifts }: TimedMove): readonly Column[] => [
  ...(relation === null ? [on] : []),
  ...shifts.flatMap(({ count }) => (typeof count === 'number' ? [] : count)),
]
