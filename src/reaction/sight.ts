// What a reaction cannot see is said to it. It reads as somebody who owns nothing: lists would lack what belongs to
// somebody, and fields that nobody may read would be undefined.

import type { RouteRecords } from '../program/records.ts'
import type { Actor } from '../resource/actor.ts'
import type { AnyResource } from '../resource/language/any-resource.ts'
import { type Condition, fold } from '../resource/model/condition.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'

type Readable = Pick<RouteRecords, 'get' | 'list'>

/**
 * The same records, which reject where who may read a resource depends on whose a record is, and throw where a field is
 * read that this reader may not see.
 */
export function withinSight({ get, list }: Readable, reader: Actor, { byName }: Pick<Model, 'byName'>): Readable {
  const requireSight = ({ name }: AnyResource): void => {
    const resource = byName.get(name)
    if (resource === undefined || !asksWhose(fold(resource.read.allow, resource, reader))) return
    throw new Error(
      `A reaction cannot read ${resource.path} by records: who may depends on whose they are. ${remedy(resource)}`,
    )
  }
  const watched = <T extends object>({ name }: AnyResource, record: T): T => {
    const resource = byName.get(name)!
    for (const field of resource.masked)
      if (!(field in record)) Object.defineProperty(record, field, hidden(resource, field))
    return record
  }
  return {
    get: async (resource, id) => {
      requireSight(resource)
      return watched(resource, await get(resource, id))
    },
    list: async (resource, which) => {
      requireSight(resource)
      const { records, hasNext } = await list(resource, which)
      return { records: records.map((each) => watched(resource, each)), hasNext }
    },
  }
}

/** Not enumerable, so that whoever spreads or prints a record does not run into it. */
const hidden = (resource: ResourceModel, field: string): PropertyDescriptor => ({
  enumerable: false,
  get(): never {
    throw new Error(`A reaction cannot read ${resource.name}.${field} by records: it is protected. ${remedy(resource)}`)
  },
})

const remedy = ({ name }: ResourceModel): string =>
  `lockExisting(${name}, ids), inside of finish, sees whole records, whoever may read them.`

function asksWhose(condition: Condition): boolean {
  switch (condition.is) {
    case 'actor':
      return true
    case 'related':
      return asksWhose(condition.condition)
    case 'any':
    case 'all':
      return condition.of.some(asksWhose)
    default:
      return false
  }
}
