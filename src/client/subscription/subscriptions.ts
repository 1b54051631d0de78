// `createSubscriptions`: events as streams that survive lost connections. (contract 6.3.3)

import type { Connection, Typed } from '../client.ts'
import { type GraphqlDocument, textOf, type VariablesOf } from '../graphql.ts'
import type { EventsOf } from './events.ts'
import { Link, type LinkLimits } from './link.ts'
import type { OpenWebSocket } from './socket.ts'
import { createSubscription, type Stream, type SubscriptionEvent } from './subscription.ts'

/** For all subscriptions of a client. */
export interface SubscriptionsOptions extends Partial<LinkLimits> {
  /** By default the platform's. */
  readonly WebSocket?: OpenWebSocket
}
/** For one subscription. */
export interface StreamOptions {
  /** Aborting rejects the stream with the signal's reason. */
  readonly signal?: AbortSignal
  /** Resumes after this event, perhaps seen by another process; fails with EVENTS_GONE if it is too old. */
  readonly resumeAfter?: string
  /** Unread events to buffer. The service keeps further ones until there is room. */
  readonly bufferMax?: number
}
/** The streams of a client. Each is iterated once: `for await (const { data } of subscriptions.on(…))`. */
export interface Subscriptions<S> {
  /** Events of this name with the requested fields, read from the record on delivery. */
  on<const E extends EventsOf<S>['event'], const K extends keyof RecordIn<S, E>>(
    event: E,
    options: StreamOptions & { readonly fields: readonly K[] } & ByIn<S, E>,
  ): Stream<Pick<RecordIn<S, E>, K>>
  /** Any subscription of the schema. */
  subscribe<Data = unknown, Variables = never>(
    document: GraphqlDocument<Data, Variables>,
    ...settings: [...VariablesOf<Variables>, options?: StreamOptions]
  ): Stream<SubscriptionEvent<Data>>
}
type EventIn<S, E> = Extract<EventsOf<S>, { readonly event: E }>
type RecordIn<S, E> = EventIn<S, E>['record']
/** Some events require a record to listen to: `by: { postId }`. */
type ByIn<S, E> = {} extends EventIn<S, E>['by'] ? { readonly by?: never } : { readonly by: EventIn<S, E>['by'] }

const usualLimits: LinkLimits = { pauseMs: 400, pauseMaxMs: 30_000, triesMax: Number.POSITIVE_INFINITY }
const usualBuffer = 1_000

/** One connection for all streams, opened with the first and closed with the last, with the client's credential. */
export function createSubscriptions<S>(
  client: Typed<S> & { readonly connection: Connection },
  { WebSocket, ...limits }: SubscriptionsOptions = {},
): Subscriptions<S> {
  const open = WebSocket ?? (globalThis as unknown as { WebSocket: OpenWebSocket }).WebSocket
  const link = new Link(client.connection, open, { ...usualLimits, ...limits })

  function streamOf<T>(
    request: { readonly query: string; readonly variables?: unknown },
    { signal, resumeAfter, bufferMax = usualBuffer }: StreamOptions,
    read: (event: SubscriptionEvent<unknown>) => T,
  ): Stream<T> {
    const abort = () => subscription.fail(signal?.reason)
    const { subscription, stream } = createSubscription(
      {
        request,
        resumeAfter,
        bufferMax,
        drained: () => link.start(subscription),
        left() {
          signal?.removeEventListener('abort', abort)
          link.stop(subscription)
        },
      },
      read,
    )
    if (signal?.aborted) abort()
    else link.start(subscription)
    signal?.addEventListener('abort', abort, { once: true })
    return stream
  }

  return {
    on(event, { fields, by = {}, ...options }) {
      const names = Object.keys(by)
      const declared = names.map((name) => `$${name}: ID!`).join(', ')
      const passed = names.map((name) => `${name}: $${name}`).join(', ')
      const query = `subscription${around(declared)} { ${event}${around(passed)} { ${fields.join(' ')} } }`
      return streamOf(
        { query, variables: by },
        options as StreamOptions,
        ({ data }) => (data as Record<string, never>)[event]!,
      )
    },
    subscribe: (document, ...[variables, options = {}]) => {
      const query = textOf(document as GraphqlDocument<unknown, never>)
      const request = variables === undefined ? { query } : { query, variables }
      return streamOf(request, options as StreamOptions, (event) => event as never)
    },
  }
}

const around = (text: string): string => (text === '' ? '' : `(${text})`)
