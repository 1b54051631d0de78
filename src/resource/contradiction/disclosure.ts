// What would tell of what is hidden: answers that shared caches keep, orders and filters of lists, and computed fields.

import type { Model, ResourceModel } from '../model/model.ts'
import { asksForTime } from '../model/time-dependence.ts'
import type { Report } from './report.ts'

export function disclosureContradictions({ resources }: Model, report: Report): void {
  for (const resource of resources) {
    checkCaching(resource, report)
    checkOrder(resource, report)
    checkFilters(resource, report)
    checkComputed(resource, report)
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

/** The order that a query has where a client asks for none is the same for everybody. */
function checkOrder({ name, hideable, queries }: ResourceModel, report: Report): void {
  for (const { field, target } of hideable)
    for (const query of queries.values())
      if (query.sort.some(({ column }) => column.field === field))
        report(
          `${name}.queries.${query.name}`,
          `its sort by ${field} would tell of each ${target.name} that is hidden`,
          'sort by another field',
        )
}

/** A record that is there and hidden would be told from one that is not there. */
function checkFilters({ name, hideable, filters }: ResourceModel, report: Report): void {
  for (const filter of filters.values()) {
    const relation = hideable.find(({ column }) => column === filter.column)
    if (filter.test === 'isPresent' && relation !== undefined)
      report(
        `${name}.filter.${filter.name}`,
        `whether ${relation.field} is there would tell of each ${relation.target.name} that is hidden`,
        'strike it',
      )
  }
}

function checkComputed({ name, hideable, fields }: ResourceModel, report: Report): void {
  for (const field of fields.values()) {
    const relation = hideable.find(({ column }) => field.computed?.from.includes(column))
    if (relation !== undefined)
      report(
        `${name}.${field.name}`,
        `it is made from ${relation.field}, which would tell of each ${relation.target.name} that is hidden`,
        'make it from other fields',
      )
  }
}
