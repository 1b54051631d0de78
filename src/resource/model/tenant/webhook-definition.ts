// What webhooks of the library take from the service that lists them: its current version, and who may change them. (contract 15.2)

import type { SpecBase } from '../../field/field.ts'
import type { Definition, ServiceDefinition } from '../../language/definition.ts'
import { createServiceExpansion, mapValues } from '../expand-resources.ts'
import { isDeliveries, isWebhooks } from './tenant-key.ts'

/** A new webhook without a version has the current one. Returns the same service if it has no webhooks. */
export const withWebhooks = createServiceExpansion(isWebhooks, expand)

function expand(service: ServiceDefinition): ServiceDefinition {
  const current = Object.keys(service.versions ?? { v1: 'current' }).at(-1)!
  const actions = Object.values(service.resources).flatMap((each) => Object.values(each.actions))
  const event = actions.find(({ emit }) => emit !== undefined)?.emit?.event
  const resources = mapValues(service.resources, (each) => {
    if (!isWebhooks(each)) return each
    const { apiVersion, events } = each.fields
    return {
      ...each,
      fields: {
        ...each.fields,
        apiVersion: { ...apiVersion!, default: current, example: current },
        events: { ...events!, of: { ...(events as TextList).of, example: event } },
      },
    }
  })
  return { ...service, resources }
}

type TextList = SpecBase & { readonly of: SpecBase }

/** Those who may change a webhook may replay its deliveries, members of a tenant among them. */
export function withDeliveries(resources: Readonly<Record<string, Definition>>): Readonly<Record<string, Definition>> {
  const webhooks = Object.values(resources).find(isWebhooks)
  if (webhooks === undefined) return resources
  const { allow } = webhooks.actions['update']!
  return mapValues(resources, (each) => {
    const replay = isDeliveries(each) ? each.actions['replay'] : undefined
    if (replay === undefined) return each
    return {
      ...each,
      actions: { ...each.actions, replay: { ...replay, allow: { rule: 'through', relation: 'webhook', of: allow } } },
    }
  })
}
