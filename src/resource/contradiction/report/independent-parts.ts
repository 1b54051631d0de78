// A definition without the parts that contradictions concern, if the others compile without them.

import type { Definition, ServiceDefinition } from '../../language/definition.ts'

/** Parts of a resource on which readability does not depend. */
const parts = ['exclude', 'filter', 'keys', 'queries', 'search', 'sort', 'summary', 'unique', 'where'] as const
type Part = (typeof parts)[number]

/** Leaves out the actions, queries and the like that these sentences are about. */
export function withoutParts(sentences: readonly string[], definition: ServiceDefinition): ServiceDefinition {
  const places = sentences.map((each) => each.slice(0, each.indexOf(': ')).split(/[^\w]/))
  const entries = Object.entries(definition.resources).map(([key, each]): [string, Definition] => [
    key,
    places.filter(([place]) => place === key || place === each.name).reduce(withoutPart, each),
  ])
  return { ...definition, resources: Object.fromEntries(entries) as ServiceDefinition['resources'] }
}

function withoutPart(definition: Definition, [, name = '', entry = '']: readonly string[]): Definition {
  const { actions } = definition
  if (name !== 'read' && Object.hasOwn(actions, name)) return { ...definition, actions: without(actions, name) }
  if (!parts.includes(name as Part)) return definition
  const part: unknown = definition[name as Part]
  const isNamed = typeof part === 'object' && part !== null && !Array.isArray(part) && Object.hasOwn(part, entry)
  return isNamed ? { ...definition, [name]: without(part, entry) } : without(definition, name)
}

const without = <T extends object>(whole: T, name: string): T =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)) as T
