// Successful responses.

import type { JsonSchema } from '../resource/field/field.ts'
import { manyUpsertKeys } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { mayLetInGuests } from '../resource/model/rule/record-action.ts'
import { words } from '../resource/naming/casing.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'
import type { DocumentContext } from './document-context.ts'
import { answerName, listName, newName, schemaReference } from './name.ts'
import type { Reference } from './parameter.ts'
import { headersOf, type Response } from './response.ts'
import { answerExample, int32, newExample, objectSchema } from './schema.ts'
import { summaryExample, summarySchema } from './summary.ts'

const ofLists = ['ETag', 'Accept-Query']

type Answers = Readonly<Record<number, Response | Reference>>

export function answersOf(operation: ResourceEndpoint, context: DocumentContext): Answers {
  const { kind, resource, action, version } = operation
  const record = answerExample(resource, version.vocabulary, context.naming)
  const fresh = newExample(resource, version.vocabulary, context.naming)
  const answer = answerOf(operation)
  const one = (name: string) => objectSchema({ data: schemaReference(name) }, ['data'])
  const many = (name: string, counted: string) => manyRecords(name, [counted], context.limits.batch)
  const whole = answerName(resource)
  // The replay of a guest's create shows tokens again. (contract 4.7.11)
  const again = (schemaOf: (name: string) => JsonSchema): JsonSchema =>
    newName(resource) !== whole && mayLetInGuests(action)
      ? { anyOf: [schemaOf(whole), schemaOf(newName(resource))] }
      : schemaOf(whole)
  switch (kind) {
    case 'list':
      return {
        200: answer('A page of the list.', ofLists, schemaReference(listName(resource)), pageExample(record)),
        304: notModified,
      }
    case 'summary': {
      const example = summaryExample(resource, version.vocabulary, context.cursorForm)
      return {
        200: answer('A page of groups.', ofLists, summarySchema(operation, context), example),
        304: notModified,
      }
    }
    case 'record': {
      const schema = objectSchema({ data: { ...schemaReference(whole), ...asNamed } }, ['data'])
      return { 200: answer('The record.', ['ETag'], schema, { data: record }), 304: notModified }
    }
    case 'create':
      return {
        200: answer(replayed, ['ETag', 'Idempotent-Replayed'], again(one), { data: record }),
        201: answer('The new record.', ['ETag', 'Location'], one(newName(resource)), { data: fresh }),
      }
    case 'createMany': {
      const meta = { created: 1 }
      const isUpsert = manyUpsertKeys(resource).length > 0
      const replay = again((name) => many(name, 'created'))
      const ofUpsert = manyRecords(newName(resource), ['created', 'updated'], context.limits.batch)
      return {
        200: answer(
          isUpsert ? `${replayed} With \`by\`, the records.` : replayed,
          ['Idempotent-Replayed'],
          isUpsert ? { anyOf: [ofUpsert, replay] } : replay,
          { data: [record], meta: isUpsert ? { ...meta, updated: 0 } : meta },
        ),
        201: answer('The new records.', [], many(newName(resource), 'created'), { data: [fresh], meta }),
      }
    }
    case 'moveMany':
    case 'updateMany':
    case 'deleteMany':
      return { 200: bulkAnswer(operation, context) }
    case 'collection': {
      const schema = manyRecords(whole, ['written'], context.limits.batch, 0)
      const example = { data: [record], meta: { written: 1 } }
      return { 200: answer('The records that it wrote.', ['Idempotent-Replayed'], schema, example) }
    }
    case 'delete':
      return { 204: { description: 'It is deleted.', headers: headersOf(version, [], action.deprecated !== null) } }
    case 'move': {
      const [schema, data] =
        action.renews.length === 0 ? [one(whole), record] : [anyRecord([newName(resource), whole]), fresh]
      return { 200: answer('The record.', ['ETag', 'Idempotent-Replayed'], schema, { data }) }
    }
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

/** A replay does not show what the first answer showed once. */
const anyRecord = (names: readonly string[]): JsonSchema =>
  objectSchema({ data: { anyOf: names.map(schemaReference), description: 'The record.' } }, ['data'])

const answerOf =
  ({ version, action }: ResourceEndpoint) =>
  (description: string, headers: readonly string[], schema: JsonSchema, example: object): Response => ({
    description,
    headers: headersOf(version, headers, action.deprecated !== null),
    content: { 'application/json': { schema, example } },
  })

/** What a write of many that exist answers: the records, or how many there are. */
function bulkAnswer(operation: ResourceEndpoint, { limits, naming }: DocumentContext): Response {
  const { kind, resource, version } = operation
  const answer = answerOf(operation)
  const countsOf = (names: readonly string[]) => names.map((counted) => onlyCounted(counted, limits.recordsPerWrite))
  if (kind === 'deleteMany')
    return answer('How many there are.', [], { anyOf: countsOf(['deleted', 'matched']) }, { meta: { deleted: 1 } })
  const example = { data: [answerExample(resource, version.vocabulary, naming)], meta: { updated: 1 } }
  const records = manyRecords(answerName(resource), ['updated'], limits.batch)
  const headers = kind === 'moveMany' ? ['Idempotent-Replayed'] : []
  if (resource.where === null) return answer('The records.', headers, records, example)
  const description = 'The records; with `where` or `dry_run` how many there are.'
  return answer(description, headers, { anyOf: [records, ...countsOf(['updated', 'matched'])] }, example)
}

const replayed =
  'The idempotency key was used before: the record created then, as you see it now; for an anonymous caller, the answer given then.'
const notModified: Reference = { $ref: '#/components/responses/NotModified' }

/**
 * For an answer that `fields` can narrow: only these members, none required. A schema cannot depend on the request, and one without
 * required members would serve other callers badly.
 */
const asNamed: JsonSchema = { 'x-narrowed-by': 'fields' }

function manyRecords(name: string, counted: readonly string[], max: number, min = 1): JsonSchema {
  const count = int32(counted.length > 1 ? 0 : min, max)
  const counts = counted.map((each) => [each, { ...count, description: `How many were ${each}.` }])
  const description = 'The records.'
  const data = { type: 'array', minItems: min, maxItems: max, items: schemaReference(name), description }
  const meta = { ...objectSchema(Object.fromEntries(counts), counted), description: 'Metadata about them.' }
  return objectSchema({ data, meta }, ['data', 'meta'])
}

function onlyCounted(counted: string, maximum: number): JsonSchema {
  const count = { ...int32(0, maximum), description: `How many were ${counted}.` }
  const meta = { ...objectSchema({ [counted]: count }, [counted]), description: 'How many there are.' }
  return objectSchema({ meta }, ['meta'])
}

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

/** `meta` by page number, with or without a total, and by cursor. Each has different members. */
export function metaSchemas({ limits, cursorForm }: DocumentContext): Readonly<Record<string, JsonSchema>> {
  const { pageSize, offset } = limits
  const orNull = { ...cursor, type: ['string', 'null'] }
  const size = {
    page: { ...int32(1, offset + 1), description: 'The number of this page.' },
    per_page: { ...int32(1, pageSize), description: 'The size of the page.' },
  }
  const totals = {
    total: { ...int32(0, offset), description: 'How many records there are that the caller may see.' },
    total_pages: { ...int32(0, offset), description: 'How many pages of this size there are.' },
  }
  const neighbours = {
    has_next: isMore,
    has_prev: { type: 'boolean', description: 'Whether there is a page before this one.' },
  }
  const always = ['page', 'per_page', 'has_next', 'has_prev']
  const forms = ['PageMeta', 'UncountedPageMeta', ...(cursorForm === 'envelope' ? ['CursorMeta'] : [])]
  return {
    ListMeta: { anyOf: forms.map(schemaReference), description: 'The position of the page, as requested.' },
    PageMeta: {
      ...objectSchema({ ...size, ...totals, ...neighbours }, [...always, 'total', 'total_pages']),
      description: `A page by its number, of a list of at most ${offset} records.`,
    },
    UncountedPageMeta: {
      ...objectSchema({ ...size, ...neighbours }, always),
      description: `A page by its number, of a list of more than ${offset} records, which are not counted.`,
    },
    CursorMeta: {
      ...objectSchema(
        {
          next_cursor: { ...orNull, description: 'The cursor of the next page; null if there is none.' },
          prev_cursor: { ...orNull, description: 'The cursor of the page before; null if there is none.' },
          has_next: isMore,
        },
        ['next_cursor', 'prev_cursor', 'has_next'],
      ),
      description: 'A page from a cursor on.',
    },
  }
}
