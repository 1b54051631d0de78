// Turns events into messages for webhooks whose owners may read their records. (contract 15.2.2)

import type { EventReader } from '../event/event-reader.ts'
import type { OutboxEvent } from '../event/outbox.ts'
import type { HandedOn } from '../event/outbox-consumer.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Store } from '../store/store.ts'
import type { NewMessage, Queue } from './queue.ts'
import type { StoredWebhook, WebhookStore } from './webhook-store.ts'

export interface HandOverDependencies {
  readonly store: Store
  readonly queue: Queue
  readonly webhooks: WebhookStore
  readonly reader: EventReader
  readonly log: Pick<Log, 'error'>
}

const messagesMax = 5_000

export function createHandOver(
  dependencies: HandOverDependencies,
): (events: readonly OutboxEvent[]) => Promise<HandedOn> {
  const { store, queue, webhooks, reader, log } = dependencies

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

  return async (events) => {
    const names = [...new Set(events.map(({ name }) => name))]
    const listening = await store.read(webhooks.listening(names))
    const messages: NewMessage[] = []
    let to = events.at(-1)!.position
    for (const event of listening.length === 0 ? [] : events) {
      for (const { id, ownerId } of await receiversOf(event, listening))
        messages.push({ webhookId: id, ownerId, event })
      if (messages.length < messagesMax) continue
      to = event.position
      break
    }
    if (messages.length === 0) return { to, write: null }
    return {
      to,
      *write() {
        yield* queue.insert(messages, yield* queue.now())
      },
    }
  }
}
