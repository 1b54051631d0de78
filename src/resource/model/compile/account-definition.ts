// Points the relations of the library's own resources to the service's account resource.

import type { OneSpec } from '../../field/relation.ts'
import { accountName, type Definition, type ServiceDefinition } from '../../language/definition.ts'

export function withAccounts(
  service: ServiceDefinition,
  own: readonly Definition[],
): readonly [ServiceDefinition, readonly Definition[]] {
  const name = accountName(service)
  if (name === 'User') return [service, own]
  // A definition that occurs twice must stay one object.
  const all = new Map([...own, ...Object.values(service.resources)].map((each) => [each, ledTo(name, each)]))
  const entries = Object.entries(service.resources).map(([key, each]) => [key, all.get(each)!])
  return [{ ...service, resources: Object.fromEntries(entries) }, own.map((each) => all.get(each)!)]
}

function ledTo(name: string, definition: Definition): Definition {
  const { fields } = definition
  const led = Object.entries(fields).filter(([, spec]) => (spec as OneSpec).leadsToAccount === true)
  if (led.length === 0) return definition
  const changed = Object.fromEntries(led.map(([field, spec]) => [field, { ...spec, target: name }]))
  return { ...definition, fields: { ...fields, ...changed } }
}
