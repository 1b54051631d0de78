// Which filters and orders of a list are open to an actor: neither may tell what reading would not. (contract 4.3.3, 4.3.6)

import { type Asker, isService } from '../resource/actor.ts'
import { fold } from '../resource/model/condition.ts'
import type { FilterModel, ResourceModel } from '../resource/model/model.ts'

/** Whether the actor holds what the filter's own rule asks for. */
export function mayFilterBy({ column }: FilterModel, resource: ResourceModel, actor: Asker): boolean {
  const rule = resource.protect.get(column.field)?.filter
  return rule === undefined || isService(actor) || fold(rule, resource, actor).is === 'always'
}

/** Whether the actor may read this field of every record: otherwise the order of a list, or its length, would tell. */
export function isReadableEverywhere(field: string, resource: ResourceModel, actor: Asker): boolean {
  const rule = resource.protect.get(field)?.read
  return rule === undefined || isService(actor) || fold(rule, resource, actor).is === 'always'
}
