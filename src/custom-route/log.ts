// The log that code of routes writes to.

import type { Log, LogFields } from '../observation/log.ts'

/** Lines in the service's log, each with the request's id. Secrets of the request are redacted. */
export interface MomentLog {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
}
export type RouteLog = Pick<Log, 'info' | 'warn'>
