// Turns events into messages for webhooks whose owners may read their records, from a position that all instances share, so
// that no event is missed or used twice. (contract 15.2.2)

import type { EventReader } from '../event/event-reader.ts'
import { isBeyond, type Outbox, type OutboxEvent } from '../event/outbox.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { Store } from '../store/store.ts'
import type { NewMessage, Queue, QueuePosition } from './queue.ts'
import type { StoredWebhook, WebhookStore } from './webhook-store.ts'

export interface HandOverDependencies {
  readonly store: Store
  readonly queue: Queue
  readonly webhooks: WebhookStore
  readonly reader: EventReader
  readonly outbox: Pick<Outbox, 'after' | 'end'>
  readonly log: Pick<Log, 'error'>
  readonly limits: Pick<Limits, 'eventBatch'>
}
export interface HandOver {
  /** Up to the last event. Rejects if the database is unavailable; then it is repeated. */
  all(): Promise<void>
  /** Stores how far it is, so that the outbox may forget what is before. */
  settle(): Promise<void>
}

const messagesMax = 5_000

export async function openHandOver(dependencies: HandOverDependencies): Promise<HandOver> {
  const { store, queue, webhooks, reader, outbox, log, limits } = dependencies
  const end = await outbox.end()
  let position: QueuePosition = await store.write(() => queue.position(end))
  /** Events up to here have no receivers after `position`. */
  let seen = position

  async function receiversOf(event: OutboxEvent, all: readonly StoredWebhook[]): Promise<readonly StoredWebhook[]> {
    const wanting = all.flatMap((each) =>
      each.actor !== null && each.events.includes(event.name) ? [{ webhook: each, actor: each.actor }] : [],
    )
    if (wanting.length === 0) return []
    try {
      const mayRead = await reader.whoMayRead(
        event,
        wanting.map(({ actor }) => actor),
      )
      return wanting.flatMap(({ webhook, actor }) => (mayRead(actor) === true ? [webhook] : []))
    } catch (error) {
      if (error instanceof Failure) throw error
      // Retrying would fail again and block later events.
      log.error('An event could not be handed on to webhooks.', { err: error, eventId: event.id })
      return []
    }
  }

  async function messagesFor(
    events: readonly OutboxEvent[],
  ): Promise<{ readonly messages: readonly NewMessage[]; readonly to: QueuePosition }> {
    const end = events.at(-1)!.position
    const names = [...new Set(events.map(({ name }) => name))]
    const listening = await store.read(webhooks.listening(names))
    const messages: NewMessage[] = []
    if (listening.length === 0) return { messages, to: end }
    for (const event of events) {
      for (const { id, ownerId } of await receiversOf(event, listening))
        messages.push({ webhookId: id, ownerId, ...messageOf(event) })
      if (messages.length >= messagesMax) return { messages, to: event.position }
    }
    return { messages, to: end }
  }

  async function move(to: QueuePosition, messages: readonly NewMessage[]): Promise<void> {
    const isOurs = await store.write(function* () {
      return yield* queue.handOn({ from: position, to, messages, now: yield* queue.now() })
    })
    // Another instance was faster: continue from its position.
    position = isOurs ? to : await store.write(() => queue.position(to))
    seen = position
  }

  return {
    async all() {
      for (;;) {
        const events = await outbox.after(seen, limits.eventBatch)
        if (events.length === 0) return
        const { messages, to } = await messagesFor(events)
        if (messages.length > 0) await move(to, messages)
        else seen = to
      }
    },
    async settle() {
      if (isBeyond(seen, position)) await move(seen, [])
    },
  }
}

const messageOf = ({ id, name, resource, recordId, at, previous }: OutboxEvent) => ({
  eventId: id,
  name,
  resource,
  recordId,
  at,
  previous: previous === null ? null : JSON.stringify(previous),
})
