// The log that code of routes writes to.

import type { Exchange } from '../../http/message/exchange.ts'
import type { Log, LogFields } from '../../observation/log.ts'

/** Lines in the service's log, each with the request's id. Secrets of the request are redacted. */
export interface MomentLog {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
}
export type RouteLog = Pick<Log, 'info' | 'warn'>

export function logOf(exchange: Exchange, route: string, log?: RouteLog): MomentLog {
  const at = (importance: keyof RouteLog) => (message: string, fields?: LogFields) =>
    log?.[importance](message, { ...fields, requestId: exchange.requestId, route }, exchange.secrets?.())
  return { info: at('info'), warn: at('warn') }
}
