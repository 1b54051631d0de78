// Turns events into messages for webhooks whose owners may read their records. (contract 15.2.2)

import type { OutboxEvent } from '../event/outbox.ts'
import type { HandedOn } from '../event/outbox-consumer.ts'
import { Failure } from '../failure/failure.ts'
import type { NewMessage } from './queue.ts'
import type { Sending } from './sending.ts'
import type { StoredWebhook } from './webhook-store.ts'

const messagesMax = 5_000

export function createHandOver({ store, queue, webhooks, reader, log }: Sending) {
  async function receiversOf(event: OutboxEvent, all: readonly StoredWebhook[]): Promise<readonly StoredWebhook[]> {
    const wanting = all.filter(({ actor, events }) => actor !== null && events.includes(event.name))
    if (wanting.length === 0) return []
    try {
      const actors = wanting.map(({ actor }) => actor)
      const mayRead = await reader.whoMayRead(event, actors)
      return wanting.filter(({ actor }) => mayRead(actor) === true)
    } catch (error) {
      if (error instanceof Failure) throw error
      // Retrying would fail again and block later events.
      log.error('An event could not be handed on to webhooks.', { err: error, eventId: event.id })
      return []
    }
  }

  return async (events: readonly OutboxEvent[]): Promise<HandedOn> => {
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
    return { to, write: messages.length === 0 ? null : () => queue.insert(messages) }
  }
}
