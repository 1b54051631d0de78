// What webhooks of the library take from the service that lists them: its current version, and who may change them. (contract 15.2)

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { Definition, ServiceDefinition } from '../../language/definition.ts'
import { isWebhooks } from './tenant-key.ts'

/** A new webhook without a version has the current one. Returns the same service if it has no webhooks. */
export const withWebhooks = (service: ServiceDefinition): ServiceDefinition =>
  Object.values(service.resources).some(isWebhooks) ? getOrInsert(expansions, service, expand) : service
const expansions = new WeakMap<ServiceDefinition, ServiceDefinition>()

function expand(service: ServiceDefinition): ServiceDefinition {
  const current = Object.keys(service.versions ?? { v1: 'current' }).at(-1)!
  const resources = mapValues(service.resources, (each) => {
    if (!isWebhooks(each)) return each
    const apiVersion = { ...each.fields['apiVersion']!, default: current }
    return { ...each, fields: { ...each.fields, apiVersion } }
  })
  return { ...service, resources }
}

/** Those who may change a webhook may replay its deliveries, members of a tenant among them. */
export function withDeliveries(resources: Readonly<Record<string, Definition>>): Readonly<Record<string, Definition>> {
  const webhooks = Object.values(resources).find(isWebhooks)
  if (webhooks === undefined) return resources
  const { allow } = webhooks.actions['update']!
  return mapValues(resources, (each) => {
    const replay = each.name === 'WebhookDelivery' ? each.actions['replay'] : undefined
    if (replay === undefined) return each
    return {
      ...each,
      actions: { ...each.actions, replay: { ...replay, allow: { rule: 'through', relation: 'webhook', of: allow } } },
    }
  })
}

const mapValues = (
  values: Readonly<Record<string, Definition>>,
  map: (value: Definition) => Definition,
): Readonly<Record<string, Definition>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
