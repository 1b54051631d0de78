// One attempt of a message: who may read it now, what they read, and how the receiver answered. (contract 15.2.2, 15.2.4)

import { createHmac } from 'node:crypto'
import { eventPayload, eventRoot } from '../action/event-payload.ts'
import { Failure } from '../failure/failure.ts'
import { OutboundError } from '../outbound/outbound.ts'
import type { Actor } from '../resource/actor.ts'
import { eventsOf } from '../resource/model/model.ts'
import { restVocabulary } from '../resource/model/vocabulary.ts'
import type { Message, MessageEnd } from './queue.ts'
import { nextAttempt } from './schedule.ts'
import type { Sending } from './sending.ts'
import type { StoredWebhook } from './webhook-store.ts'

type Response = Pick<MessageEnd, 'responseStatus' | 'responseText'>
/** Rejects only if the database is unavailable. */
export type Attempt = (message: Message, webhook: StoredWebhook, now: Date, signal: AbortSignal) => Promise<MessageEnd>

const unmade = 'The service could not make the message.'
export const pingEvent = 'ping'

export function createAttempt(sending: Sending): Attempt {
  const { outbound, clock, random, log, limits } = sending
  const payloadFor = createPayloads(sending)

  function failed(message: Message, now: Date, response: Response): MessageEnd {
    const isGone = response.responseStatus === 410
    const dueAt = isGone ? null : nextAttempt(message.attempts + 1, random(), now)
    return { message, status: dueAt === null ? 'failed' : 'waiting', dueAt, ...response }
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
    if (body === null) return { message, status: 'skipped', dueAt: null, responseStatus: null, responseText: null }
    try {
      const {
        status,
        body: answer,
        isPublic,
      } = await outbound.send({
        url: webhook.url,
        headers: signedHeaders({ id: message.deliveryId, at: clock(), body }, webhook.secrets(clock())),
        body,
        timeoutMs: limits.webhookTimeoutMs,
        bodyBytes: limits.webhookResponseBytes,
        signal,
      })
      const response = { responseStatus: status, responseText: isPublic ? textOf(answer) : null }
      if (status < 200 || status > 299) return failed(message, now, response)
      return { message, status: 'delivered', dueAt: null, ...response }
    } catch (error) {
      // Its message is made for owners of webhooks.
      if (!(error instanceof OutboundError)) throw error
      return failed(message, now, { responseStatus: null, responseText: error.message })
    }
  }
}

/** The text of a message; null if the owner may not read the record now, or it is gone. */
function createPayloads({ model, reader }: Sending) {
  const events = new Map(eventsOf(model).map((each) => [each.name, each]))
  const vocabularies = new Map(model.versions.map((each) => [each.name, restVocabulary(each)]))
  return async ({ event }: Message, version: string, actor: Actor): Promise<string | null> => {
    const { name, resource, recordId, at } = event
    if (name === pingEvent && resource === 'Webhook')
      return JSON.stringify({ type: pingEvent, timestamp: at.toISOString(), data: { id: recordId } })
    const definition = events.get(name)
    const vocabulary = vocabularies.get(version)
    if (definition === undefined || vocabulary === undefined || definition.resource.name !== resource) return null
    const mayRead = await reader.whoMayRead(event, [actor])
    if (mayRead(actor) !== true) return null
    const answer = await reader.answer(event, { actor, root: eventRoot(definition, vocabulary), lists: [] })
    return answer === null ? null : eventPayload(event, answer)
  }
}

/** As Standard Webhooks describes, signed with each secret. `id` is the same at every attempt. (contract 15.2.5) */
function signedHeaders(
  message: { readonly id: string; readonly at: Date; readonly body: string },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    'user-agent': 'Duet',
  }
}

/** What PostgreSQL stores and a terminal shows: no zero bytes, no control characters. */
const textOf = (answer: Buffer): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
  new TextDecoder().decode(answer).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')
