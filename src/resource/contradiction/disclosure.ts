// What would tell of what is hidden: answers that shared caches keep, and orders of lists.

import type { Model, ResourceModel } from '../model/model.ts'
import { asksForTime } from '../model/time-dependence.ts'
import type { Report } from './report.ts'

export function disclosureContradictions({ resources }: Model, report: Report): void {
  for (const resource of resources) {
    checkCaching(resource, report)
    checkOrder(resource, report)
  }
}

/** What shared caches keep must be the same for everybody, and a minute later. */
function checkCaching(resource: ResourceModel, report: Report): void {
  if (resource.read.maxAgeSeconds === null) return
  for (const [field, { read }] of resource.protect)
    if (read !== undefined && asksForTime(read, resource))
      report(
        `${resource.name}.protect.${field}`,
        'who may read it depends on the time, and shared caches keep the answer',
        'strike maxAgeSeconds of read',
      )
}

function checkOrder({ name, hideable, sorts, queries }: ResourceModel, report: Report): void {
  for (const { field, target } of hideable) {
    const where = [
      ...(sorts.has(field) ? [name] : []),
      ...[...queries.values()].flatMap((query) =>
        query.sort.some(({ column }) => column.field === field) ? [`${name}.queries.${query.name}`] : [],
      ),
    ]
    for (const each of where)
      report(each, `its sort by ${field} would tell of each ${target.name} that is hidden`, 'sort by another field')
  }
}
