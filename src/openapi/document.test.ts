import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  argument,
  integer,
  list,
  may,
  object,
  one,
  optional,
  readOnly,
  resource,
  self,
  service,
  state,
  text,
  timestamp,
  token,
} from 'duet-api'
import { api } from '../../reference/service.ts'
import { accountFields, accounts } from '../../test/support/domain/account.ts'
import { library } from '../../test/support/domain/library.ts'
import { createOpenApiChecker, type Exchanged } from '../../test/support/oracle/openapi.ts'
import { defaultLimits } from '../limits.ts'
import type { Service } from '../resource/language/service.ts'
import { compileModel } from '../resource/model/compile/compile-model.ts'
import { compileRoutes } from '../rest/route/routes.ts'
import { makeDocument } from './document.ts'

/** As much of a document as these tests look at. */
interface Document {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, { readonly description: string }>>
  }
}
interface Operation {
  readonly operationId: string
  readonly description: string
  readonly deprecated?: boolean
  readonly security: readonly object[]
  readonly parameters: readonly { readonly name?: string; readonly schema?: Schema; readonly $ref?: string }[]
  readonly responses: Readonly<Record<string, object>>
}
interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly additionalProperties?: boolean
  readonly $ref?: string
}
interface Row {
  readonly data: object
}
interface Answered {
  readonly content: { readonly 'application/json': { readonly schema: object } }
}

function documentOf(of: Service<unknown>, name: string, cursorForm: 'envelope' | 'flat' = 'envelope'): Document {
  const model = compileModel(of)
  const routes = compileRoutes(model)
  const version = routes.versions.find((each) => each.name === name)!
  return makeDocument(version, routes, model, {
    limits: defaultLimits,
    cursorForm,
    info: { title: 'Test' },
  }) as Document
}
const [v1, v2] = [documentOf(api, 'v1'), documentOf(api, 'v2')]
const operationsOf = ({ paths }: Document) =>
  Object.values(paths).flatMap(({ 'x-oai-additionalOperations': _, ...item }) => Object.values(item))
const names = (schema: Schema | undefined) => Object.keys(schema!.properties!)

/** Tokens, arguments, inner objects: what the reference service has not. */
const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    status: state('ACTIVE', 'GONE'),
    secret: token({ prefix: 'tok_' }),
    born: optional(timestamp()),
    years: argument(integer({ min: 1, max: 9 })),
    parts: list(object({ friend: one('User'), count: readOnly(integer({ min: 5 })) }), { max: 3 }),
    home: optional(object({ streetName: text({ min: 3, max: 4 }) })),
  },
  protect: { born: { read: self, write: may('manage') } },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['email', 'password', 'role', 'born', 'parts', 'home'] },
    age: { allow: may('manage'), accept: ['years'], check: () => true },
    leave: { allow: self, from: 'ACTIVE', to: 'GONE' },
  },
})
const odd = documentOf(
  service({
    resources: { User },
    accounts,
    roles: { ANY: {} },
  }),
  'v1',
)

test('7.1.1, 7.1.2 codes are those of the catalogue, and those of the service behind NOT_FOUND', () => {
  const codesOf = ({ components: { schemas, responses } }: Document) => {
    const { enum: codes } = schemas['Error']!.properties!['error']!.properties!['code']!
    const at = codes!.indexOf('NOT_FOUND')
    return [codes!.slice(at, at + 3), /\((.*)\)/.exec(responses['NotFound']!.description)![1]]
  }
  const next = 'METHOD_NOT_ALLOWED'
  assert.deepEqual(codesOf(v2), [['NOT_FOUND', 'USER_NOT_FOUND', next], 'NOT_FOUND, USER_NOT_FOUND'])
  assert.deepEqual(codesOf(documentOf(library, 'v1')), [
    ['NOT_FOUND', 'BOOK_NOT_FOUND', next],
    'NOT_FOUND, BOOK_NOT_FOUND',
  ])
  assert.deepEqual(codesOf(odd)[1], 'NOT_FOUND')
})

test('4.15.1 its server is where clients find the service, where that is said', () => {
  const serverOf = (said: object) => {
    const model = compileModel(api)
    const routes = compileRoutes(model)
    const options = { limits: defaultLimits, cursorForm: 'envelope', info: { title: 'Test' }, ...said } as const
    return (makeDocument(routes.current, routes, model, options) as Document).servers[0]!.url
  }
  assert.equal(
    serverOf({ basePath: '/backend', baseUrl: 'https://example.com/backend' }),
    'https://example.com/backend',
  )
  assert.equal(serverOf({ basePath: '/backend', baseUrl: null }), '/backend')
})

