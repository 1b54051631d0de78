// What a write to a webhook or a delivery changes in the queue, in its transaction: pings, replays, resumed and deleted webhooks.

import type { Change } from '../action/context.ts'
import { idOfActor } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import { pingEvent } from './attempt.ts'
import type { Queue } from './queue.ts'
import type { WebhookStore } from './webhook-store.ts'

export interface WebhookResources {
  readonly webhook: ResourceModel
  readonly delivery: ResourceModel
}
export type WebhookChanges = ReturnType<typeof createWebhookChanges>

const nowhere = { transaction: 0n, number: 0n }

export function createWebhookChanges({ webhook, delivery }: WebhookResources, queue: Queue, webhooks: WebhookStore) {
  const idsOf = ({ action, records, others }: Change, of: ResourceModel, isMeant: (name: string) => boolean) => [
    ...(action?.resource === of && isMeant(action.name) ? records.map(({ id }) => id) : []),
    ...others.flatMap(({ resource, id, change }) =>
      resource === of && isMeant(change === null ? 'delete' : nameOfChange(change['status'])) ? [id] : [],
    ),
  ]

  function* ping(ids: readonly string[], now: Date): Program<void> {
    for (const id of ids) {
      const found = yield* webhooks.find(id)
      if (found === null) continue
      const ownerId = found.actor === null ? found.ownerId : idOfActor(found.actor)
      const event = { id, name: pingEvent, resource: webhook.name, recordId: id, by: null, at: now, previous: null }
      yield* queue.insert([{ webhookId: id, ownerId, event: { ...event, position: nowhere } }], now)
    }
  }

  const concerns = ({ action, others }: Change): boolean =>
    action?.resource === webhook ||
    action?.resource === delivery ||
    others.some(({ resource }) => resource === webhook || resource === delivery)

  return {
    /** Whether something may be due since the commit. */
    concerns,

    *changed(change: Change): Program<void> {
      const now = yield* queue.now()
      // The lane of a deleted one is forgotten when it is looked at.
      yield* queue.reopen(
        idsOf(change, webhook, (name) => ['resume', 'update', 'delete'].includes(name)),
        now,
      )
      yield* ping(
        idsOf(change, webhook, (name) => name === 'ping'),
        now,
      )
      yield* queue.replay(
        idsOf(change, delivery, (name) => name === 'replay'),
        now,
      )
    },
  }
}

/** Code of a service may move them too. */
const nameOfChange = (status: unknown): string =>
  status === 'waiting' ? 'replay' : status === 'active' ? 'resume' : ''
