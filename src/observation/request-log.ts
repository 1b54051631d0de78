// Logs one line per request, from values that need no redaction.

import type { Watch, WatchedReply, WatchedRequest } from './watch.ts'

export interface RequestLines {
  /** `failing`: only requests that failed on our side or were slow. */
  readonly of: 'all' | 'failing'
  /** The duration from which a request is slow. */
  readonly slowMs: number
}
export interface RequestLogOptions extends RequestLines {
  readonly json: boolean
  readonly level: 'info' | 'warn' | 'error' | 'off'
  readonly write: (line: string, isUrgent: boolean) => void
}

type Importance = keyof typeof order
const order = { info: 0, warn: 1, error: 2, off: 3 }

/** Undefined if the level excludes every request. */
export function createRequestLog({ json, level, of, slowMs, write }: RequestLogOptions): Watch | undefined {
  if (level === 'off') return undefined
  const least = Math.max(order[level], of === 'all' ? order.info : order.warn)
  const compose = json ? jsonLine : readableLine
  return (request, reply, durationMs) => {
    const importance = importanceOf(reply, durationMs >= slowMs)
    if (order[importance] < least) return
    write(compose(importance, request, reply, durationMs), importance === 'error')
  }
}

/** Bugs are errors; an unavailable service or a slow response is a warning; everything else, including client errors, is info. */
function importanceOf({ status, failure }: WatchedReply, isSlow: boolean): Importance {
  if (status === 500 || failure === 'INTERNAL_ERROR') return 'error'
  return status > 500 || failure === 'SERVICE_UNAVAILABLE' || isSlow ? 'warn' : 'info'
}

function jsonLine(importance: Importance, request: WatchedRequest, reply: WatchedReply, durationMs: number): string {
  const { requestId, method, route, address, principal, asService, trace, now } = request
  const { status, failure, operation } = reply
  const line = {
    level: importance,
    time: isoTime(now, durationMs),
    msg: 'request',
    requestId,
    ...(principal === null ? {} : callerOf(principal)),
    asService: asService === true ? true : undefined,
    method,
    route,
    operation: operation?.name,
    document: operation?.hash,
    status,
    code: failure ?? undefined,
    trace_id: trace?.traceId,
    span_id: trace?.spanId,
    ms: rounded(durationMs),
    address,
  }
  return `${JSON.stringify(line)}\n`
}

const callerOf = ({ id, tenant, credential }: NonNullable<WatchedRequest['principal']>) => ({
  ...(id === null ? { tenantId: tenant!.id } : { userId: id }),
  keyId: credential.kind === 'apiKey' ? credential.keyId : undefined,
})

function readableLine(
  importance: Importance,
  request: WatchedRequest,
  reply: WatchedReply,
  durationMs: number,
): string {
  const { method, route, now } = request
  const { status, failure, operation } = reply
  const time = isoTime(now, durationMs).slice(11, 19)
  const prefix = importance === 'info' ? '' : `${importance}: `
  const name = operation?.name === undefined || operation.name === null ? '' : ` ${operation.name}`
  const code = failure === undefined || failure === null ? '' : ` ${failure}`
  return `${time} ${prefix}${method} ${route ?? '(no route)'}${name} ${status}${code} ${rounded(durationMs)} ms\n`
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100

const isoTime = (now: Date, durationMs: number): string => new Date(now.getTime() + durationMs).toISOString()
