// Who may keep an answer, and for how long. (contract 4.11)

import type { Requester } from '../resource/actor.ts'
import type { LinkRelation } from '../resource/model/model.ts'
import { isTimed } from '../resource/model/time-dependence.ts'
import type { ResourceEndpoint } from './routes.ts'

/** What every answer that may be kept depends on. */
export const vary = 'Authorization, X-API-Key'
/** For what everybody reads alike but must not read stale. */
export const publicButFresh = 'public, no-cache'

/**
 * The class of a read: what is read without a credential is public, unless it tells what the reader may do, or what is
 * in it follows from a condition or from what else may be read; the strictest of what takes part decides. `isShared`: whether a list is in one order for all who
 * ask.
 */
export function cacheControl(
  { action, resource, within, query }: ResourceEndpoint,
  actor: Requester,
  isOwn: boolean,
  isShared = true,
): string {
  if (isOwn) return 'private, no-cache'
  const maxAgeSeconds =
    within === null ? action.maxAgeSeconds : shorter(action.maxAgeSeconds, within.holder.read.maxAgeSeconds)
  if (maxAgeSeconds !== null && isShared && query?.isPublic !== false) return `public, max-age=${maxAgeSeconds}`
  const changes = isTimed(resource) || (within !== null && isTimed(within.holder))
  return actor === null && !changes ? publicButFresh : 'private, no-cache'
}

/** Whether readers of one record may see other ids of what it is linked with. */
export const isOwnLink = ({ target }: LinkRelation): boolean => !target.isPublic

const shorter = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? null : Math.min(left, right)