test('every path is whole, below one server at the root', () => {
  for (const { servers, paths } of [v1, v2]) {
    assert.deepEqual(
      servers.map(({ url }) => url),
      ['/'],
    )
    for (const [path, item] of Object.entries(paths)) {
      assert.match(path, /^\/(api\/v[12]|auth|health|\.well-known)(\/|$)/)
      assert(!('servers' in item), `${path} has no server of its own`)
    }
  }
})

test('4.15.1 every address is there, with every method but HEAD and OPTIONS', () => {
  const model = compileModel(api)
  for (const { template, pattern, version, endpoints } of compileRoutes(model).addresses) {
    const methods = [...endpoints.keys()].filter((method) => method !== 'HEAD')
    const item = (version.name === 'v1' ? v1 : v2).paths[pattern]
    if (template === '/openapi.json' || template === '/workflows.json') assert.equal(item, undefined)
    else
      assert.deepEqual(
        Object.keys(item!),
        methods.map((method) => (method === 'QUERY' ? 'x-oai-additionalOperations' : method.toLowerCase())),
      )
  }
})

test('every example fits its schema', () => {
  for (const document of [v1, v2, odd, documentOf(api, 'v2', 'flat')]) {
    assert.deepEqual(createOpenApiChecker(document).exampleProblems(), [])
  }
})

test('every operation has a name of its own', () => {
  const ids = operationsOf(v2).map(({ operationId }) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ['listPosts', 'getPost', 'createPosts', 'updatePosts', 'publishPost', 'listUserFollowers']) {
    assert.ok(ids.includes(id), id)
  }
})

test('every reference leads somewhere', () => {
  for (const document of [v1, v2, odd]) {
    for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      let place: unknown = document
      for (const name of path.split('/')) place = (place as Record<string, unknown> | undefined)?.[name]
      assert.notEqual(place, undefined, path)
    }
  }
})

test('the version has its own names, and reports when it is deprecated (contract 9.1)', () => {
  const comment = ({ components: { schemas } }: Document, name: string) => names(schemas[name])
  assert.deepEqual(comment(v1, 'Comment'), ['id', 'post_id', 'author_id', 'text', 'created_at', 'updated_at', 'can'])
  assert.deepEqual(comment(v2, 'Comment'), ['id', 'post_id', 'author_id', 'content', 'created_at', 'updated_at', 'can'])
  assert.deepEqual(comment(v1, 'CreateComment'), ['post_id', 'text'])
  assert.deepEqual(comment(v2, 'UpdateComment'), ['content'])
  assert.ok(operationsOf(v1).every(({ deprecated }) => deprecated === true))
  assert.ok(operationsOf(v2).every(({ deprecated }) => deprecated === undefined))
})

test('who may, in words and as security', () => {
  const { get, post } = v2.paths['/api/v2/posts']!
  assert.match(post!.description, /Allowed: holders of posts:create\. An API key needs create:posts\./)
  assert.deepEqual(post!.security, [{ bearer: [] }, { apiKey: ['create:posts'] }])
  assert.match(get!.description, /anyone, while published_at is set; its author_id; holders of posts:publish/)
  assert.deepEqual(get!.security, [{ bearer: [] }, { apiKey: ['read:posts'] }, {}])
  const nested = v2.paths['/api/v2/users/{id}/posts']!['get']!
  assert.deepEqual(nested.security, [{ bearer: [] }, { apiKey: ['read:posts', 'read:users'] }, {}])
  assert.deepEqual(v2.paths['/api/v2/orders']!['get']!.security.length, 2)
})

test('a field that few may read is not required, and names its readers', () => {
  const { properties, required } = v2.components.schemas['User']!
  assert.deepEqual(
    Object.keys(properties!).filter((name) => !required!.includes(name)),
    ['email', 'email_verified', 'preferences', 'can'],
  )
  assert.equal(
    properties!['email']!.description,
    'The email of the user. Only for the account itself; holders of users:manage.',
  )
})

test('4.15.4 each record of a list has the one schema of the resource, and the list a name', () => {
  for (const path of ['/api/v2/posts', '/api/v2/users/{id}/posts']) {
    const { content } = v2.paths[path]!['get']!.responses['200']! as Answered
    assert.deepEqual(content['application/json'].schema, { $ref: '#/components/schemas/PostList' })
  }
  const { data, meta } = v2.components.schemas['PostList']!.properties!
  assert.deepEqual(data!.items, { $ref: '#/components/schemas/Post', 'x-narrowed-by': 'fields' })
  assert.deepEqual(meta, { $ref: '#/components/schemas/ListMeta' })
  assert.ok(v2.components.schemas['Post']!.required!.includes('title'))
  assert.ok(!v2.components.schemas['Post']!.required!.includes('can'))
})

