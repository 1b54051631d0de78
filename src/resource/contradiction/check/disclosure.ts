// Checks that nothing reveals hidden values: shared caches, the order and filters of lists, computed fields.

import { isDeepStrictEqual } from 'node:util'
import type { Requester } from '../../actor.ts'
import { isEitherField } from '../../model/either.ts'
import type { Model, ResourceModel } from '../../model/model.ts'
import { isReadableThroughout } from '../../model/number/kept-readability.ts'
import { everyClass } from '../../model/rule/readability.ts'
import { dependsOnTime } from '../../model/rule/time-dependence.ts'
import type { Report } from '../report/report.ts'

export function disclosureContradictions({ resources, roles }: Model, report: Report): void {
  const everyone = everyClass(roles, resources)
  for (const resource of resources) {
    checkCaching(resource, report)
    checkOrder(resource, report)
    checkFilters(resource, report)
    checkComputed(resource, report)
    checkKeptNumbers(resource, everyone, report)
    checkTimedMoves(resource, report)
  }
}

/** A response in a shared cache must not depend on the reader or on time. */
function checkCaching(resource: ResourceModel, report: Report): void {
  if (resource.read.maxAgeSeconds === null) return
  for (const [field, { read }] of resource.protect)
    if (read !== undefined && dependsOnTime(read, resource))
      report(
        `${resource.name}.protect.${field}`,
        'who may read it depends on the time, and shared caches keep the answer',
        'strike maxAgeSeconds of read',
      )
}

/** The default order of a query is the same for every reader. */
function checkOrder({ name, hideable, queries }: ResourceModel, report: Report): void {
  for (const { field, target } of hideable)
    for (const query of queries.values())
      if (query.sort.some(({ column }) => column.field === field))
        report(
          `${name}.queries.${query.name}`,
          `its sort by ${field} would reveal each ${target.name} that is hidden`,
          'sort by another field',
        )
}

/** The filter would distinguish a hidden record from a missing one, which has no type either. */
function checkFilters({ name, hideable, filters }: ResourceModel, report: Report): void {
  for (const filter of filters.values()) {
    const relation = hideable.find(({ column }) => column === filter.column)
    if (filter.test === 'isPresent' && filter.isOfEither !== true && relation !== undefined)
      report(
        `${name}.filter.${filter.name}`,
        `whether ${relation.field} is there would reveal each ${relation.target.name} that is hidden`,
        'strike it',
      )
  }
}

/** An `either` hides what its relations hide. */
function checkComputed({ name, hideable, fields, storedValues }: ResourceModel, report: Report): void {
  const computed = [...fields.values()].flatMap((each) =>
    each.computed === null || isEitherField(each) ? [] : { field: each.name, from: each.computed.from },
  )
  const stored = storedValues.map(({ column: { field }, from }) => ({ field, from }))
  for (const { field, from } of [...computed, ...stored]) {
    const relation = hideable.find(({ column }) => from.includes(column))
    if (relation !== undefined)
      report(
        `${name}.${field}`,
        `it is made from ${relation.field}, which would reveal each ${relation.target.name} that is hidden`,
        'make it from other fields',
      )
  }
}

/** When a move is made reveals its due time to those who see what it changes. (contract 14.1.9) */
function checkTimedMoves({ name, hideable, protect, timedMoves }: ResourceModel, report: Report): void {
  for (const { action, on, relation, shifts, isShownToAll } of timedMoves) {
    const ruleOf = (field: string) => protect.get(field)?.read
    const counts = shifts.flatMap(({ count }) => (typeof count === 'number' ? [] : count.field))
    const rules = [relation === null ? on.field : relation.field, ...counts].map(ruleOf).filter((each) => each != null)
    const isRemote =
      relation !== null && (hideable.includes(relation) || relation.target.protect.get(on.field)?.read != null)
    const written = [
      ...action.set.map(({ column }) => column.field),
      ...(action.to === null ? [] : [action.resource.state!.field]),
    ]
    const isAsProtected = (field: string) => rules.every((rule) => isDeepStrictEqual(ruleOf(field), rule))
    const isHidden = !isRemote && (rules.length === 0 || (action.emit === null && written.every(isAsProtected)))
    if (!isHidden && !isShownToAll)
      report(
        `${name}.${action.name}`,
        `the moment at which it is made would reveal its at to readers of ${name} who may not read that`,
        "write shown: 'to all' if it may",
      )
  }
}

/** A kept number is the same for every reader, so its readers must be able to read every record it includes. (contract 13.2.3) */
function checkKeptNumbers({ name, keptNumbers }: ResourceModel, everyone: readonly Requester[], report: Report): void {
  for (const number of keptNumbers) {
    if (number.isShownToAll || isReadableThroughout(number, everyone)) continue
    const { column, relation } = number
    report(
      `${name}.${column.field}`,
      `it would reveal each ${relation.target.name} that is hidden from a reader of ${name}, or it cannot be proven that none is`,
      "write shown: 'to all' if it may",
    )
  }
}
