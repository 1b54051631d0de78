// Rewrites `accept: [{ list: 'lines', min: 1 }]` to names and what is required of lists; later stages know no other form.

import type { ActionDefinition, ServiceDefinition, WrittenAction } from '../../language/definition.ts'

/** (contract 13.1.24, 13.1.26) */
export function withAcceptedLists(definition: ServiceDefinition): ServiceDefinition {
  const resources = Object.entries(definition.resources).map(([key, resource]) => {
    const actions = Object.entries(resource.actions)
    if (!actions.some(([, { accept = [] }]) => (accept as NonNullable<WrittenAction['accept']>).some(isList)))
      return [key, resource]
    return [key, { ...resource, actions: Object.fromEntries(actions.map(([name, action]) => [name, named(action)])) }]
  })
  return { ...definition, resources: Object.fromEntries(resources) }
}

type Accepted = NonNullable<WrittenAction['accept']>[number]
const isList = (accepted: Accepted): accepted is Exclude<Accepted, string> => typeof accepted === 'object'

function named(action: ActionDefinition): ActionDefinition {
  const { accept } = action as WrittenAction
  if (accept === undefined) return action
  const lists = Object.fromEntries(accept.filter(isList).map(({ list, ...terms }) => [list, terms]))
  return { ...action, accept: accept.map((each) => (isList(each) ? each.list : each)), lists }
}