test('4.15.4 the meta of a page has one schema for each mode', () => {
  const forms = (document: Document) =>
    document.components.schemas['ListMeta']!.anyOf!.map(({ $ref }) => $ref!.split('/').at(-1)!)
  assert.deepEqual(forms(v2), ['PageMeta', 'UncountedPageMeta', 'CursorMeta'])
  assert.deepEqual(forms(documentOf(api, 'v2', 'flat')), ['PageMeta', 'UncountedPageMeta'])
  for (const name of forms(v2)) {
    const { properties, required, additionalProperties } = v2.components.schemas[name]!
    assert.deepEqual(Object.keys(properties!).toSorted(), required!.toSorted(), `${name} has all of its members`)
    assert.equal(additionalProperties, false)
  }
})

test('lists name their filters, orders and fields', () => {
  const { parameters } = v2.paths['/api/v2/posts']!['get']!
  const schemas = new Map(parameters.map((each) => [each.name ?? each.$ref!.split('/').at(-1), each.schema]))
  assert.deepEqual(
    [...schemas.keys()],
    [
      'page',
      'per_page',
      'limit',
      'cursor',
      'sort',
      'fields',
      'author_id',
      'tag',
      'published',
      'where',
      'If-None-Match',
      'X-Request-ID',
    ],
  )
  assert.deepEqual(schemas.get('sort')!.items!.enum, [
    'created_at',
    '-created_at',
    'published_at',
    '-published_at',
    'title',
    '-title',
    'author.name',
    '-author.name',
  ])
  assert.deepEqual(schemas.get('fields')!.items!.enum, names(v2.components.schemas['Post']))
  assert.equal(schemas.get('published')!.type, 'boolean')
})

test('tokens are in the answer to create alone; arguments are input; parts that are read only are no input', () => {
  const { schemas } = odd.components
  assert.ok(!names(schemas['User']).includes('secret'))
  assert.ok(schemas['NewUser']!.required!.includes('secret'))
  assert.deepEqual(names(schemas['AgeUser']), ['years'])
  assert.deepEqual(schemas['AgeUser']!.required, ['years'])
  assert.deepEqual(names(schemas['Nothing']), [])
  assert.deepEqual(names(schemas['CreateUser']!.properties!['parts']!.items), ['friend_id'])
  assert.deepEqual(names(schemas['User']!.properties!['parts']!.items), ['friend_id', 'count'])
  assert.deepEqual(schemas['CreateUser']!.required, ['email', 'password'])
  assert.equal(schemas['CreateUser']!.properties!['role']!.description, 'The role of the user. Default: `"ANY"`.')
})

describe('an answer that the document does not foresee', () => {
  const { check } = createOpenApiChecker(v2)
  const ok: Exchanged = {
    method: 'GET',
    path: '/api/v2/users/usr_1?fields=name',
    status: 200,
    headers: new Headers({ ETag: '"1.0"', 'Content-Type': 'application/json' }),
    body: { data: { name: 'Ada' } },
  }
  test('the one that it does', () => check(ok))
  test('what the caller may do, if it is selected', () =>
    check({ ...ok, path: '/api/v2/users/usr_1?fields=name,can', body: { data: { name: 'Ada', can } } }))
  const { content } = v2.paths['/api/v2/users/{id}']!['patch']!.responses['200']! as {
    content: Record<string, { example: object }>
  }
  const changed = { method: 'PATCH', body: content['application/json']!.example }
  const can = Object.fromEntries(names(v2.components.schemas['UserCan']).map((name) => [name, true]))
  const others: Readonly<Record<string, Partial<Exchanged>>> = {
    'what the caller may do, unasked': { ...changed, body: { data: { ...(changed.body as Row).data, can } } },
    'a field that was not asked for': { body: { data: { name: 'Ada', role: 'VIEWER' } } },
    'no field that was asked for': { body: { data: {} } },
    'not all fields where none were named': { path: '/api/v2/users/usr_1' },
    'an unknown field': { body: { data: { name: 'Ada', password: 'x' } } },
    'a wrong type': { body: { data: { name: 5 } } },
    'no envelope': { body: { name: 'Ada' } },
    'no body': { body: null },
    'an unknown header': { headers: new Headers({ 'X-Other': '1' }) },
    'an unknown status': { status: 202 },
    'an unknown code': { status: 404, body: { error: { code: 'NOPE', message: 'x' } } },
    'a body that should not be accepted': { ...changed, sent: { id: 'x' } },
  }
  test('a body that it does', () => check({ ...ok, ...changed, sent: { name: 'x' } }))
  for (const [what, differing] of Object.entries(others)) {
    test(what, () => assert.throws(() => check({ ...ok, ...differing }), assert.AssertionError))
  }
})
