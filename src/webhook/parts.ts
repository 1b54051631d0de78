// What writes to webhooks and deliveries need, and what they change in the queue, in their transaction: pings, replays, resumed and
// deleted webhooks.

import type { Change } from '../action/context.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { Program } from '../store/store.ts'
import { pingEvent } from './attempt.ts'
import { Queue, unplaced } from './queue.ts'
import { createRequireSound } from './require-sound.ts'
import { createWebhookStore, type WebhookStoreDependencies } from './webhook-store.ts'

export interface WebhookPartsDependencies extends WebhookStoreDependencies {
  readonly model: Model
  readonly webhook: ResourceModel
  readonly delivery: ResourceModel
  readonly outbound: Outbound
  readonly dialect: Dialect
  readonly clock: () => Date
}
export type WebhookParts = ReturnType<typeof createWebhookParts>

export function createWebhookParts(dependencies: WebhookPartsDependencies) {
  const { model, webhook, delivery, outbound, dialect, clock } = dependencies
  const queue = new Queue(delivery, dialect, clock)
  const webhooks = createWebhookStore(model, webhook, dependencies)

  function* ping(id: string, now: Date): Program<void> {
    const found = yield* webhooks.find(id)
    if (found === null) return
    const event = { id, name: pingEvent, resource: webhook.name, recordId: id, at: now, previous: null, ...unplaced }
    yield* queue.insert([{ webhookId: id, ownerId: found.ownerId, event }])
  }

  return {
    webhook,
    outbound,
    queue,
    webhooks,
    requireSound: createRequireSound(model, webhook, outbound),
    /** Set by what sends. */
    wake: (): void => undefined,

    /** Whether something may be due since the commit. */
    concerns: ({ action, others }: Change): boolean =>
      action?.resource === webhook ||
      action?.resource === delivery ||
      others.some(({ resource }) => resource === webhook || resource === delivery),

    *changed(change: Change): Program<void> {
      const now = yield* queue.now()
      for (const { resource, name, id } of doneIn(change)) {
        // The lane of a deleted one is forgotten when it is looked at.
        if (resource === webhook && reopening.has(name)) yield* queue.reopen(id, now)
        if (resource === webhook && name === 'ping') yield* ping(id, now)
        if (resource === delivery && name === 'replay') yield* queue.replay(id, now)
      }
    },
  }
}

const reopening: ReadonlySet<string> = new Set(['resume', 'update', 'delete'])

/** Code of a service may resume and replay them too. */
const doneIn = ({ action, records, others }: Change) => [
  ...(action === null ? [] : records.map(({ id }) => ({ resource: action.resource, name: action.name, id }))),
  ...others.map(({ resource, id, change }) => {
    const status = change?.['status']
    const name = change === null ? 'delete' : status === 'waiting' ? 'replay' : status === 'active' ? 'resume' : ''
    return { resource, name, id }
  }),
]
