// Opens webhooks, if the service lists them: what their writes change in the queue, and in processes with workers what sends.

import type { Change, RunnerContext } from '../../../action/context.ts'
import type { Cipher } from '../../../action/encrypted-value.ts'
import { createEventReader } from '../../../event/event-reader.ts'
import { createOutbound } from '../../../outbound/outbound.ts'
import type { WebhookParts } from '../../../webhook/parts.ts'
import type { Sending } from '../../../webhook/sending.ts'
import type { Webhooks } from '../../../webhook/webhooks.ts'
import type { OpenContext } from '../open-context.ts'
import type { Database } from '../open-database.ts'
import type { OpenEvents } from '../open-events.ts'

/** Null, with nothing loaded, if the service does not list `Webhook`. */
export async function openWebhookParts(
  { model, limits, clock, configuration, options }: OpenContext,
  { dialect }: Database,
  cipher: Cipher,
): Promise<WebhookParts | null> {
  const [webhook, delivery] = [model.byName.get('Webhook'), model.byName.get('WebhookDelivery')]
  if (webhook?.isCredential !== true || delivery === undefined) return null
  const { createWebhookParts } = await import('../../../webhook/parts.ts')
  const outbound = options.outbound ?? createOutbound({ rule: configuration.outbound, limits })
  return createWebhookParts({ model, webhook, delivery, dialect, cipher, clock, outbound })
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
          if (parts.concerns(change)) yield* parts.changed(change)
        },
        committed(change) {
          context.committed(change)
          if (parts.concerns(change)) parts.wake()
        },
      }

/** Null if there are none, or other processes send. */
export async function startWebhooks(
  { model, limits, clock, log, answers, workers, options, shutdown }: OpenContext,
  parts: WebhookParts | null,
  { database, events, send, noteUse }: { database: Database; events: OpenEvents } & Pick<Sending, 'send' | 'noteUse'>,
): Promise<Webhooks | null> {
  if (parts === null || !workers) return null
  const { openWebhooks } = await import('../../../webhook/webhooks.ts')
  const { store, dialect, plans } = database
  const { outbox, onEvent } = events
  const shared = { model, store, dialect, clock, random: options.random ?? Math.random, log, limits }
  const readerLimits = { ...limits, answerBytes: limits.webhookBytes }
  const reader = createEventReader({ ...shared, plans, answers, limits: readerLimits })
  const webhooks = await openWebhooks({ ...shared, ...parts, reader, outbox, send, noteUse })
  parts.wake = () => webhooks.wake()
  onEvent((event) => webhooks.notify(event))
  shutdown.beforeClose(() => webhooks.stop())
  return webhooks
}
