// Filters and orders open to an actor: they must not reveal more than reading does. (contract 4.3.3, 4.3.6)

import { type Caller, isService } from '../resource/actor.ts'
import type { FilterModel, ResourceModel } from '../resource/model/model.ts'
import { fold } from '../resource/model/rule/condition.ts'

/** Whether the actor satisfies the filter's own rule. */
export function mayFilterBy({ column }: FilterModel, resource: ResourceModel, actor: Caller): boolean {
  const rule = resource.protect.get(column.field)?.filter
  return rule === undefined || isService(actor) || fold(rule, resource, actor).is === 'always'
}

/** Otherwise the order or length of a list would reveal hidden values. */
export function isReadableEverywhere(field: string, resource: ResourceModel, actor: Caller): boolean {
  const rule = resource.protect.get(field)?.read
  return rule === undefined || isService(actor) || fold(rule, resource, actor).is === 'always'
}
