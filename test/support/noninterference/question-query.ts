// Query strings that ask more than filters do: conditions, searches, what records come to by groups, and the writes of all records for
// which a condition holds. (contract 12.1, 12.2, 13.7)

import { summaryNames } from '../../../src/action/question/parameter/groups.ts'
import type { ResourceEndpoint } from '../../../src/rest/route/routes.ts'
import { anyId, type Material } from './material.ts'

/** Whether more can be asked of an endpoint than filters, or many records can be written by it. */
export const asks = ({ kind, resource }: ResourceEndpoint): boolean =>
  kind === 'summary' ||
  kind === 'updateMany' ||
  kind === 'deleteMany' ||
  (kind === 'list' && (resource.where !== null || resource.search !== null))

/** A condition, a search, both or none. */
export function narrowingQuery({ resource }: ResourceEndpoint, { random, questions }: Material): URLSearchParams {
  const parts = new URLSearchParams()
  if (resource.where !== null && random.chance(0.4)) parts.set('where', questions.where(resource))
  if (resource.search !== null && random.chance(0.3)) parts.set('q', questions.words())
  return parts
}

/** Groups, their order, and which records. */
export function summaryQuery(
  { resource, version }: ResourceEndpoint,
  { random, questions }: Material,
): URLSearchParams {
  const { groups, orders: allOrders } = summaryNames(resource, version.vocabulary)
  const parts = new URLSearchParams()
  const chosen = random.chance(0.15) ? [] : random.some([...groups], 2)
  const texts = chosen.map(([name, { units }]) =>
    units.length > 0 && random.chance(0.7) ? `${name}:${random.one(units)}` : name,
  )
  if (texts.length > 0) parts.set('group_by', texts.join(','))
  const orders = [...chosen.map(([name]) => name), ...[...allOrders.keys()].filter((name) => !groups.has(name))]
  if (random.chance(0.4)) parts.set('sort', `${random.chance(0.5) ? '-' : ''}${random.one(orders)}`)
  if (resource.where !== null && random.chance(0.5)) parts.set('where', questions.where(resource))
  if (resource.search !== null && random.chance(0.3)) parts.set('q', questions.words())
  if (random.chance(0.3)) parts.set('time_zone', random.one(['Europe/Berlin', 'America/New_York', 'UTC']))
  if (random.chance(0.6)) parts.set('limit', `${1 + random.below(3)}`)
  return parts
}

/** Which records are written: those of a condition, which more often than not names some, or those with these ids. */
export function bulkQuery({ kind, resource }: ResourceEndpoint, material: Material): URLSearchParams {
  const { random, questions } = material
  const parts = new URLSearchParams()
  const ids = Array.from({ length: 1 + random.below(3) }, () => anyId(material, resource))
  if (resource.where !== null && random.chance(0.7)) {
    const among = `id IN (${ids.map((id) => JSON.stringify(id)).join(', ')})`
    const canName = resource.where.values.has('id') && random.chance(0.7)
    const where = canName && random.chance(0.5) ? null : questions.where(resource)
    parts.set(
      'where',
      [...(where === null ? [] : [canName ? `(${where})` : where]), ...(canName ? [among] : [])].join(' AND '),
    )
  } else if (kind === 'deleteMany') parts.set('ids', ids.join(','))
  // Otherwise little would be left to be asked of.
  if (random.chance(kind === 'deleteMany' ? 0.7 : 0.4)) parts.set('dry_run', 'true')
  return parts
}
