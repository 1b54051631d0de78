// Custom routes in the document of their version.

import { accessSentence, isOpen, scopeOf } from '../custom-route/access.ts'
import { limitSentences, type RouteDefinition, type Specs } from '../custom-route/definition.ts'
import { headerName } from '../custom-route/header.ts'
import { isOpenBody } from '../custom-route/open-body.ts'
import { answerHeaders } from '../custom-route/reply.ts'
import { aboutPart } from '../resource/about.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import { initialValue, valueSchema, writeValue } from '../resource/field/registry.ts'
import { capitalised } from '../resource/naming/casing.ts'
import type { AuthorAddress } from '../rest/custom-route/address.ts'
import type { Version } from '../rest/route/version.ts'
import { exampleOf, type Naming } from './document-context.ts'
import { type Parameter, type Reference, sharedParameter } from './parameter.ts'
import { headersOf, type Response, refusalsOf, text } from './response.ts'
import { described, objectSchema } from './schema.ts'

/** By whole path. */
export const authorPaths = (addresses: readonly AuthorAddress[], naming: Naming): Readonly<Record<string, object>> =>
  Object.fromEntries(addresses.map((address) => [address.pattern, pathItem(address, naming)]))

export const authorTag = ({ template }: AuthorAddress): string => template.split('/')[1]!.replace(/^\./, '')

function pathItem(address: AuthorAddress, naming: Naming): object {
  const operations = [...address.endpoints].filter(([method]) => method !== 'HEAD')
  return Object.fromEntries(
    operations.map(([method, definition]) => [method.toLowerCase(), operationOf(definition, address, naming)]),
  )
}

function operationOf(definition: RouteDefinition, address: AuthorAddress, naming: Naming): object {
  const { summary, access, params = {}, query = {}, headers = {}, signed } = definition
  const { version } = address
  const { verb, path } = scopeOf(definition)
  const scope = `${verb}:${path}`
  const parameters: readonly (Parameter | Reference)[] = [
    ...Object.entries(params).map(([name, spec]) => parameter(name, 'path', spec, naming)),
    ...Object.entries(query).map(([name, spec]) => parameter(name, 'query', spec, naming)),
    ...Object.entries(headers).map(([name, spec]) => parameter(name, 'header', spec, naming)),
    ...signatureHeaders(definition),
    ...(definition.method === 'GET' && definition.answer !== undefined ? [sharedParameter('If-None-Match')] : []),
    sharedParameter('X-Request-ID'),
  ]
  return {
    operationId: operationId(definition, address),
    summary,
    description: [
      definition.description ?? `${summary}.`,
      `Allowed: ${accessSentence(access)}. An API key needs ${scope}.`,
      ...(signed === undefined ? [] : [`The body is signed: ${signed.headers.join(', ')}.`]),
      ...limitSentences(definition),
    ].join(' '),
    tags: [authorTag(address)],
    ...(version.isDeprecated ? { deprecated: true } : {}),
    parameters,
    ...requestBodyOf(definition, naming),
    responses: { ...answersOf(definition, version, naming), ...refusalsOf(refusalNames(definition)) },
    security: [{ bearer: [] }, { apiKey: [scope] }, ...(isOpen(access) ? [{}] : [])],
  }
}

/** `getReportsSales`, `getReportsByName`. */
const operationId = ({ method }: RouteDefinition, { template }: AuthorAddress): string =>
  method.toLowerCase() +
  template
    .split('/')
    .slice(1)
    .map((part) => (part.startsWith('{') ? `By${capitalised(part.slice(1, -1))}` : words(part)))
    .join('')
const words = (part: string): string => part.split(/[-.]/).map(capitalised).join('')

function parameter(field: string, place: Parameter['in'], spec: Specs[string], naming: Naming): Parameter {
  const name = { path: () => field, query: () => naming.partName(field, spec), header: () => headerName(field) }[
    place
  ]()
  const initial = writeValue(spec, initialValue(spec))
  const leftOut = initial === undefined || initial === null ? '' : ` Default: \`${JSON.stringify(initial)}\`.`
  return {
    name,
    in: place,
    ...(place === 'path' || initial === undefined ? { required: true } : {}),
    description: `${aboutPart(field, spec)}${leftOut}`,
    // A parameter may be missing, but is never null.
    schema: valueSchema({ ...spec, optional: false }, true, naming.partName),
    example: exampleOf(spec, field, naming, 'input'),
  }
}

