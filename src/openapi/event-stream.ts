// The event stream in the document of its version. (contract 6.4)

import { requestHeaders } from '../http/message/headers.ts'
import type { EventModel } from '../resource/model/model.ts'
import type { Version } from '../rest/route/version.ts'
import { eventSchemaName } from './event.ts'
import { schemaReference } from './name.ts'
import { listOf, type Parameter, type Reference, sharedParameter } from './parameter.ts'
import { headersOf, refusalsOf, text } from './response.ts'

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
        ...refusalsOf([...refusals, 'Failure']),
      },
      security: [{ bearer: [] }, { apiKey: [] }, {}],
    },
  }
}

const refusals = [
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'Gone',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
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
