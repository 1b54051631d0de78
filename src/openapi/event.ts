// The schemas of events, as event streams and webhooks send them. (contract 6.4)

import type { JsonSchema } from '../resource/field/field.ts'
import type { EventModel } from '../resource/model/model.ts'
import { capitalised } from '../resource/naming/casing.ts'
import type { Version } from '../rest/route/version.ts'
import { answerName, schemaReference } from './name.ts'
import { answerSchema, objectSchema } from './schema.ts'

export const eventSchemaName = ({ name }: EventModel): string => `${capitalised(name)}Event`

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
