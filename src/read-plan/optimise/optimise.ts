// Rewrites plain plans so that they cost less. Each rewrite can be left out, and the answers stay the same.

import type { RecordPlan } from '../plain-plan.ts'
import { referToParents } from './back-reference.ts'
import { joinReferences, noJoins } from './join.ts'
import { writeListsAsText } from './json-text.ts'

export interface Optimisations {
  readonly join: boolean
  readonly backReference: boolean
  readonly jsonText: boolean
}
export const allOptimisations: Optimisations = { join: true, backReference: true, jsonText: true }

/** Makes the rewrite for all records of one root. `isScoped`: whether they are read only if the actor may read them. */
export function createOptimiser(
  { join, backReference, jsonText }: Optimisations,
  isScoped: boolean,
): (record: RecordPlan) => RecordPlan {
  const joins = noJoins()
  return (record) => {
    // A reference to the parent needs no join, and a list is text only once it needs no statement for such a reference.
    const referred = backReference ? referToParents(record, isScoped) : record
    const joined = join ? joinReferences(referred, joins) : referred
    return jsonText ? writeListsAsText(joined) : joined
  }
}
