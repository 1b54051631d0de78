// What an operation answers when all goes well.

import type { JsonSchema } from '../../resource/field/field.ts'
import type { ResourceEndpoint } from '../routes.ts'
import type { DocumentContext } from './document-context.ts'
import { answerName, newName, schemaReference, someName } from './name.ts'
import type { Reference } from './parameter.ts'
import { headersOf, type Response } from './response.ts'
import { answerExample, newExample, objectSchema } from './schema.ts'
import { summaryExample, summarySchema } from './summary.ts'

type Answers = Readonly<Record<number, Response | Reference>>

/** By status. */
export function answersOf(operation: ResourceEndpoint, context: DocumentContext): Answers {
  const { kind, resource, action, version } = operation
  const record = answerExample(resource, version.vocabulary, context.naming)
  const fresh = newExample(resource, version.vocabulary, context.naming)
  const answer = (description: string, headers: readonly string[], schema: JsonSchema, example: object): Response => ({
    description,
    headers: headersOf(version, headers, action.deprecated !== null),
    content: { 'application/json': { schema, example } },
  })
  const one = (name: string) => objectSchema({ data: schemaReference(name) }, ['data'])
  const many = (name: string, counted: string) => manyRecords(name, counted, context.limits.batch)
  const whole = answerName(resource)
  switch (kind) {
    case 'list':
      return {
        200: answer('A page of the list.', ['ETag'], page(operation, context), pageExample(record)),
        304: notModified,
      }
    case 'summary': {
      const example = summaryExample(resource, version.vocabulary, context.cursorForm)
      return {
        200: answer('A page of groups.', ['ETag'], summarySchema(operation, context), example),
        304: notModified,
      }
    }
    case 'record': {
      const schema = objectSchema({ data: wholeOrSome(operation) }, ['data'])
      return { 200: answer('The record.', ['ETag'], schema, { data: record }), 304: notModified }
    }
    case 'create':
      return {
        200: answer(replayed, ['ETag', 'Idempotent-Replayed'], one(whole), { data: record }),
        201: answer('The new record.', ['ETag', 'Location'], one(newName(resource)), { data: fresh }),
      }
    case 'createMany': {
      const meta = { created: 1 }
      return {
        200: answer(replayed, ['Idempotent-Replayed'], many(whole, 'created'), { data: [record], meta }),
        201: answer('The new records.', [], many(newName(resource), 'created'), { data: [fresh], meta }),
      }
    }
    case 'updateMany':
      return { 200: answer('The records.', [], many(whole, 'updated'), { data: [record], meta: { updated: 1 } }) }
    case 'collection': {
      const schema = manyRecords(whole, 'written', context.limits.batch, 0)
      const example = { data: [record], meta: { written: 1 } }
      return { 200: answer('The records that it wrote.', ['Idempotent-Replayed'], schema, example) }
    }
    case 'delete':
      return { 204: { description: 'It is deleted.', headers: headersOf(version, [], action.deprecated !== null) } }
    case 'move':
      return { 200: answer('The record.', ['ETag', 'Idempotent-Replayed'], one(whole), { data: record }) }
    case 'upsert':
      return {
        200: answer('The record, replaced.', ['ETag'], one(whole), { data: record }),
        201: answer('The new record.', ['ETag', 'Location'], one(newName(resource)), { data: fresh }),
      }
    case 'replace':
    case 'update':
      return { 200: answer('The record.', ['ETag'], one(whole), { data: record }) }
  }
}

const replayed = 'The key was used before: what was made then, as the caller sees it now.'
const notModified: Reference = { $ref: '#/components/responses/NotModified' }

/** With `fields`, only those. */
const wholeOrSome = ({ resource }: ResourceEndpoint): JsonSchema => ({
  anyOf: [schemaReference(answerName(resource)), schemaReference(someName(resource))],
  description: 'The record, or with `fields` some of it.',
})

function manyRecords(name: string, counted: string, max: number, min = 1): JsonSchema {
  const count = {
    type: 'integer',
    format: 'int32',
    minimum: min,
    maximum: max,
    description: `How many were ${counted}.`,
  }
  const description = 'The records.'
  const data = { type: 'array', minItems: min, maxItems: max, items: schemaReference(name), description }
  const meta = { ...objectSchema({ [counted]: count }, [counted]), description: 'What there is to say about them.' }
  return objectSchema({ data, meta }, ['data', 'meta'])
}

function page(operation: ResourceEndpoint, { limits, cursorForm }: DocumentContext): JsonSchema {
  const description = 'The records of the page.'
  const data = { type: 'array', maxItems: limits.pageSize, items: wholeOrSome(operation), description }
  const [byNumber, byCursor] = ['PageMeta', 'CursorMeta'].map(schemaReference)
  const enveloped = (meta: JsonSchema) => objectSchema({ data, meta }, ['data', 'meta'])
  if (cursorForm === 'envelope')
    return enveloped({ anyOf: [byNumber!, byCursor!], description: 'Where the page stands.' })
  const flat = objectSchema({ data, next_cursor: nextCursor, has_more: isMore }, ['data', 'has_more'])
  return { anyOf: [enveloped(byNumber!), flat] }
}

const pageExample = (record: object): object => ({
  data: [record],
  meta: { page: 1, per_page: 20, total: 1, total_pages: 1, has_next: false, has_prev: false },
})

const cursor = { type: 'string', maxLength: 4096, pattern: '^[A-Za-z0-9_-]+$' }
const nextCursor = { ...cursor, description: 'Where the next page begins.' }
const isMore = { type: 'boolean', description: 'Whether there is another page.' }

/** What is told about a page, by number and from a cursor. */
export function metaSchemas({ pageSize, offset }: DocumentContext['limits']): Readonly<Record<string, JsonSchema>> {
  const number = (minimum: number, maximum: number, description: string) => ({
    type: 'integer',
    format: 'int32',
    minimum,
    maximum,
    description,
  })
  const orNull = { ...cursor, type: ['string', 'null'] }
  return {
    PageMeta: {
      ...objectSchema(
        {
          page: number(1, offset + 1, 'The number of this page.'),
          per_page: number(1, pageSize, 'The size of the page.'),
          total: number(0, offset, 'How many records there are that the caller may see.'),
          total_pages: number(0, offset, 'How many pages of this size there are.'),
          has_next: isMore,
          has_prev: { type: 'boolean', description: 'Whether there is a page before this one.' },
        },
        ['page', 'per_page', 'has_next', 'has_prev'],
      ),
      description: `A page by its number. Beyond ${offset} records, total and total_pages are left out.`,
    },
    CursorMeta: {
      ...objectSchema(
        {
          next_cursor: { ...orNull, description: 'Where the next page begins; null where there is none.' },
          prev_cursor: { ...orNull, description: 'Where the page before begins; null where there is none.' },
          has_next: isMore,
        },
        ['next_cursor', 'prev_cursor', 'has_next'],
      ),
      description: 'A page from a cursor on.',
    },
  }
}
