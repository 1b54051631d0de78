// What sending to webhooks needs of the service.

import type { EventReader } from '../event/event-reader.ts'
import type { Outbox } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Log } from '../observation/log.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { Store } from '../store/store.ts'
import type { Queue } from './queue.ts'
import type { WebhookStore } from './webhook-store.ts'

export interface Sending {
  readonly model: Model
  readonly webhook: ResourceModel
  readonly store: Store
  readonly dialect: Dialect
  readonly queue: Queue
  readonly webhooks: WebhookStore
  readonly reader: EventReader
  readonly outbox: Pick<Outbox, 'after' | 'end'>
  readonly outbound: Outbound
  readonly send: (mail: Mail) => Promise<void>
  readonly noteUse: NoteUse
  readonly clock: () => Date
  readonly random: () => number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly limits: Limits
}
