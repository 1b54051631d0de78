// Opens webhooks, if the service lists them: what their writes change in the queue, and in processes with workers what sends.

import type { Change, RunnerContext } from '../../../action/context.ts'
import type { Cipher } from '../../../action/encrypted-value.ts'
import { createEventReader } from '../../../event/event-reader.ts'
import type { Mail } from '../../../mail/mailer.ts'
import { createOutbound, type Outbound } from '../../../outbound/outbound.ts'
import type { NoteUse } from '../../../resource/deprecation.ts'
import type { Model } from '../../../resource/model/model.ts'
import type { WebhookChanges, WebhookResources } from '../../../webhook/changes.ts'
import type { Queue } from '../../../webhook/queue.ts'
import type { WebhookStore } from '../../../webhook/webhook-store.ts'
import type { Webhooks } from '../../../webhook/webhooks.ts'
import type { OpenContext } from '../open-context.ts'
import type { Database } from '../open-database.ts'
import type { OpenEvents } from '../open-events.ts'

/** What writes to webhooks and deliveries need, in every process. */
export interface WebhookParts {
  readonly resources: WebhookResources
  readonly queue: Queue
  readonly store: WebhookStore
  readonly outbound: Outbound
  readonly changes: WebhookChanges
  readonly requireSound: RunnerContext['afterValidation']
  /** Set by what sends. */
  wake: () => void
}

/** Null if the service does not list `Webhook`. */
export function webhookResources({ byName }: Model): WebhookResources | null {
  const [webhook, delivery] = [byName.get('Webhook'), byName.get('WebhookDelivery')]
  return webhook?.isCredential !== true || delivery === undefined ? null : { webhook, delivery }
}

/** Null, with nothing loaded, if there are no webhooks. */
export async function openWebhookParts(
  { model, limits, clock, configuration, options }: OpenContext,
  { dialect }: Database,
  cipher: Cipher,
): Promise<WebhookParts | null> {
  const resources = webhookResources(model)
  if (resources === null) return null
  const [{ Queue }, { createWebhookStore }, { createWebhookChanges }, { createRequireSound }] = await Promise.all([
    import('../../../webhook/queue.ts'),
    import('../../../webhook/webhook-store.ts'),
    import('../../../webhook/changes.ts'),
    import('../../../webhook/require-sound.ts'),
  ])
  const queue = new Queue(resources.delivery, dialect, clock)
  const store = createWebhookStore(model, resources.webhook, { dialect, cipher })
  const outbound = options.outbound ?? createOutbound({ rule: configuration.outbound, limits })
  return {
    resources,
    queue,
    store,
    outbound,
    changes: createWebhookChanges(resources, queue, store),
    requireSound: createRequireSound(model, resources.webhook, outbound),
    wake: () => undefined,
  }
}

/** Adds what webhooks need to the runner. */
export const withWebhooks = (context: RunnerContext, parts: WebhookParts | null): RunnerContext =>
  parts === null
    ? context
    : {
        ...context,
        afterValidation(call) {
          context.afterValidation(call)
          parts.requireSound(call)
        },
        *changed(change: Change, now: Date) {
          yield* context.changed(change, now)
          if (parts.changes.concerns(change)) yield* parts.changes.changed(change)
        },
        committed(change) {
          context.committed(change)
          if (parts.changes.concerns(change)) parts.wake()
        },
      }

export interface SendingDependencies {
  readonly database: Database
  readonly events: OpenEvents
  readonly sendMail: (mail: Mail) => Promise<void>
  readonly noteUse: NoteUse
}

/** Null if there are none, or other processes send. */
export async function startWebhooks(
  { model, limits, clock, log, answers, workers, options, shutdown }: OpenContext,
  parts: WebhookParts | null,
  { database, events: { outbox, onEvent }, sendMail, noteUse }: SendingDependencies,
): Promise<Webhooks | null> {
  if (parts === null || !workers) return null
  const { openWebhooks } = await import('../../../webhook/webhooks.ts')
  const { store, dialect, plans } = database
  const { queue, store: webhookStore, outbound, resources } = parts
  const shared = { model, store, dialect, clock, random: options.random ?? Math.random, log, limits }
  const readerLimits = { ...limits, answerBytes: limits.webhookBytes }
  const reader = createEventReader({ ...shared, plans, answers, limits: readerLimits })
  const sending = { queue, webhooks: webhookStore, outbound, reader, outbox, send: sendMail, noteUse }
  const webhooks = await openWebhooks({ ...shared, ...resources, ...sending })
  parts.wake = () => webhooks.wake()
  onEvent((event) => webhooks.notify(event))
  shutdown.beforeClose(() => webhooks.stop())
  return webhooks
}
