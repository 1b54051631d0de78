// Rewrites the resources of a service into plainer ones, once per service.

import { memoize } from '../../cache/memoize.ts'
import type { Definition, ServiceDefinition } from '../language/definition.ts'

export const mapValues = <V, W>(
  values: Readonly<Record<string, V>>,
  map: (value: V, name: string) => W,
): Record<string, W> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))

/** `concerns`: whether a resource needs the rewriting; a service without such resources stays the same object. */
export function createExpansion(
  concerns: (definition: Definition) => boolean,
  expand: (definition: Definition) => Definition,
): (service: ServiceDefinition) => ServiceDefinition {
  const expandAll = memoize(
    (service: ServiceDefinition): ServiceDefinition => ({
      ...service,
      resources: mapValues(service.resources, (each) => (concerns(each) ? expand(each) : each)),
    }),
  )
  return (service) => (Object.values(service.resources).some(concerns) ? expandAll(service) : service)
}
