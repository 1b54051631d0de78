// The strictest caching class of all selected fields. (contract 4.11.7)

import type { Requester } from '../../resource/actor.ts'
import { isTimed } from '../../resource/model/rule/time-dependence.ts'
import type { PreparedOperation } from './prepare.ts'

export const vary = 'Authorization, X-API-Key, Accept'

/** Public if read without a credential, unless it contains `can` or a list with a condition. */
export function cacheControl(
  { resources, isPublic, hasCan, narrows }: Pick<PreparedOperation, 'resources' | 'isPublic' | 'hasCan' | 'narrows'>,
  actor: Requester,
): string {
  if (hasCan || narrows) return 'private, no-cache'
  let maxAgeSeconds = isPublic ? Number.POSITIVE_INFINITY : 0
  for (const { read } of resources) maxAgeSeconds = Math.min(maxAgeSeconds, read.maxAgeSeconds ?? 0)
  if (maxAgeSeconds > 0 && Number.isFinite(maxAgeSeconds)) return `public, max-age=${maxAgeSeconds}`
  const changes = [...resources].some(isTimed)
  return actor === null && !changes ? 'public, no-cache' : 'private, no-cache'
}
