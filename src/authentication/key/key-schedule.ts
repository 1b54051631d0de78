// When each key signs and verifies, derived from publication times so that all instances agree. (contract 5.2.2)

import { invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { SigningKey } from './signing-key.ts'

export interface DatedKey {
  readonly key: SigningKey
  /** Increases with each key. */
  readonly sequence: number
  readonly publishedAt: Date
}

/** Times in Unix milliseconds. */
interface ScheduledKey {
  readonly key: SigningKey
  readonly signsFrom: number
  readonly verifiesUntil: number
}

/**
 * A key signs once every cached key set must have been refreshed; the oldest at once. It stops when the next starts, and verifies
 * until its last token has expired, plus the clock skew.
 */
export function scheduleKeys(
  dated: readonly DatedKey[],
  limits: Pick<Limits, 'jwksMaxAgeSeconds' | 'accessTokenSeconds' | 'clockSkewSeconds'>,
) {
  const inOrder = dated.toSorted((one, other) => one.sequence - other.sequence)
  const starts = inOrder.map(({ publishedAt }, index) =>
    index === 0 ? Number.NEGATIVE_INFINITY : publishedAt.getTime() + limits.jwksMaxAgeSeconds * 1000,
  )
  const restMs = (limits.accessTokenSeconds + limits.clockSkewSeconds) * 1000
  const keys = inOrder.map(({ key }, index): ScheduledKey => {
    const stopsSigning = Math.min(Number.POSITIVE_INFINITY, ...starts.slice(index + 1))
    return { key, signsFrom: starts[index] ?? stopsSigning, verifiesUntil: stopsSigning + restMs }
  })
  const byKid = new Map(keys.map((scheduled) => [scheduled.key.kid, scheduled]))
  const isVerifying = (scheduled: ScheduledKey, now: Date) => now.getTime() < scheduled.verifiesUntil

  return {
    signing(now: Date): ScheduledKey {
      const signing = keys.findLast(({ signsFrom }) => signsFrom <= now.getTime())
      invariant(signing, 'the oldest key of a ring signs at any time')
      return signing
    },
    /** Published but not signing yet. */
    waiting: (now: Date): ScheduledKey | null => keys.find(({ signsFrom }) => signsFrom > now.getTime()) ?? null,
    verifying: (now: Date): readonly SigningKey[] =>
      keys.filter((scheduled) => isVerifying(scheduled, now)).map(({ key }) => key),
    /** Keys whose last token has expired. */
    finished: (now: Date): readonly ScheduledKey[] => keys.filter((scheduled) => !isVerifying(scheduled, now)),
    find(kid: string, now: Date): SigningKey | null {
      const scheduled = byKid.get(kid)
      return scheduled !== undefined && isVerifying(scheduled, now) ? scheduled.key : null
    },
  }
}
