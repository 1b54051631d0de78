// Who may keep an answer, and for how long: the strictest class of all that was selected. (contract 4.11.7)

import type { Requester } from '../../resource/actor.ts'
import { isTimed } from '../../resource/model/time-dependence.ts'
import type { PreparedOperation } from './prepare.ts'

/** What every answer that may be kept depends on. */
export const vary = 'Authorization, X-API-Key, Accept'

/** Whatever is read without a credential is public, unless it tells what the reader may do, or lists what a condition says. */
export function cacheControl(
  {
    resources,
    isPublic,
    tellsCan,
    narrows,
  }: Pick<PreparedOperation, 'resources' | 'isPublic' | 'tellsCan' | 'narrows'>,
  actor: Requester,
): string {
  if (tellsCan || narrows) return 'private, no-cache'
  let maxAgeSeconds = isPublic ? Number.POSITIVE_INFINITY : 0
  for (const { read } of resources) maxAgeSeconds = Math.min(maxAgeSeconds, read.maxAgeSeconds ?? 0)
  if (maxAgeSeconds > 0 && Number.isFinite(maxAgeSeconds)) return `public, max-age=${maxAgeSeconds}`
  const changes = [...resources].some(isTimed)
  return actor === null && !changes ? 'public, no-cache' : 'private, no-cache'
}
