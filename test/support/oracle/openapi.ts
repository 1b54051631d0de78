// Holds what a service sends and takes to its own OpenAPI document: an answer that the document does not foresee fails.

import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { definitionsOf } from '../../../src/custom-route/definition.ts'
import type { AuthorRoute } from '../../../src/custom-route/route.ts'
import type { EndpointDescription } from '../../../src/http/message/endpoint-description.ts'
import type { Limits } from '../../../src/limits.ts'
import { makeDocument } from '../../../src/openapi/document.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { authorAddresses } from '../../../src/rest/custom-route/address.ts'
import type { CursorForm } from '../../../src/rest/query/page.ts'
import { compileRoutes } from '../../../src/rest/route/routes.ts'

/** What is read of a document; everything else in it is for people. */
interface Document {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}
type Schema = Readonly<Record<string, unknown>>
type PathItem = Readonly<Record<string, OperationObject>>
const otherOperations = 'x-oai-additionalOperations'
interface OperationObject {
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>
}
interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Content
}
type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>

/** As much of an answer as is looked at beside its schema. */
interface Answered {
  readonly data?: Loose | readonly Loose[]
}
type Loose = { readonly can?: unknown } | null | undefined

export interface Exchanged {
  readonly method: string
  readonly path: string
  /** Undefined where none was sent, or one that is no JSON. */
  readonly sent?: unknown
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: unknown]>
  /** Null where there was no body. */
  readonly body: unknown
}
export interface OpenApiChecker {
  /** Fails with an AssertionError where the document does not foresee this. Paths outside of it are left alone. */
  check(exchanged: Exchanged): void
  /** Every example of the document, with what its own schema has against it; nothing when empty. */
  exampleProblems(): readonly string[]
}

// Compiling the schemas of a document takes longer than most tests.
const lookup = new Map<string, OpenApiChecker>()

/** A checker for all versions of this model: each address by the document of its version, others by that of the newest. */
export function createVersionsChecker(
  model: Model,
  limits: Limits,
  cursorForm: CursorForm = 'envelope',
  authorRoutes: readonly AuthorRoute[] = [],
  endpoints: readonly EndpointDescription[] = [],
): Check {
  const routes = compileRoutes(model)
  const authored = authorAddresses(definitionsOf(authorRoutes), routes.versions)
  const checkers = new Map<string, OpenApiChecker>()
  const makeChecker = (version: (typeof routes.versions)[number]): OpenApiChecker => {
    const document = JSON.stringify(
      makeDocument(version, routes, model, { limits, cursorForm, info: { title: 'Test' }, authored, endpoints }),
    )
    return getOrInsert(lookup, document, () => createOpenApiChecker(JSON.parse(document)))
  }
  return (exchanged) => {
    const version =
      routes.versions.find(({ prefix }) => exchanged.path.startsWith(`${prefix}/`)) ?? routes.versions.at(-1)!
    getOrInsert(checkers, version.name, () => makeChecker(version)).check(exchanged)
  }
}
type Check = OpenApiChecker['check']

/** Headers that belong to the connection or to the coding of the body rather than to the interface. */
const transport = /^(date|connection|keep-alive|content-(type|length|encoding)|transfer-encoding)$/

