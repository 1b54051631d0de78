// The messages that webhooks receive, in the document of their version. (contract 15.2.12)

import type { EventModel } from '../resource/model/model.ts'
import { eventSchemaName } from './event.ts'
import { schemaReference } from './name.ts'

/** By the name of the event. The answer of the receiver has no form. */
export const webhookItems = (events: readonly EventModel[]): object =>
  Object.fromEntries(events.map((event) => [event.name, { post: webhookOperation(event) }]))

const webhookOperation = (event: EventModel): object => ({
  operationId: `receive${event.name[0]!.toUpperCase()}${event.name.slice(1)}`,
  summary: `The event ${event.name}`,
  description: `${event.about ?? `The event ${event.name}`}. Sent to webhooks whose owners may read the record.`,
  tags: ['webhooks'],
  parameters: headers.map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string', maxLength: 1_024 },
  })),
  requestBody: {
    description: 'The message.',
    required: true,
    content: { 'application/json': { schema: schemaReference(eventSchemaName(event)) } },
  },
  responses: {
    204: { description: 'It was received. Any status from 200 to 299 will do.' },
    410: { description: 'Nothing more is to be sent: the webhook is paused.' },
    default: { description: 'It is sent again later.' },
  },
  security: [],
})

const headers = [
  ['webhook-id', 'The id of the delivery, the same at every attempt.'],
  ['webhook-timestamp', 'When the attempt was signed, in seconds since 1970.'],
  ['webhook-signature', 'Signatures as Standard Webhooks describes, with spaces between them.'],
] as const
