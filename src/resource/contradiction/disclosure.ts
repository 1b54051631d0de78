// What would tell of what is hidden: answers that shared caches keep, orders and filters of lists, and computed fields.

import type { Requester } from '../actor.ts'
import { isReadableThroughout } from '../model/kept-readability.ts'
import type { Model, ResourceModel } from '../model/model.ts'
import { everyClass } from '../model/readability.ts'
import { isKeys } from '../model/tenant-key.ts'
import { asksForTime } from '../model/time-dependence.ts'
import type { Report } from './report.ts'

export function disclosureContradictions({ resources, roles }: Model, report: Report): void {
  const everyone = everyClass(roles, resources.find(isKeys))
  for (const resource of resources) {
    checkCaching(resource, report)
    checkOrder(resource, report)
    checkFilters(resource, report)
    checkComputed(resource, report)
    checkKeptNumbers(resource, everyone, report)
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

/** A number is the same for every reader, so that whoever reads it must be able to read all that it follows from. (contract 13.2.3) */
function checkKeptNumbers({ name, keptNumbers }: ResourceModel, everyone: readonly Requester[], report: Report): void {
  for (const number of keptNumbers) {
    if (number.isShownToAll || isReadableThroughout(number, everyone)) continue
    const { column, relation } = number
    report(
      `${name}.${column.field}`,
      `it would tell of each ${relation.target.name} that is hidden from a reader of ${name}, or it cannot be proven that none is`,
      "say shown: 'to all' if it may",
    )
  }
}