export function createOpenApiChecker(document: object): OpenApiChecker {
  const { paths, components } = document as Document
  // The schemas themselves are checked by the tests of documents.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } })
  formats.default(ajv)
  // A format of OpenAPI's registry that Ajv lacks: the pattern beside it says more.
  ajv.addFormat('decimal', true)
  // Under its own name, each is compiled once, and not once for every schema that refers to it.
  for (const [name, schema] of Object.entries(components.schemas ?? {}))
    ajv.addSchema(absolute(schema), `document#/components/schemas/${name}`)
  const compiled = new WeakMap<object, ValidateFunction>()
  const problemsOf = (schema: object, value: unknown): string => {
    // References are relative to the document, which is where they are read.
    const validate = getOrInsert(compiled, schema, () => ajv.compile(absolute(schema)))
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
  const narrowedSchemas = new Map<string, object>()
  /** The schema of an answer to a request with this query: as it stands in the document, or with the narrowing done that it names. */
  const schemaFor = (schema: object, query: URLSearchParams, place: string): object =>
    query.has('fields')
      ? getOrInsert(narrowedSchemas, `${place}?${query.get('fields')}`, () =>
          narrow(schema as Schema, query, components),
        )
      : schema
  const templates = Object.keys(paths).map((template) => ({ template, parts: template.split('/') }))

  function operationAt(method: string, path: string): OperationObject | undefined {
    const parts = path.split('?')[0]!.split('/')
    const fits = templates.filter(
      (each) =>
        each.parts.length === parts.length &&
        each.parts.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index])),
    )
    const best = fits.find(({ template }) => !template.includes('{')) ?? fits[0]
    const lookup = method === 'HEAD' ? 'GET' : method
    if (best === undefined) return undefined
    const item = paths[best.template]!
    return item[lookup.toLowerCase()] ?? (item[otherOperations] as PathItem | undefined)?.[lookup]
  }

  function responseOf(operation: OperationObject, status: number): ResponseObject {
    const response = operation.responses[status] ?? (status >= 400 ? operation.responses['default'] : undefined)
    assert.ok(response !== undefined, `the document has an answer with status ${status}`)
    return '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : (response as ResponseObject)
  }

  return {
    check({ method, path, sent, status, headers, body }) {
      const operation = operationAt(method, path)
      if (operation === undefined) return
      const response = responseOf(operation, status)
      for (const [name] of headers) {
        const lookup = Object.keys(response.headers ?? {}).some((each) => each.toLowerCase() === name)
        assert.ok(lookup || transport.test(name), `${method} ${path}: the document has the header ${name}`)
      }
      if (method !== 'HEAD') {
        const type = String(new Map(headers).get('content-type'))
        // Documents describe the envelope of a failure, not its other form. (contract 7.2.10)
        if (type === 'application/problem+json') return
        const schema = (response.content?.[type] ?? response.content?.['application/json'])?.schema
        assert.equal(schema === undefined, body === null, `${method} ${path} ${status}: a body where one is foreseen`)
        const [address, query] = [path.split('?')[0]!, new URLSearchParams(path.split('?')[1])]
        // A list may be repeated. (contract 4.3.9)
        const { fields } = ((method === 'QUERY' ? sent : null) ?? {}) as {
          readonly fields?: string | readonly string[]
        }
        if (fields !== undefined) query.set('fields', String(fields))
        if (query.has('fields')) query.set('fields', query.getAll('fields').join())
        if (schema !== undefined) {
          const expected = schemaFor(schema, query, `${method} ${address} ${status}`)
          assert.equal(problemsOf(expected, body), '', `${method} ${path} ${status}`)
          const hasCan = [(body as Answered | null)?.data].flat().some((each) => each?.can !== undefined)
          assert.ok(!hasCan || query.get('fields')?.split(',').includes('can'), `${method} ${path}: \`can\` unasked`)
        }
      }
      const request = operation.requestBody?.content['application/json']
      if (status < 300 && sent !== undefined && request !== undefined) {
        assert.equal(problemsOf(request.schema, sent), '', `${method} ${path}: the body that was accepted`)
      }
    },
    exampleProblems() {
      const operations = Object.entries(paths).flatMap(([path, item]) =>
        Object.entries({ ...item, ...(item[otherOperations] as PathItem | undefined) })
          .filter(([method]) => method !== otherOperations)
          .map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
      )
      return operations.flatMap(({ name, operation }) => {
        const responses = Object.keys(operation.responses).filter((status) => status !== 'default')
        const contents = [
          ...responses.map((status) => responseOf(operation, Number(status)).content),
          operation.requestBody?.content,
        ]
        return contents
          .flatMap((content) => Object.values(content ?? {}))
          .map(({ schema, example }) => problemsOf(schema, example))
          .filter((problems) => problems !== '')
          .map((problems) => `${name}: ${problems}`)
      })
    },
  }
}

/** The schema where a parameter of the request is named by `x-narrowed-by`: with the members that it says and no others. */
function narrow(node: Schema, query: URLSearchParams, components: Document['components']): Schema {
  const { $ref, 'x-narrowed-by': parameter, ...rest } = node
  if (typeof $ref === 'string') {
    const target = { ...components.schemas[$ref.split('/').at(-1)!]!, ...rest }
    const names = typeof parameter === 'string' ? query.get(parameter) : null
    return names === null ? narrow(target, query, components) : withMembers(target, names.split(','))
  }
  return Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => {
      if (keyword === 'properties')
        return [
          keyword,
          Object.fromEntries(
            Object.entries(value as object).map(([name, of]) => [name, narrow(of, query, components)]),
          ),
        ]
      if (keyword === 'items') return [keyword, narrow(value as Schema, query, components)]
      if (keyword === 'anyOf') return [keyword, (value as Schema[]).map((each) => narrow(each, query, components))]
      return [keyword, value]
    }),
  )
}

/** All of these members that the schema requires, any that it knows, and no others. */
function withMembers(schema: Schema, names: readonly string[]): Schema {
  const properties = Object.entries(schema['properties'] as object).filter(([name]) => names.includes(name))
  const required = (schema['required'] as readonly string[]).filter((name) => names.includes(name))
  return { ...schema, properties: Object.fromEntries(properties), required }
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'))
}