/** Those that `headers` does not describe. */
function signatureHeaders({ signed, headers = {} }: RouteDefinition): readonly Parameter[] {
  const described = new Set(Object.keys(headers).map((field) => headerName(field).toLowerCase()))
  const names = signed?.headers.filter((name) => !described.has(name.toLowerCase())) ?? []
  return names.map((name) => ({
    name,
    in: 'header',
    required: true,
    description: 'A part of the signature of the body.',
    schema: { type: 'string', maxLength: 8192 },
  }))
}

function requestBodyOf({ body, raw }: RouteDefinition, naming: Naming): { readonly requestBody?: object } {
  if (raw !== undefined) {
    const { maxBytes, mediaTypes = ['*/*'] } = raw
    const schema = { type: 'string', format: 'binary', maxLength: maxBytes }
    return {
      requestBody: { required: false, content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])) },
    }
  }
  if (body === undefined) return {}
  const described = content(body, 'input', naming)
  return { requestBody: isOpenBody(body) ? withoutClosing(described) : described }
}

/** The same schemas with additional members allowed. */
function withoutClosing<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutClosing) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([name, value]) => name !== 'additionalProperties' || value !== false)
  return Object.fromEntries(members.map(([name, value]) => [name, withoutClosing(value)])) as T
}

type Direction = 'input' | 'answer'

function schemaOf(fields: Specs, direction: Direction, { partName }: Naming): JsonSchema {
  const isInput = direction === 'input'
  const parts = Object.entries(fields).map(([field, spec]) => ({ field, name: partName(field, spec), spec }))
  const required = parts.filter(({ spec }) => !isInput || initialValue(spec) === undefined)
  return objectSchema(
    Object.fromEntries(
      parts.map(({ name, spec, field }) => [
        name,
        described(aboutPart(field, spec), valueSchema(spec, isInput, partName), []),
      ]),
    ),
    required.map(({ name }) => name),
  )
}

const exampleFor = (fields: Specs, direction: Direction, naming: Naming): object =>
  Object.fromEntries(
    Object.entries(fields).map(([field, spec]) => [
      naming.partName(field, spec),
      exampleOf(spec, field, naming, direction),
    ]),
  )

function content(fields: Specs, direction: Direction, naming: Naming): object {
  const schema = schemaOf(fields, direction, naming)
  const example = exampleFor(fields, direction, naming)
  return { required: schema['required'] !== undefined, content: { 'application/json': { schema, example } } }
}

function answersOf(
  { method, answer, status = 200 }: RouteDefinition,
  version: Version,
  naming: Naming,
): Readonly<Record<number, Response | Reference>> {
  if (answer === undefined) return { 204: { description: 'It is done.', headers: headersOf(version) } }
  const isKept = method === 'GET'
  const description = 'The answer.'
  const headers = headersOf(version, isKept ? ['ETag', 'Vary'] : [])
  const notModified = isKept ? { 304: { $ref: '#/components/responses/NotModified' } } : {}
  if (typeof answer === 'string') {
    const schema = { type: 'string', format: 'binary', maxLength: 2 ** 31 - 1 }
    const own = Object.fromEntries(answerHeaders.map((name) => [name, text(name, {})]))
    return {
      [status]: { description, headers: { ...headers, ...own }, content: { [answer]: { schema } } },
      ...notModified,
    }
  }
  const data = { ...schemaOf(answer, 'answer', naming), description: 'The result.' }
  const schema = objectSchema({ data }, ['data'])
  const example = { data: exampleFor(answer, 'answer', naming) }
  return { [status]: { description, headers, content: { 'application/json': { schema, example } } }, ...notModified }
}

/** The author may throw any failure; those that no resource has are covered by `default`. */
const refusalNames = ({ body, raw }: RouteDefinition): readonly string[] => [
  ...['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'RequestTimeout', 'Conflict'],
  ...(body === undefined && raw === undefined ? [] : ['PayloadTooLarge', 'UnsupportedMediaType']),
  ...['UnprocessableContent', 'TooManyRequests', 'InternalError', 'ServiceUnavailable', 'Failure'],
]
