// What can be sent beside a body: in the path, the query and the headers. (contract 4.3, 4.4, 4.7)

import { fieldsOf, linksOf } from '../../action/record-selection.ts'
import { type RequestHeader, requestHeaders } from '../../http/message/headers.ts'
import type { Limits } from '../../limits.ts'
import { aboutArgument, aboutField, aboutFilter, aboutSearch } from '../../resource/about.ts'
import type { Deprecating } from '../../resource/deprecation.ts'
import type { JsonSchema, SpecBase } from '../../resource/field/field.ts'
import { valueSchema, writeValue } from '../../resource/field/registry.ts'
import type { KeyModel } from '../../resource/model/column.ts'
import { ownColumns } from '../../resource/model/key.ts'
import type { FilterModel, QueryModel, ResourceModel } from '../../resource/model/model.ts'
import { recordActions } from '../../resource/model/record-action.ts'
import { ruleSentence } from '../../resource/model/rule-sentence.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { filterNames } from '../filter.ts'
import { queryParameters } from '../query-arguments.ts'
import { exampleOf, type Naming } from './example.ts'
import { idPattern, leavingOf } from './schema.ts'

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

/** Parameters that are the same for every operation that has them, by name. */
export function sharedParameters(limits: Limits, takesCodes: boolean): Readonly<Record<string, Parameter>> {
  const size = {
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: limits.pageSize,
  }
  // No keyword `default`: pages that show the document would send both parameters, and one excludes the other.
  const usual = `${Math.min(limits.defaultPageSize, limits.pageSize)} where both are left out.`
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
    page: query('page', `The number of the page. Its offset is at most ${limits.offset}. Not together with cursor.`, {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: limits.offset + 1,
    }),
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
    ...(takesCodes ? { 'X-Access-Code': header('X-Access-Code', { type: 'string', maxLength: 128 }) } : {}),
    'X-Request-ID': header('X-Request-ID', {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z0-9._-]+$',
    }),
  }
}

export const sharedParameter = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

/** The id in a path. */
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

/** The values of a key in a path, in its order. */
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

/** `fields`, with commas between its names. */
export const fieldsParameter = (resource: ResourceModel, { name, list }: Vocabulary): Parameter =>
  array(
    'fields',
    'The fields to answer, and no others; all where it is left out. `can` is answered only where it is named.',
    {
      type: 'string',
      enum: [
        ...fieldsOf(resource).map((field) => name(resource, field.name)),
        ...linksOf(resource).map((relation) => list(resource, relation)),
        ...(recordActions(resource).length > 0 ? ['can'] : []),
      ],
      ...leavingValues(fieldsOf(resource).map((field) => [name(resource, field.name), field.spec.deprecated])),
    },
  )

/** `sort`, with commas between its names. */
export function sortParameter(resource: ResourceModel, vocabulary: Vocabulary): Parameter {
  const sorts = [...resource.sorts.values()].map((sort) => [vocabulary.path(resource, sort), sort] as const)
  return array('sort', 'The order of the list; `-` before a name turns it round. Newest first where it is left out.', {
    type: 'string',
    enum: sorts.flatMap(([name]) => [name, `-${name}`]),
    ...leavingValues(
      sorts.flatMap(([name, { column }]) => {
        const { deprecated } = column.spec
        return [[name, deprecated] as const, [`-${name}`, deprecated] as const]
      }),
    ),
  })
}

/** `q`, where lists can be searched. */
export const searchParameters = (
  resource: ResourceModel,
  { name }: Vocabulary,
  limits: Limits,
): readonly Parameter[] =>
  resource.search === null
    ? []
    : [
        {
          name: 'q',
          in: 'query',
          description: aboutSearch(resource, name),
          schema: { type: 'string', minLength: 1, maxLength: limits.searchLength },
        },
      ]

/** Until when single values are promised to work; nothing where all of them stay. */
function leavingValues(values: readonly (readonly [value: string, deprecation: Deprecating | undefined])[]): object {
  const sunsets = values.flatMap(([value, deprecation]) =>
    deprecation === undefined ? [] : [[value, deprecation.sunset] as const],
  )
  return sunsets.length === 0 ? {} : { 'x-deprecated-values': Object.fromEntries(sunsets) }
}

const array = (name: string, description: string, items: JsonSchema): Parameter => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: false,
  schema: {
    type: 'array',
    items,
    minItems: 1,
    maxItems: (items['enum'] as readonly string[]).length,
    uniqueItems: true,
  },
})

/** One parameter for each filter. */
export const filterParameters = (resource: ResourceModel, vocabulary: Vocabulary): readonly Parameter[] =>
  [...filterNames(resource, vocabulary)].map(([name, filter]) => ({
    name,
    in: 'query' as const,
    description: filterDescription(filter, resource, vocabulary),
    schema: valueSchema(filter.value, true, vocabulary.part),
    ...leavingOf(filter.deprecated),
  }))

/** One parameter for each argument of a query. */
export const argumentParameters = (query: QueryModel, vocabulary: Vocabulary): readonly Parameter[] =>
  [...queryParameters(query, vocabulary)].map(([name, argument]) => ({
    name,
    in: 'query' as const,
    required: argument.initial === undefined,
    description: aboutArgument(query, argument),
    schema: {
      ...valueSchema({ ...argument.spec, optional: false }, true, vocabulary.part),
      ...defaultOf(argument.spec, argument.initial),
    },
  }))
const defaultOf = (spec: SpecBase, initial: unknown): JsonSchema =>
  initial == null ? {} : { default: writeValue(spec, initial) }

function filterDescription(filter: FilterModel, resource: ResourceModel, { name }: Vocabulary): string {
  const field = name(resource, filter.column.field)
  const rule = resource.protect.get(filter.column.field)?.filter
  const allowed = rule === undefined ? '' : ` Only for ${ruleSentence(rule, resource, name)}.`
  return aboutFilter(filter, field) + allowed
}
