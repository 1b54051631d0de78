// Rewrites plain plans to cost less. Each rewrite is optional and changes no answer.

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

/** For the records of one root. `isScoped`: whether they are read by the actor's rule. */
export function createOptimiser(
  { join, backReference, jsonText }: Optimisations,
  isScoped: boolean,
): (record: RecordPlan) => RecordPlan {
  const joins = noJoins()
  return (record) => {
    // In this order: a back reference needs no join, and a list can be text once its back references need no statement.
    const referred = backReference ? referToParents(record, isScoped) : record
    const joined = join ? joinReferences(referred, joins) : referred
    return jsonText ? writeListsAsText(joined) : joined
  }
}
