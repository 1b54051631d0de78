// One attempt of a message: who may read it now, what they read, and how the receiver answered. (contract 15.2.2, 15.2.4)

import { eventPayload, eventRoot } from '../action/event-payload.ts'
import { getOrInsert } from '../cache/get-or-insert.ts'
import type { EventReader } from '../event/event-reader.ts'
import type { OutboxEvent } from '../event/outbox.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { type Outbound, OutboundError } from '../outbound/outbound.ts'
import type { Actor } from '../resource/actor.ts'
import { type EventModel, eventsOf, type Model } from '../resource/model/model.ts'
import { restVocabulary, type Vocabulary } from '../resource/model/vocabulary.ts'
import type { Message, MessageEnd } from './queue.ts'
import { nextAttempt } from './schedule.ts'
import { signedHeaders } from './signature.ts'
import type { StoredWebhook } from './webhook-store.ts'

export interface AttemptDependencies {
  readonly model: Model
  readonly reader: EventReader
  readonly outbound: Outbound
  readonly clock: () => Date
  readonly random: () => number
  readonly log: Pick<Log, 'error'>
  readonly limits: Pick<Limits, 'webhookTimeoutMs' | 'webhookResponseBytes'>
}
/** `isGone`: the receiver answered 410. */
export interface AttemptEnd extends MessageEnd {
  readonly isGone: boolean
}
/** Rejects only if the database is unavailable. */
export type Attempt = (message: Message, webhook: StoredWebhook, now: Date, signal: AbortSignal) => Promise<AttemptEnd>

const unmade = 'The service could not make the message.'
export const pingEvent = 'ping'

export function createAttempt(dependencies: AttemptDependencies): Attempt {
  const { outbound, clock, random, log, limits } = dependencies
  const payloadFor = createPayloads(dependencies)

  function failed(
    message: Message,
    now: Date,
    answer: Pick<MessageEnd, 'responseStatus' | 'responseText'>,
    isGone = false,
  ) {
    const dueAt = isGone ? null : nextAttempt(message.attempts + 1, random(), now)
    return {
      message,
      status: dueAt === null ? 'failed' : 'waiting',
      isAttempt: true,
      dueAt,
      ...answer,
      isGone,
    } as const
  }

  /** Undefined if it cannot be made, which must not hold back other messages. */
  async function payloadOf(message: Message, { apiVersion, actor }: StoredWebhook): Promise<string | null | undefined> {
    try {
      return actor === null ? null : await payloadFor(message, apiVersion, actor)
    } catch (error) {
      if (error instanceof Failure) throw error
      log.error('A message to a webhook could not be made.', { err: error, deliveryId: message.deliveryId })
      return undefined
    }
  }

  return async (message, webhook, now, signal) => {
    const body = await payloadOf(message, webhook)
    if (body === undefined) return failed(message, now, { responseStatus: null, responseText: unmade })
    if (body === null) return skipped(message)
    try {
      const {
        status,
        body: answer,
        isPublic,
      } = await outbound.send({
        url: webhook.url,
        method: 'POST',
        headers: {
          ...signedHeaders({ id: message.deliveryId, at: clock(), body }, webhook.secrets(clock())),
          'user-agent': 'Duet',
        },
        body,
        timeoutMs: limits.webhookTimeoutMs,
        bodyBytes: limits.webhookResponseBytes,
        beyond: 'cut',
        signal,
      })
      const response = { responseStatus: status, responseText: isPublic ? textOf(answer) : null }
      if (status < 200 || status > 299) return failed(message, now, response, status === 410)
      return { message, status: 'delivered', isAttempt: true, dueAt: null, ...response, isGone: false }
    } catch (error) {
      // Its message is made for owners of webhooks.
      if (!(error instanceof OutboundError)) throw error
      return failed(message, now, { responseStatus: null, responseText: error.message })
    }
  }
}

/** The text of a message; null if the owner may not read the record now, or it is gone. */
function createPayloads({ model, reader }: AttemptDependencies) {
  const events = new Map(eventsOf(model).map((each) => [each.name, each]))
  const vocabularies = new Map(model.versions.map((each) => [each.name, restVocabulary(each)]))
  const roots = new Map<string, ReturnType<typeof eventRoot>>()
  const rootFor = (event: EventModel, version: string, vocabulary: Vocabulary) =>
    getOrInsert(roots, `${version} ${event.name}`, () => eventRoot(event, vocabulary))
  return async (message: Message, version: string, actor: Actor): Promise<string | null> => {
    const event = eventIn(message)
    if (message.name === pingEvent && message.resource === 'Webhook')
      return JSON.stringify({ type: pingEvent, timestamp: event.at.toISOString(), data: { id: message.recordId } })
    const definition = events.get(message.name)
    const vocabulary = vocabularies.get(version)
    if (definition === undefined || vocabulary === undefined || definition.resource.name !== message.resource)
      return null
    const mayRead = await reader.whoMayRead(event, [actor])
    if (mayRead(actor) !== true) return null
    const answer = await reader.answer(event, { actor, root: rootFor(definition, version, vocabulary), lists: [] })
    return answer === null ? null : eventPayload(event, answer)
  }
}

export const eventIn = ({
  eventId,
  name,
  resource,
  recordId,
  at,
  previous,
}: Pick<Message, 'eventId' | 'name' | 'resource' | 'recordId' | 'at' | 'previous'>): OutboxEvent => ({
  id: eventId,
  position: { transaction: 0n, number: 0n },
  name,
  resource,
  recordId,
  by: null,
  previous: previous === null ? null : JSON.parse(previous),
  at,
})

export const skipped = (message: Message): AttemptEnd => ({
  message,
  status: 'skipped',
  isAttempt: false,
  dueAt: null,
  responseStatus: null,
  responseText: null,
  isGone: false,
})

/** What PostgreSQL stores and a terminal shows: no zero bytes, no control characters. */
const textOf = (answer: Buffer): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
  new TextDecoder().decode(answer).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')
