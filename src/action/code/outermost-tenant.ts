// The outermost tenant of the record that code of a definition is about.

import { type ServiceCaller, theService } from '../../resource/actor.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { CallbackArguments } from '../target/move.ts'

interface RecordTenant {
  readonly id: string
  readonly resource: ResourceModel
}

/** Null without a tenant. An action on the collection is in the tenant that its input names. */
export function outermostTenant(
  { resource }: ActionModel,
  { record, input }: Pick<CallbackArguments, 'record' | 'input'>,
): RecordTenant | null {
  const outer = resource.tenants.at(-1)
  if (outer === undefined) return resource.members === null ? null : { id: String(record['id'] ?? ''), resource }
  const id = record[outer.field] ?? input[outer.field] ?? ''
  return { id: String(id), resource: resource.relations.get(outer.field)!.target }
}

/** The tenants that records of it are in; null if in none. */
export function outermostOf({ tenants, relations }: ResourceModel): ResourceModel | null {
  const outer = tenants.at(-1)
  return outer === undefined ? null : relations.get(outer.field)!.target
}

/** The service, confined to the outermost tenant of the record. (contract 13.4.8) */
export function serviceAround(action: ActionModel, moment: Pick<CallbackArguments, 'record' | 'input'>): ServiceCaller {
  const tenant = outermostTenant(action, moment)
  return tenant === null ? theService : { inside: { id: tenant.id, resource: tenant.resource.name } }
}
