// Events in the document of a version: their schemas, the stream of them, and the messages that webhooks receive. (contract 6.4,
// 15.2.12)

import { requestHeaders } from '../http/message/headers.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import type { EventModel } from '../resource/model/model.ts'
import { capitalised } from '../resource/naming/casing.ts'
import type { Version } from '../rest/route/version.ts'
import { answerName, schemaReference } from './name.ts'
import { listOf, type Parameter, type Reference, sharedParameter } from './parameter.ts'
import { headersOf, refusalsOf, text } from './response.ts'
import { answerSchema, objectSchema } from './schema.ts'

const eventSchemaName = ({ name }: EventModel): string => `${capitalised(name)}Event`

/** By name. */
export const eventSchemas = (events: readonly EventModel[], version: Version): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(events.map((event) => [eventSchemaName(event), eventSchema(event, version)]))

function eventSchema({ name, resource, changed, about }: EventModel, { vocabulary }: Version): JsonSchema {
  const { properties } = answerSchema(resource, vocabulary) as { properties: Readonly<Record<string, JsonSchema>> }
  const previous = changed.map(({ field }) => {
    const key = vocabulary.name(resource, field)
    return [key, nullable(properties[key]!)] as const
  })
  const members = {
    type: { type: 'string', const: name, description: 'The name of the event.' },
    timestamp: { type: 'string', format: 'date-time', maxLength: 24, description: 'When it happened.' },
    data: schemaReference(answerName(resource)),
    ...(previous.length === 0
      ? {}
      : {
          previous_attributes: {
            ...objectSchema(
              Object.fromEntries(previous),
              previous.map(([key]) => key),
            ),
            description: 'What these fields were before. A value that the reader may not see is null.',
          },
        }),
    error: {
      ...objectSchema(
        {
          code: { type: 'string', maxLength: 64, description: 'For programs: it never changes.' },
          message: { type: 'string', maxLength: 8192, description: 'For people.' },
        },
        ['code', 'message'],
      ),
      description: 'Why there is no `data`: the record is too large, or could not be read.',
    },
  }
  return { ...objectSchema(members, ['type', 'timestamp']), description: about ?? `The event ${name}.` }
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (typeof type !== 'string') return schema
  const values = schema['enum'] as readonly unknown[] | undefined
  return { ...schema, type: [type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) }
}

/** A plural that no resource has. */
export const eventStreamTag = 'event-stream'

export function eventStreamItem(events: readonly EventModel[], version: Version): object {
  const names = events.map(({ name }) => name)
  // Sorted, so that the document does not depend on the order of definitions.
  const schemas = events.map(eventSchemaName).sort().map(schemaReference)
  return {
    get: {
      operationId: 'streamEvents',
      summary: 'Stream events',
      description:
        'Server-sent events: each event whose record the caller may read at that moment, in the order of the commits. ' +
        'Every 10 seconds of silence there is a `keep-alive`. A client that reconnects with Last-Event-ID misses nothing.',
      tags: [eventStreamTag],
      ...(version.isDeprecated ? { deprecated: true } : {}),
      parameters: [...parametersOf(names), sharedParameter('X-Request-ID')],
      responses: {
        200: {
          description: 'The stream. It lasts until either side ends it.',
          headers: { ...headersOf(version), 'X-Accel-Buffering': text('X-Accel-Buffering', { enum: ['no'] }) },
          content: {
            'text/event-stream': {
              schema: {
                type: 'string',
                maxLength: 2_147_483_647,
                description: 'Blocks of `event`, `id` and `data`, which is JSON.',
                // OpenAPI 3.1 has no schema for the items of a stream: this is that of each `data`.
                contentMediaType: 'application/json',
                contentSchema: { anyOf: schemas },
              },
              example: `event: ${names[0]}\nid: …\ndata: {"type":"${names[0]}",…}\n\n`,
            },
          },
        },
        ...refusalsOf(streamRefusals),
      },
      security: [{ bearer: [] }, { apiKey: [] }, {}],
    },
  }
}

const streamRefusals = [
  ...['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'Gone'],
  ...['TooManyRequests', 'InternalError', 'ServiceUnavailable', 'Failure'],
]

function parametersOf(names: readonly string[]): readonly (Parameter | Reference)[] {
  return [
    {
      name: 'events',
      in: 'query',
      required: true,
      description: 'The names of the events, with commas between them.',
      ...listOf(names.map((name) => ({ name, deprecated: undefined }))),
      example: names.slice(0, 2),
    },
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: requestHeaders['Last-Event-ID'],
      schema: { type: 'string', maxLength: 128 },
    },
  ]
}

/** By the name of the event. The answer of the receiver has no form. */
export const webhookItems = (events: readonly EventModel[]): object =>
  Object.fromEntries(events.map((event) => [event.name, { post: webhookOperation(event) }]))

const webhookOperation = (event: EventModel): object => ({
  operationId: `receive${capitalised(event.name)}`,
  summary: `The event ${event.name}`,
  description: `${event.about ?? `The event ${event.name}`}. Sent to webhooks whose owners may read the record.`,
  tags: ['webhooks'],
  parameters: webhookHeaders.map(([name, description]) => ({
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

const webhookHeaders = [
  ['webhook-id', 'The id of the delivery, the same at every attempt.'],
  ['webhook-timestamp', 'When the attempt was signed, in seconds since 1970.'],
  ['webhook-signature', 'Signatures as Standard Webhooks describes, with spaces between them.'],
] as const
