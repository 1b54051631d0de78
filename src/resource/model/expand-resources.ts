// Rewrites the resources of a service into plainer ones, once per service.

import { memoize } from '../../cache/memoize.ts'
import type { Definition, ServiceDefinition } from '../language/definition.ts'

export const mapValues = <V, W>(
  values: Readonly<Record<string, V>>,
  map: (value: V, name: string) => W,
): Record<string, W> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))

type Expansion = (service: ServiceDefinition) => ServiceDefinition

/** `concerns`: whether a resource needs the rewriting; a service without such resources stays the same object. */
export function createExpansion(
  concerns: (definition: Definition) => boolean,
  expand: (definition: Definition) => Definition,
): Expansion {
  return createServiceExpansion(concerns, (service) => ({
    ...service,
    resources: mapValues(service.resources, (each) => (concerns(each) ? expand(each) : each)),
  }))
}

/** The same where each resource is rewritten, knowing the others. */
export function createServiceExpansion(concerns: (definition: Definition) => boolean, expand: Expansion): Expansion {
  const expandOnce = memoize(expand)
  return (service) => (Object.values(service.resources).some(concerns) ? expandOnce(service) : service)
}
