// Opens event streams for both faces: a subscription, its reader, and the credential that keeps it open. (contract 6.4)

import type { AnswerRoom } from '../../budget/answer-room.ts'
import { Failure } from '../../failure/failure.ts'
import type { Exchange, StreamedReply } from '../../http/message/exchange.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Recipient, Subscription, SubscriptionContext } from '../subscription.ts'
import { EventStream, type EventStreamDependencies } from './event-stream.ts'
import { isRefused, type LiveConnections } from './live-connections.ts'
import { retryBlock } from './server-sent-events.ts'

export interface StreamForm {
  /** Fails as the subscription is refused; then there is no stream. */
  subscribe(recipient: StreamRecipient): Promise<Subscription>
  /** `id`: every event up to it was sent. */
  keepAlive(id: string): string
}
export interface StreamRecipient extends Pick<Recipient, 'hasRead'> {
  send(text: string): void
  end(text: string): void
}
export interface EventStreams {
  /** Fails with NOT_FOUND where other processes serve subscriptions, and as `form.subscribe`. */
  open(exchange: Exchange, form: StreamForm): Promise<StreamedReply>
}
/** An empty one counts as absent. */
export function lastEventId({ headers }: Pick<Exchange, 'headers'>): string | null {
  const id = headers['last-event-id']
  return id === undefined || id === '' ? null : String(id)
}

export interface EventStreamsDependencies {
  /** False in processes that deliver no events. */
  readonly isServed: boolean
  readonly connections: LiveConnections
  readonly answers: AnswerRoom
  readonly resumeIds: SubscriptionContext['resumeIds']
  /** Fails as for the request. */
  readonly identify: (exchange: Exchange, now: Date) => Promise<Requester>
  readonly limits: EventStreamDependencies['limits']
  readonly random: () => number
}

export function createEventStreams(dependencies: EventStreamsDependencies): EventStreams {
  return {
    async open(exchange, form) {
      if (!dependencies.isServed) throw servedElsewhere()
      const { stream, subscription } = await begin(exchange, form, dependencies)
      subscription.start().then(
        // Names an id to resume after, before anything has happened.
        () => stream.send(form.keepAlive(dependencies.resumeIds.ofProgress(subscription.reached))),
        // Resumed by the client, like every stream that ends early.
        () => stream.close(),
      )
      return { status: 200, headers: streamHeaders, body: stream.body, isEndless: true }
    },
  }
}

async function begin(
  exchange: Exchange,
  form: StreamForm,
  { connections, answers, resumeIds, identify, limits, random }: EventStreamsDependencies,
): Promise<{ readonly stream: EventStream; readonly subscription: Subscription }> {
  let subscription: Subscription | null = null
  let remove = () => {}
  const stream = new EventStream({
    answers,
    limits,
    keepAlive: () => form.keepAlive(resumeIds.ofProgress(subscription!.reached)),
    recheck: (now) => void isRefused(identify(exchange, now)).then((refused) => refused && stream.close()),
    ended() {
      subscription?.stop()
      remove()
    },
  })
  stream.send(retryBlock(retryMinMs + Math.floor(random() * (retryMaxMs - retryMinMs))))
  subscription = await form.subscribe({
    send: (text) => stream.send(text),
    hasRead: () => stream.hasRead(),
    end(text) {
      stream.send(text)
      stream.close()
    },
  })
  remove = connections.add(stream)
  return { stream, subscription }
}

/** Clients of a stopped service return one after the other. */
const [retryMinMs, retryMaxMs] = [1_000, 5_000]

const servedElsewhere = (): Failure =>
  new Failure('NOT_FOUND', { message: 'Subscriptions are served by other processes than this one.' })

/** Proxies neither buffer nor compress it. */
const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}
