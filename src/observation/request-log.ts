// Logs one line per request. Composed by hand, since a logger would take as long as reading a record does.

import type { Watch, WatchedReply, WatchedRequest } from './watch.ts'

export interface RequestLines {
  /** `failing`: only requests that failed on our side, or were slow. */
  readonly of: 'all' | 'failing'
  /** The duration from which on a request is slow. */
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

/** A bug is an error; an unavailable service or a slow response a warning; all else, client errors too, is info. */
function importanceOf({ status, failure }: WatchedReply, isSlow: boolean): Importance {
  if (status === 500 || failure === 'INTERNAL_ERROR') return 'error'
  return status > 500 || failure === 'SERVICE_UNAVAILABLE' || isSlow ? 'warn' : 'info'
}

function jsonLine(importance: Importance, request: WatchedRequest, reply: WatchedReply, durationMs: number): string {
  const { requestId, method, route, address, principal, asService, trace, now } = request
  const { status, failure, operation } = reply
  let line = `{"level":"${importance}","time":"${isoTime(now.getTime() + durationMs)}","msg":"request","requestId":"${requestId}"`
  if (principal !== null) {
    const { id, tenant } = principal
    line += id === null ? `,"tenantId":${quote(tenant!.id)}` : `,"userId":${quote(id)}`
    if (principal.credential.kind === 'apiKey') line += `,"keyId":${quote(principal.credential.keyId)}`
  }
  if (asService === true) line += ',"asService":true'
  line += `,"method":"${method}","route":${route === null ? 'null' : `"${route}"`}`
  if (operation !== undefined && operation !== null) {
    line += `,"operation":${operation.name === null ? 'null' : `"${operation.name}"`},"document":"${operation.hash}"`
  }
  line += `,"status":${status}`
  if (failure !== undefined && failure !== null) line += `,"code":"${failure}"`
  if (trace !== undefined && trace !== null) line += `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`
  return `${line},"ms":${rounded(durationMs)},"address":${quote(address)}}\n`
}

function readableLine(
  importance: Importance,
  request: WatchedRequest,
  reply: WatchedReply,
  durationMs: number,
): string {
  const { method, route, now } = request
  const { status, failure, operation } = reply
  const time = isoTime(now.getTime() + durationMs).slice(11, 19)
  const prefix = importance === 'info' ? '' : `${importance}: `
  const name = operation?.name === undefined || operation.name === null ? '' : ` ${operation.name}`
  const code = failure === undefined || failure === null ? '' : ` ${failure}`
  return `${time} ${prefix}${method} ${route ?? '(no route)'}${name} ${status}${code} ${rounded(durationMs)} ms\n`
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100

/** Most ids need no escaping; those from an outside issuer may. */
const quote = (text: string): string => (/^[\w.:-]*$/.test(text) ? `"${text}"` : JSON.stringify(text.slice(0, 200)))

let second = 0
let upToSecond = ''
/** ISO 8601. Formats the seconds once per second, and appends the milliseconds. */
function isoTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds !== second) {
    second = seconds
    upToSecond = new Date(seconds * 1000).toISOString().slice(0, 20)
  }
  return `${upToSecond}${millis[Math.floor(ms - seconds * 1000)]}`
}
const millis = Array.from({ length: 1000 }, (_, each) => `${String(each).padStart(3, '0')}Z`)
