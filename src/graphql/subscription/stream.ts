// Operations whose answer is a stream of server-sent events, in the distinct connections mode of graphql-sse. (contract 6.4)

import { type EventStreams, lastEventId } from '../../event/stream/event-stream.ts'
import { commentBlock, eventBlock, idBlock } from '../../event/stream/server-sent-events.ts'
import { Failure } from '../../failure/failure.ts'
import type { Exchange, StreamedReply } from '../../http/message/exchange.ts'
import { type ErrorEntry, entryOf } from '../error.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import { type Listener, type SubscribeContext, subscribe } from './subscribe.ts'

export const streamType = 'text/event-stream'

export interface StreamDependencies {
  readonly streams: EventStreams
  readonly context: SubscribeContext
}

/** Fails as `subscribe`. */
export const streamSubscription = (
  prepared: PreparedOperation,
  { exchange, actor, resumeAfter }: StreamedRequest,
  { streams, context }: StreamDependencies,
): Promise<StreamedReply> =>
  streams.open(exchange, {
    subscribe: (stream) =>
      subscribe(
        prepared,
        {
          actor,
          resumeAfter,
          send: (data, id) => stream.send(eventBlock({ event: 'next', id, data })),
          end: (failure) => stream.end(wholeStream(errorBody([entryOf(failure)]))),
          hasRead: () => stream.hasRead(),
        },
        context,
      ),
    // Clients of graphql-sse know only `next` and `complete`.
    keepAlive: (id) => commentBlock + idBlock(id),
  })

interface StreamedRequest extends Pick<Listener, 'actor' | 'resumeAfter'> {
  readonly exchange: Exchange
}

/** The stream of an operation with a single result. */
export const wholeStream = (body: string): string =>
  eventBlock({ event: 'next', data: body }) + eventBlock({ event: 'complete', data: '' })

export const errorBody = (errors: readonly ErrorEntry[]): string => JSON.stringify({ errors })

/** Fails with VALIDATION_ERROR if `Last-Event-ID` names another event than the request. */
export function resumeIdOf(exchange: Exchange, inRequest: string | null): string | null {
  const inHeader = lastEventId(exchange)
  if (inHeader !== null && inRequest !== null && inHeader !== inRequest) {
    const message = 'Differs from the header Last-Event-ID.'
    throw new Failure('VALIDATION_ERROR', { details: [{ field: 'extensions.resumeAfter', message }] })
  }
  return inHeader ?? inRequest
}
