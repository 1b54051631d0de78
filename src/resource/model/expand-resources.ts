// Rewrites the resources of a service into plainer ones, once per service.

import { memoize } from '../../cache/memoize.ts'
import type { Definition, ServiceDefinition } from '../language/definition.ts'

/** `concerns`: whether a resource needs the rewriting; a service without such resources stays the same object. */
export function createExpansion(
  concerns: (definition: Definition) => boolean,
  expand: (definition: Definition) => Definition,
): (service: ServiceDefinition) => ServiceDefinition {
  const expandAll = memoize((service: ServiceDefinition): ServiceDefinition => {
    const entries = Object.entries(service.resources).map(([key, each]) => [key, concerns(each) ? expand(each) : each])
    return { ...service, resources: Object.fromEntries(entries) }
  })
  return (service) => (Object.values(service.resources).some(concerns) ? expandAll(service) : service)
}
