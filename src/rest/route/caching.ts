// (contract 4.11)

import type { Requester } from '../../resource/actor.ts'
import type { LinkRelation } from '../../resource/model/model.ts'
import { isTimed } from '../../resource/model/rule/time-dependence.ts'
import type { ResourceEndpoint } from './routes.ts'

export const vary = 'Authorization, X-API-Key'
/** Equal for all readers, but always revalidated. */
export const publicButFresh = 'public, no-cache'

/**
 * The strictest class of all parts. A read without a credential is public, unless it has `can`, a condition, or content that
 * depends on other access, or an address that names another record for another caller. `isShared`: whether a list is the same for all.
 */
export function cacheControl(
  { action, resource, within, query, isInOwnTenant = false }: ResourceEndpoint,
  actor: Requester,
  isOwn: boolean,
  isShared = true,
): string {
  if (isOwn || isInOwnTenant) return 'private, no-cache'
  const maxAgeSeconds =
    within === null ? action.maxAgeSeconds : shorter(action.maxAgeSeconds, within.holder.read.maxAgeSeconds)
  if (maxAgeSeconds !== null && isShared && query?.isPublic !== false) return `public, max-age=${maxAgeSeconds}`
  const changes = isTimed(resource) || (within !== null && isTimed(within.holder))
  return actor === null && !changes ? publicButFresh : 'private, no-cache'
}

/** True if readers of a record may see different linked ids. */
export const isOwnLink = ({ target }: LinkRelation): boolean => !target.isPublic

const shorter = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? null : Math.min(left, right)
