// Rewrites `accept: [{ list: 'lines', min: 1 }]` to names and what is required of lists; later stages know no other form.

import type { ActionDefinition, Definition, WrittenAction } from '../../language/definition.ts'
import { createExpansion, mapValues } from '../expand-resources.ts'

/** (contract 13.1.24, 13.1.26) */
export const withAcceptedLists = createExpansion(
  ({ actions }) => Object.values(actions).some(({ accept = [] }) => (accept as readonly Accepted[]).some(isList)),
  (definition): Definition => ({ ...definition, actions: mapValues(definition.actions, named) }),
)

type Accepted = NonNullable<WrittenAction['accept']>[number]
const isList = (accepted: Accepted): accepted is Exclude<Accepted, string> => typeof accepted === 'object'

function named(action: ActionDefinition): ActionDefinition {
  const { accept } = action as WrittenAction
  if (accept === undefined) return action
  const lists = Object.fromEntries(accept.filter(isList).map(({ list, ...terms }) => [list, terms]))
  return { ...action, accept: accept.map((each) => (isList(each) ? each.list : each)), lists }
}
