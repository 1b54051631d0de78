// A rule as one word for each caller, so that the rights of all roles fit into one table.

import type { Right } from '../../explorer/overview/overview.ts'
import type { Actor } from '../../resource/actor.ts'
import { type Condition, fold, innerConditions } from '../../resource/model/condition.ts'
import type { ActionModel, Model } from '../../resource/model/model.ts'

/** Nobody first, then every role in the order of the definition. */
export const callersOf = ({ roles }: Model): readonly Caller[] => [
  { name: 'nobody signed in', actor: null },
  ...[...roles].map(([role, permissions]) => ({ name: role, actor: { ...someone, role, permissions } })),
]
export interface Caller {
  readonly name: string
  readonly actor: Actor | null
}
const someone = {
  id: '',
  scopes: null,
  credential: { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) },
} as const

export function rightOf({ allow, resource }: ActionModel, { actor }: Caller): Right {
  const condition = fold(allow, resource, actor)
  if (condition.is === 'always') return 'all'
  if (condition.is === 'never') return 'none'
  const alternatives = condition.is === 'any' ? condition.of : [condition]
  const rights = new Set(alternatives.map(rightFrom))
  return rights.size === 1 ? [...rights][0]! : 'some'
}

/** Of one of the ways in which a rule may hold. */
function rightFrom(condition: Condition): Right {
  const parts = condition.is === 'all' ? condition.of : [condition]
  if (parts.some((each) => each.is === 'actor')) return 'own'
  return parts.some(isAboutActor) ? 'inside' : 'some'
}

/** Whether it leads to a record that names the caller: a membership, or the owner of what it belongs to. */
const isAboutActor = (condition: Condition): boolean =>
  condition.is !== 'not' && (condition.is === 'actor' || innerConditions(condition).some(isAboutActor))
