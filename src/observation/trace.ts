// OpenTelemetry traces, if its SDK is registered before the start; otherwise its API is not loaded.

import type { Attributes, Context, Span, TextMapGetter, Tracer } from '@opentelemetry/api'
import type { WatchedReply, WatchedTrace } from './watch.ts'

export interface Traces {
  /**
   * Runs a request in a span: a child of `traceparent`, or the span of a node:http instrumentation. Calls `onBegin` with its
   * ids first.
   */
  request<T extends WatchedReply>(
    request: TracedRequest,
    onBegin: (trace: WatchedTrace) => void,
    work: () => Promise<T>,
  ): Promise<T>
  /** Runs work that no request began in a span, with a trace of its own. */
  readonly work: TraceWork
  /** Starts spans for statements within the active span; null unless that is recording. */
  readonly statements: () => BeginStatement | null
}
/** `name`: `schedule nightly`, `move Order.expire`. */
export type TraceWork = <T>(name: string, work: () => Promise<T>) => Promise<T>
export const untraced: TraceWork = (_, work) => work()
export interface TracedRequest {
  /** `GET`, or `WEBSOCKET` for an operation on a WebSocket. */
  readonly method: string
  readonly path: string
  readonly address: string
  readonly requestId: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly route: () => string | null
  readonly asService?: () => boolean
}
/** Ends the span, with the number of rows or the error. */
export type BeginStatement = (statement: TracedStatement) => (rows: number | null, error: unknown) => void
export interface TracedStatement {
  readonly engine: 'sqlite' | 'postgres'
  /** With parameters, never with values. */
  readonly sql: string
}

type Api = typeof import('@opentelemetry/api')

// Every 1.x copy of the API finds the providers by it.
const registry = Symbol.for('opentelemetry.js.api.1')

/** Null without a tracer provider, or, with a warning, without the API. */
export async function openTraces(warn: (sentence: string) => void): Promise<Traces | null> {
  const global = globalThis as { readonly [registry]?: { readonly trace?: unknown } }
  if (global[registry]?.trace === undefined) return null
  // An optional peer dependency.
  const api = await import('@opentelemetry/api').catch(() => null)
  if (api !== null) return createTraces(api)
  warn('OpenTelemetry is running, but @opentelemetry/api is not installed with duet-api: there are no traces.')
  return null
}

function createTraces(api: Api): Traces {
  const { trace, context, SpanKind, ROOT_CONTEXT } = api
  const tracer = trace.getTracer('duet')
  return {
    async request(request, onBegin, work) {
      const { span, within, isOurs } = beginRequest(request, api, tracer)
      const { traceId, spanId } = span.spanContext()
      onBegin({ traceId, spanId })
      try {
        const reply = await context.with(within, work)
        describeReply(span, request, reply, api)
        return reply
      } catch (error) {
        describeReply(span, request, { status: 500, failure: 'INTERNAL_ERROR' }, api)
        throw error
      } finally {
        if (isOurs) span.end()
      }
    },
    async work(name, run) {
      const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, root: true })
      try {
        return await context.with(trace.setSpan(ROOT_CONTEXT, span), run)
      } catch (error) {
        fail(span, error, api)
        throw error
      } finally {
        span.end()
      }
    },
    statements() {
      const within = context.active()
      return trace.getSpan(within)?.isRecording() === true ? statementSpans(within, api, tracer) : null
    },
  }
}

/** Reuses the span of a node:http instrumentation. */
function beginRequest(request: TracedRequest, { trace, context, propagation, SpanKind }: Api, tracer: Tracer) {
  const active = context.active()
  const existing = trace.getSpan(active)
  if (existing !== undefined) return { span: existing, within: active, isOurs: false }
  const parent = propagation.extract(active, request.headers, headerGetter)
  const options = { kind: SpanKind.SERVER, attributes: attributesOf(request) }
  const span = tracer.startSpan(request.method, options, parent)
  return { span, within: trace.setSpan(parent, span), isOurs: true }
}

const headerGetter: TextMapGetter<TracedRequest['headers']> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name] as string | undefined,
}

/** Nothing that clients choose freely: no query string, no header. */
const attributesOf = ({ method, address, requestId }: TracedRequest): Attributes => ({
  'http.request.method': method,
  'url.scheme': 'http',
  'client.address': address,
  'duet.request_id': requestId,
})

function describeReply(span: Span, request: TracedRequest, reply: WatchedReply, { SpanStatusCode }: Api): void {
  const { status, failure, operation } = reply
  const route = request.route()
  span.setAttribute('http.response.status_code', status)
  if (route !== null) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route)
  // The path of a failed request may contain anything.
  if (route !== null && status < 400) span.setAttribute('url.path', request.path)
  if (operation !== undefined && operation !== null) {
    span.setAttributes({ 'graphql.operation.type': operation.type, 'duet.document': operation.hash })
    if (operation.name !== null) span.setAttribute('graphql.operation.name', operation.name)
  }
  if (request.asService?.() === true) span.setAttribute('duet.as_service', true)
  if (failure !== undefined && failure !== null) span.setAttribute('duet.failure', failure)
  if (status < 500 && failure !== 'INTERNAL_ERROR') return
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failure ?? String(status))
}

function statementSpans(within: Context, api: Api, tracer: Tracer): BeginStatement {
  return ({ engine, sql }) => {
    const { operation, table } = readStatement(sql)
    const attributes: Attributes = {
      'db.system.name': engine === 'sqlite' ? 'sqlite' : 'postgresql',
      'db.operation.name': operation,
      'db.query.text': sql,
      ...(table === null ? {} : { 'db.collection.name': table }),
    }
    const name = table === null ? operation : `${operation} ${table}`
    const span = tracer.startSpan(name, { kind: api.SpanKind.CLIENT, attributes }, within)
    return (rows, error) => {
      if (rows !== null) span.setAttribute('db.response.returned_rows', rows)
      if (error !== undefined) fail(span, error, api)
      span.end()
    }
  }
}

/** Only the kind of the error: messages may quote values. */
const fail = (span: Span, error: unknown, { SpanStatusCode }: Api): void => {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', kindOf(error))
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : error.name
}

function readStatement(sql: string): { readonly operation: string; readonly table: string | null } {
  const [, operation = 'statement'] = /^\s*([a-z]+)/i.exec(sql) ?? []
  const [, table = null] = /\b(?:from|into|update)\s+"?([a-z_][a-z0-9_]*)/i.exec(sql) ?? []
  return { operation: operation.toUpperCase(), table }
}
