// Parameters in path, query and headers. (contract 4.3, 4.4, 4.7)

import type { ArgumentType, Asked, Described, Word } from '../action/question/parameter/parameter.ts'
import { fieldsOf, linksOf } from '../action/record-selection.ts'
import { type RequestHeader, requestHeaders } from '../http/message/headers.ts'
import type { Limits } from '../limits.ts'
import { aboutField } from '../resource/about.ts'
import { leavingOf } from '../resource/deprecation.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import { valueSchema } from '../resource/field/registry.ts'
import type { KeyModel } from '../resource/model/column.ts'
import { manyUpsertKeys, ownColumns } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { recordActions } from '../resource/model/rule/record-action.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { exampleOf, type Naming } from './document-context.ts'
import { idPattern, int32 } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly [more: string]: unknown
}
export interface Reference {
  readonly $ref: string
}

/** By name. */
export function sharedParameters(limits: Limits, takesCodes: boolean): Readonly<Record<string, Parameter>> {
  const size = int32(1, limits.pageSize)
  // Not the keyword `default`: interactive pages would send both parameters, which exclude each other.
  const usual = `${Math.min(limits.defaultPageSize, limits.pageSize)} by default.`
  const query = (name: string, description: string, schema: JsonSchema): Parameter => ({
    name,
    in: 'query',
    description,
    schema,
  })
  const header = (name: RequestHeader, schema: JsonSchema): Parameter => ({
    name,
    in: 'header',
    description: requestHeaders[name],
    schema,
  })
  const key = { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength, pattern: '^[!-~]+$' }
  const tags = { type: 'string', maxLength: limits.headerBytes }
  return {
    page: query(
      'page',
      `The number of the page. Its offset is at most ${limits.offset}. Not together with cursor.`,
      int32(1, limits.offset + 1),
    ),
    per_page: query('per_page', `The size of the page. Not together with limit; ${usual}`, size),
    limit: query(
      'limit',
      `The size of the page; without page, a page from a cursor on. Not together with per_page; ${usual}`,
      size,
    ),
    cursor: query('cursor', 'Where the page begins: next_cursor or prev_cursor of another page of the same list.', {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      pattern: '^[A-Za-z0-9_-]+$',
    }),
    'If-None-Match': header('If-None-Match', tags),
    'If-Match': header('If-Match', tags),
    'X-Idempotency-Key': header('X-Idempotency-Key', key),
    'Idempotency-Key': header('Idempotency-Key', key),
    ...(takesCodes ? { 'X-Access-Code': header('X-Access-Code', { type: 'string', maxLength: 1280 }) } : {}),
    'X-Request-ID': header('X-Request-ID', {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z0-9._-]+$',
    }),
  }
}

export const sharedParameter = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

/** The key of a batch whose records are created or replaced. (contract 11.2.26) */
export const upsertParameters = (resource: ResourceModel, { name }: Vocabulary): readonly Parameter[] => {
  const keys = manyUpsertKeys(resource).map((key) =>
    ownColumns(key)
      .map(({ field }) => name(resource, field))
      .join(),
  )
  const description = 'The key of the records: those that have it are replaced, the others created.'
  return keys.length === 0 ? [] : [{ name: 'by', in: 'query', description, schema: { type: 'string', enum: keys } }]
}

export const idParameter = (resource: ResourceModel, account: ResourceModel, example: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: resource === account ? 'The id of the record, or `me` for the caller.' : 'The id of the record.',
  schema: {
    type: 'string',
    maxLength: 64,
    pattern: resource === account ? `^(?:${idPattern(resource.prefix)}|me)$` : `^${idPattern(resource.prefix)}$`,
  },
  example,
})

/** In the key's order. */
export const keyParameters = (
  resource: ResourceModel,
  key: KeyModel,
  { name, part }: Vocabulary,
  naming: Naming,
): readonly Parameter[] =>
  ownColumns(key).map(({ field, spec }) => ({
    name: name(resource, field),
    in: 'path',
    required: true,
    description: aboutField(field, spec, resource),
    schema: valueSchema(spec, true, part),
    example: exampleOf(spec, field, naming, 'input'),
  }))

export const fieldsParameter = (resource: ResourceModel, { name, list }: Vocabulary): Parameter => {
  const fields = fieldsOf(resource).map((each) => ({
    name: name(resource, each.name),
    deprecated: each.spec.deprecated,
  }))
  const links = linksOf(resource).map((relation) => ({ name: list(resource, relation) }))
  const can = recordActions(resource).length > 0 ? [{ name: 'can' }] : []
  return {
    name: 'fields',
    in: 'query',
    description: 'The fields to answer, and no others; all by default. `can` is returned only if it is named.',
    ...listOf([...fields, ...links, ...can]),
  }
}

export const describedParameters = (
  kinds: readonly Described[],
  asked: Asked,
  vocabulary: Vocabulary,
  limits: Limits,
): readonly Parameter[] =>
  kinds
    .flatMap((kind) => kind.describe(asked, 'text', vocabulary))
    .map(({ name, about, type, isNeeded, initial, deprecated, more }) => {
      const { schema, ...style } = written(type(), vocabulary, limits)
      return {
        name,
        in: 'query',
        ...(isNeeded === undefined ? {} : { required: isNeeded }),
        description: about(),
        ...style,
        schema: initial === undefined ? schema : { ...schema, default: initial },
        ...leavingOf(deprecated),
        ...more?.(),
      }
    })

/** The form of a value in a query string. */
export function written(type: ArgumentType, vocabulary: Vocabulary, limits: Limits): { readonly schema: JsonSchema } {
  switch (type.is) {
    case 'text': {
      const { charsMax, pattern } = type
      const maxLength = typeof charsMax === 'number' ? charsMax : limits[charsMax]
      return { schema: { type: 'string', minLength: 1, maxLength, ...(pattern === undefined ? {} : { pattern }) } }
    }
    case 'value':
      return { schema: valueSchema(type.spec, true, vocabulary.part) }
    case 'words':
      return listOf(type.words(vocabulary), type.max)
    default:
      throw new Error(`A query string holds no ${type.is}.`)
  }
}

/** Separated by commas. */
export function listOf(words: readonly Pick<Word, 'name' | 'deprecated'>[], maxItems = words.length) {
  const leaving = words.flatMap(({ name, deprecated }) => (deprecated === undefined ? [] : [[name, deprecated.sunset]]))
  const items = {
    type: 'string',
    enum: words.map(({ name }) => name),
    ...(leaving.length === 0 ? {} : { 'x-deprecated-values': Object.fromEntries(leaving) }),
  }
  return { style: 'form', explode: false, schema: { type: 'array', items, minItems: 1, maxItems, uniqueItems: true } }
}
