// Requests made up from the OpenAPI document, good and bad: none may end in a 5xx or in an answer that the document does
// not foresee. `send` holds every answer to the document. REST_REQUESTS says how many for each database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { api } from '../../reference/service.ts'
import { forEachEngine } from '../../test/support/server/databases.ts'
import { type RestService, startRest } from '../../test/support/server/rest-face.ts'
import type { Actor } from '../resource/actor.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly maxItems?: number
}
interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
}
interface Operation {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const resolve = <T extends { readonly $ref?: string }>(document: Document, of: T): T => {
  let target: unknown = document
  for (const name of of.$ref?.slice(2).split('/') ?? []) target = (target as Record<string, unknown>)[name]
  return of.$ref === undefined ? of : (target as T)
}

const junk = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(null, '', ' ', 0, -1, 2_147_483_648, 1e300, 0.5, [], {}, true, [null], [[]]),
  },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Mostly what the schema asks for, sometimes anything. */
function anyOf(document: Document, schemaOrReference: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 25, arbitrary: fittingOf(document, schemaOrReference, ids) },
    { weight: 1, arbitrary: junk },
  )
}

function fittingOf(document: Document, schemaOrReference: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const schema = resolve(document, schemaOrReference)
  const types = [schema.type].flat()
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (types.includes('null')) {
    const { type: _, ...rest } = schema
    const some = fittingOf(document, { ...rest, type: types.filter((each) => each !== 'null')[0]! }, ids)
    return fc.option(some, { freq: 4 })
  }
  switch (types[0]) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -9, max: Math.min(schema.maximum ?? 9, 2 ** 31 - 1) }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 0, (schema.maximum ?? 0) + 1, (schema.minimum ?? 0) - 1),
      )
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(anyOf(document, schema.items!, ids), { maxLength: Math.min(schema.maxItems ?? 3, 3) })
    case 'object':
      return fc
        .record(
          Object.fromEntries(
            Object.entries(schema.properties ?? {}).map(([name, of]) => [name, anyOf(document, of, ids)]),
          ),
          { requiredKeys: [...(schema.required ?? [])] },
        )
        .chain((members) =>
          fc.oneof(
            { weight: 20, arbitrary: fc.constant<object>(members) },
            junk.map((value) => ({ ...members, [`x${textOf(value)}`.slice(0, 9)]: value })),
          ),
        )
    default:
      return fc.oneof(
        fc.constantFrom('EUR', 'a@example.com', 'https://example.com', 'x'.repeat(schema.minLength ?? 1), ...ids),
        fc.string({
          unit: 'grapheme',
          minLength: schema.minLength ?? 0,
          maxLength: Math.min(schema.maxLength ?? 40, 40),
        }),
        fc.constant('x'.repeat(Math.min((schema.maxLength ?? 40) + 1, 60_000))),
      )
  }
}

interface Request {
  readonly line: string
  readonly as: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** One request of any operation, of which every part may be wrong. */
function requestOf(document: Document, ids: readonly string[]): fc.Arbitrary<Request> {
  const operations = Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item)
      .filter(([method]) => !method.startsWith('x-'))
      .map(([method, operation]) => ({ template, method: method.toUpperCase(), operation })),
  )
  return fc.constantFrom(...operations).chain(({ template, method, operation }) => {
    const parameters = operation.parameters.map((each) => resolve(document, each))
    const schema = operation.requestBody?.content['application/json'].schema
    const pattern = parameters.find((each) => each.in === 'path')?.schema.pattern ?? '^'
    const fitting = ids.filter((id) => new RegExp(pattern).test(id))
    const anyId = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('me', ...fitting) }, fc.constantFrom('x', ...ids))
    const query = fc.record(
      Object.fromEntries(
        parameters
          .filter((each) => each.in === 'query')
          .map((each) => [each.name, anyOf(document, each.schema, ids).map(textOf)]),
      ),
      { requiredKeys: [] },
    )
    return fc.record<Request>({
      line: fc.tuple(anyId, query, fc.boolean()).map(([id, values, withQuery]) => {
        // Of many parameters at once hardly any request would be good.
        const [first, second] = Object.entries(values).map(([name, value]) => `${name}=${encode(value!)}`)
        const text = [first, second].filter((each) => each !== undefined).join('&')
        const path = template.replace('{id}', encode(id))
        return `${method} ${path}${withQuery && text !== '' ? `?${text}` : ''}`
      }),
      as: fc.constantFrom('', 'viewer', 'editor', 'editor', 'admin', 'admin', 'admin', 'key'),
      body: schema === undefined ? fc.constant(undefined) : anyOf(document, schema, ids),
      headers: fc.record(
        {
          'X-Idempotency-Key': fc.constantFrom('a', 'b', 'c', 'd d'),
          'If-Match': fc.constantFrom('"1.0"', '"2.0"', '*', 'x'),
          'If-None-Match': fc.constantFrom('"1.0"', '"1.7"', '*', 'x'),
        },
        { requiredKeys: [] },
      ),
    })
  })
}

/** Of an object that has a member `toString`, `String` makes no text. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(textOf).join() : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Half of a surrogate pair has no percent-encoding. NUL is refused before any face sees it. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed().replaceAll('\0', ''))

async function people({ send, signUp, actor }: RestService) {
  const who: Record<string, Actor> = {
    viewer: await signUp('VIEWER'),
    editor: await signUp('EDITOR'),
    admin: await signUp('ADMIN'),
    key: actor('ADMIN', ['read:*', 'create:posts']),
  }
  const make = async (path: string, as: string, body: object): Promise<string> =>
    (await send(`POST /api/v2/${path}`, { as: who[as]!, body })).body.data.id
  const product = { name: 'Cup', category: 'c', price: 900, currency: 'EUR', stock: 1000 }
  const sold = await make('products', 'admin', product)
  const post = await make('posts', 'editor', { title: 'T', content: 'C', publish: true })
  const ids = [
    who['viewer']!.id!,
    who['editor']!.id!,
    sold,
    post,
    await make('posts', 'editor', { title: 'T', content: 'C' }),
    await make('comments', 'viewer', { post_id: post, content: 'C' }),
    await make('articles', 'editor', { title: 'T', body: 'B' }),
    await make('orders', 'viewer', { items: [{ product_id: sold, quantity: 1 }] }),
  ]
  return { who, ids }
}

forEachEngine((engine) => {
  test('requests made up from the document end as it says, and never in a 5xx', async (t) => {
    const rest = await startRest(t, engine, api)
    const { who, ids } = await people(rest)
    const documents: readonly Document[] = await Promise.all(
      ['v1', 'v2'].map(async (name) => (await rest.send(`GET /api/${name}/openapi.json`)).body),
    )
    const statuses = new Map<number, number>()
    const request = fc.constantFrom(...documents).chain((document) => requestOf(document, ids))
    const property = fc.asyncProperty(request, async ({ line, as, body, headers }) => {
      const actor = who[as]
      const sent = { headers, ...(actor === undefined ? {} : { as: actor }), ...(body === undefined ? {} : { body }) }
      const { status, body: answer } = await rest.send(line, sent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.ok(status < 500, JSON.stringify(answer))
    })
    await fc.assert(property, { numRuns: Number(process.env['REST_REQUESTS'] ?? 200) })
    t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
    for (const status of [200, 400, 401, 403, 404]) assert.ok(statuses.has(status), `some request ended in ${status}`)
  })
})
