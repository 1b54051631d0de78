// Logs why bearer tokens are refused; clients get no reason. (contract 5.6.9)

import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { RequestOrigin } from './issuer/provisioning.ts'

/** Each reason is logged once per interval, so that forged tokens do not fill the log. */
const pauseMs = 60_000

/** `issuer`: the outside issuer named by the token; null for the service's own. */
export type LogRefusal = (error: unknown, issuer: string | null, origin: RequestOrigin, now: Date) => void

export function createRefusalLog(log: Pick<Log, 'warn'>): LogRefusal {
  // Bounded: reasons come from the checks, issuers from the configuration.
  const refusals = new Map<string, { loggedAt: number; omitted: number }>()
  return (error, issuer, { address: ip, requestId }, now) => {
    if (!(error instanceof Failure) || error.code !== 'INVALID_TOKEN' || typeof error.cause !== 'string') return
    const reason = error.cause
    const key = `${issuer} ${reason}`
    const last = refusals.get(key)
    if (last !== undefined && now.getTime() - last.loggedAt < pauseMs) {
      last.omitted++
      return
    }
    refusals.set(key, { loggedAt: now.getTime(), omitted: 0 })
    const omitted = last === undefined || last.omitted === 0 ? {} : { omitted: last.omitted }
    log.warn('A token was refused.', { event: 'token_refused', issuer, reason, ip, requestId, ...omitted })
  }
}
