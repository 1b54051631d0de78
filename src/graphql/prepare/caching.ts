// The strictest caching class of all selected fields. (contract 4.11.7)

import type { Requester } from '../../resource/actor.ts'
import { isTimed } from '../../resource/model/rule/time-dependence.ts'
import type { PreparedOperation } from './prepare.ts'

export const vary = 'Authorization, X-API-Key, Accept'

type Cached = Pick<PreparedOperation, 'resources' | 'isPublic' | 'hasCan' | 'hasRoute' | 'narrows'>

/** Public if read without a credential, unless it contains `can`, a list with a condition, or what a route answers. */
export function cacheControl({ resources, isPublic, hasCan, hasRoute, narrows }: Cached, actor: Requester): string {
  if (hasRoute) return 'private, no-store'
  if (hasCan || narrows) return 'private, no-cache'
  let maxAgeSeconds = isPublic ? Number.POSITIVE_INFINITY : 0
  for (const { read } of resources) maxAgeSeconds = Math.min(maxAgeSeconds, read.maxAgeSeconds ?? 0)
  if (maxAgeSeconds > 0 && Number.isFinite(maxAgeSeconds)) return `public, max-age=${maxAgeSeconds}`
  const changes = [...resources].some(isTimed)
  return actor === null && !changes ? 'public, no-cache' : 'private, no-cache'
}
