// The log that code of routes writes to.

import type { Log, LogFields } from '../observation/log.ts'

/** Lines in the service's log, each with the request's id. Secrets of the request are redacted. */
export interface MomentLog {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
}
export type RouteLog = Pick<Log, 'info' | 'warn'>

interface LoggedRequest {
  readonly requestId: string
  readonly secrets?: () => readonly string[]
}

export function logOf(request: LoggedRequest, route: string, log?: RouteLog): MomentLog {
  const at = (importance: keyof RouteLog) => (message: string, fields?: LogFields) =>
    log?.[importance](message, { ...fields, requestId: request.requestId, route }, request.secrets?.())
  return { info: at('info'), warn: at('warn') }
}
