// What an operation answers when all goes well.

import type { JsonSchema } from '../../resource/field/field.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { words } from '../../resource/naming/casing.ts'
import type { ResourceEndpoint } from '../routes.ts'
import type { DocumentContext } from './document-context.ts'
import { answerName, listName, newName, schemaReference } from './name.ts'
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
        200: answer('A page of the list.', ['ETag'], schemaReference(listName(resource)), pageExample(record)),
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
      const schema = objectSchema({ data: { ...schemaReference(whole), ...asNamed } }, ['data'])
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
    case 'moveMany':
    case 'updateMany': {
      const example = { data: [record], meta: { updated: 1 } }
      const records = many(whole, 'updated')
      const headers = kind === 'moveMany' ? ['Idempotent-Replayed'] : []
      if (resource.where === null) return { 200: answer('The records.', headers, records, example) }
      const counts = ['updated', 'matched'].map((counted) => onlyCounted(counted, context.limits.recordsPerWrite))
      const description = 'The records; with `where` or `dry_run` how many there are.'
      return { 200: answer(description, headers, { anyOf: [records, ...counts] }, example) }
    }
    case 'collection': {
      const schema = manyRecords(whole, 'written', context.limits.batch, 0)
      const example = { data: [record], meta: { written: 1 } }
      return { 200: answer('The records that it wrote.', ['Idempotent-Replayed'], schema, example) }
    }
    case 'deleteMany': {
      const counts = ['deleted', 'matched'].map((counted) => onlyCounted(counted, context.limits.recordsPerWrite))
      return { 200: answer('How many there are.', [], { anyOf: counts }, { meta: { deleted: 1 } }) }
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

/**
 * Beside the schema of a record that `fields` can narrow: an answer to it has members of the schema alone, and none is required.
 * No JSON Schema sees a request, and one that requires nothing for the sake of `fields` would tell everybody else nothing.
 */
const asNamed: JsonSchema = { 'x-narrowed-by': 'fields' }

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

function onlyCounted(counted: string, maximum: number): JsonSchema {
  const count = { type: 'integer', format: 'int32', minimum: 0, maximum, description: `How many were ${counted}.` }
  const meta = { ...objectSchema({ [counted]: count }, [counted]), description: 'How many there are.' }
  return objectSchema({ meta }, ['meta'])
}

/** A page of records, the same for every list of them. */
export function listSchema(resource: ResourceModel, { limits, cursorForm }: DocumentContext): JsonSchema {
  const about = 'The records of the page.'
  const items = { ...schemaReference(answerName(resource)), ...asNamed }
  const data = { type: 'array', maxItems: limits.pageSize, items, description: about }
  const enveloped = objectSchema({ data, meta: schemaReference('ListMeta') }, ['data', 'meta'])
  const description = `A page of ${words(resource.plural)}.`
  if (cursorForm === 'envelope') return { ...enveloped, description }
  const flat = objectSchema({ data, next_cursor: nextCursor, has_more: isMore }, ['data', 'has_more'])
  return { anyOf: [enveloped, flat], description }
}

const pageExample = (record: object): object => ({
  data: [record],
  meta: { page: 1, per_page: 20, total: 1, total_pages: 1, has_next: false, has_prev: false },
})

const cursor = { type: 'string', maxLength: 4096, pattern: '^[A-Za-z0-9_-]+$' }
const nextCursor = { ...cursor, description: 'Where the next page begins.' }
const isMore = { type: 'boolean', description: 'Whether there is another page.' }

/** What is told about a page: by number, with a total or without, and from a cursor. No two have the same members. */
export function metaSchemas({ limits, cursorForm }: DocumentContext): Readonly<Record<string, JsonSchema>> {
  const { pageSize, offset } = limits
  const number = (minimum: number, maximum: number, description: string) => ({
    type: 'integer',
    format: 'int32',
    minimum,
    maximum,
    description,
  })
  const orNull = { ...cursor, type: ['string', 'null'] }
  const size = {
    page: number(1, offset + 1, 'The number of this page.'),
    per_page: number(1, pageSize, 'The size of the page.'),
  }
  const totals = {
    total: number(0, offset, 'How many records there are that the caller may see.'),
    total_pages: number(0, offset, 'How many pages of this size there are.'),
  }
  const neighbours = {
    has_next: isMore,
    has_prev: { type: 'boolean', description: 'Whether there is a page before this one.' },
  }
  const always = ['page', 'per_page', 'has_next', 'has_prev']
  const forms = ['PageMeta', 'UncountedPageMeta', ...(cursorForm === 'envelope' ? ['CursorMeta'] : [])]
  return {
    ListMeta: { anyOf: forms.map(schemaReference), description: 'Where the page stands, as it was asked for.' },
    PageMeta: {
      ...objectSchema({ ...size, ...totals, ...neighbours }, [...always, 'total', 'total_pages']),
      description: `A page by its number, of a list of at most ${offset} records.`,
    },
    UncountedPageMeta: {
      ...objectSchema({ ...size, ...neighbours }, always),
      description: `A page by its number, of a list of more than ${offset} records, which nobody counts.`,
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
