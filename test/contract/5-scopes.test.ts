// Every route and every field against API keys: one that has every scope but the needed one, and one that has no other.
// The questions are made from the routes and the schema, so that none can be forgotten. (contract 5.3.6)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiKey, anyone, choice, many, resource, Session, service, text } from 'duet-api'
import { type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'
import { getOrInsert } from '../../src/cache/get-or-insert.ts'
import { meaningOf } from '../../src/graphql/schema/meaning.ts'
import { makeSchema } from '../../src/graphql/schema/schema.ts'
import { defaultLimits } from '../../src/limits.ts'
import type { Model } from '../../src/resource/model/model.ts'
import { graphqlVocabulary } from '../../src/resource/model/vocabulary.ts'
import { compileRoutes, isOfVersion, type ResourceEndpoint } from '../../src/rest/route/routes.ts'
import { makeKey } from '../support/client/api-key.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { plainFieldsOf, sampleOf } from '../support/oracle/graphql-samples.ts'
import { kept } from '../support/rows/fixtures.ts'
import { type TestService, withService } from '../support/server/service.ts'

const admin = { as: 'admin' } as const
/** A record of each type that the admin may read. */
const records = {
  User: 'member',
  Post: 'draft',
  Comment: 'hidden comment',
  Article: 'draft article',
  Product: 'product',
  Order: 'pending order',
  ApiKey: 'key',
  Session: 'session',
  SignInMethod: 'sign-in method',
  SecurityEvent: 'event',
  DeprecatedUse: 'use',
  Webhook: 'hook',
  WebhookDelivery: 'delivery',
} as const

withService('5.3 Keys: every route and field', (service) => {
  test('5.3.6 every REST route needs its scopes, and no others', async () => {
    const keys = keyring(service())
    let requestCount = 0
    for (const { version, template, endpoints } of compileRoutes(service().model).addresses) {
      for (const [method, endpoint] of endpoints) {
        if (isOfVersion(endpoint) || method === 'HEAD') continue
        const query = endpoint.kind === 'deleteMany' ? '?ids=x' : ''
        const line = `${method} ${version.prefix}${template.replace('{id}', 'x')}${query}`
        const needed = scopesOf(endpoint)
        for (const scope of needed) {
          const answer = await service().send(line, {
            headers: await keys.without(scope),
            ...bodyFor(method, endpoint.kind),
          })
          assert.equal(answer.status, 403, `${line} without ${scope}: ${answer.text}`)
          assert.equal(answer.body.error.message, `This needs the scope ${scope}.`)
        }
        const answer = await service().send(line, {
          headers: await keys.only(needed),
          ...bodyFor(method, endpoint.kind),
        })
        assert(![401, 500].includes(answer.status), `${line}: ${answer.text}`)
        assert.notEqual(answer.body?.error?.code, 'INSUFFICIENT_SCOPE', `${line} with ${needed}`)
        requestCount += 1
      }
    }
    assert(requestCount > 90, `${requestCount} routes`)
  })

  test('5.3.6 every field of queries and mutations needs its scope, and no other', async () => {
    const keys = keyring(service())
    const schema = schemaOf(service().model)
    for (const [kind, type] of [
      ['query', schema.getQueryType()!],
      ['mutation', schema.getMutationType()!],
    ] as const) {
      for (const field of Object.values(type.getFields())) {
        const meaning = meaningOf(field)!
        assert('is' in meaning)
        if (meaning.is === 'anything') continue
        const scope =
          'action' in meaning
            ? scopeOf(meaning.action)
            : `read:${(meaning as { resource: { path: string } }).resource.path}`
        const document = `${kind} { ${sampleOf(field, 'x')} }`
        const refused = await service().graphql(document, { headers: await keys.without(scope) })
        assert.match(refused.text, /"INSUFFICIENT_SCOPE"/, `${document} without ${scope}`)
        assert.equal(refused.text.match(/"INSUFFICIENT_SCOPE"/g)?.length, 1)
        const allowed = await service().graphql(document, { headers: await keys.only([scope]) })
        assert.doesNotMatch(
          allowed.text,
          /INSUFFICIENT_SCOPE|UNAUTHENTICATED|INTERNAL_ERROR|GRAPHQL_VALIDATION/,
          document,
        )
      }
    }
  })

  test('5.3.6 every relation of every record needs the scope of its target; its other fields need none', async () => {
    const keys = keyring(service())
    const fixtures = service().fixtures(kept('{admin}'))
    const { model } = service()
    const schema = schemaOf(model)
    assert.deepEqual(Object.keys(records).sort(), model.resources.map(({ name }) => name).sort())
    for (const resource of model.resources.filter(({ name }) => !credentials.includes(name))) {
      const type = schema.getType(resource.name) as GraphQLObjectType
      assert(isObjectType(type))
      const id = await fixtures.idOf(records[resource.name as keyof typeof records])
      const [root, fields] = [Object.values(schema.getQueryType()!.getFields()), Object.values(type.getFields())]
      const single = root.find((each) => {
        const meaning = meaningOf(each)
        return meaning?.is === 'record' && meaning.resource === resource
      })!
      const headers = await keys.only([`read:${resource.path}`])
      const plain = plainFieldsOf(fields).filter((each) => meaningOf(each)?.is !== 'token')
      const ask = (selected: string) =>
        service().graphql(`{ ${single.name}(id: "${id}") { ${selected} } }`, { headers })
      const read = await ask(plain.map(({ name }) => name).join(' '))
      assert.equal(read.body.errors, undefined, `${resource.name}: ${read.text}`)
      for (const field of fields) {
        const meaning = meaningOf(field)
        if (meaning?.is !== 'one' && meaning?.is !== 'list') continue
        const { text, body } = await ask(`${field.name} { __typename }`)
        if (meaning.relation.target === resource)
          assert.equal(body.errors, undefined, `${resource.name}.${field.name}: ${text}`)
        else
          assert.deepEqual(
            body.errors.map((each: { path: unknown; extensions: { code: string } }) => [
              each.extensions.code,
              each.path,
            ]),
            [['INSUFFICIENT_SCOPE', [single.name, field.name]]],
            text,
          )
      }
    }
  })
})

/** What no key reads. */
const credentials = ['ApiKey', 'Session', 'SignInMethod', 'Webhook', 'WebhookDelivery']

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 100 }),
    ...accountFields,
    role: choice(['VIEWER', 'ADMIN'], { default: 'VIEWER' }),
    keys: many('ApiKey', 'user'),
    sessions: many('Session', 'user'),
  },
  actions: { read: { allow: anyone } },
})
const keeping = service({
  resources: { User, ApiKey, Session },
  accounts,
  roles: { VIEWER: 'everything', ADMIN: 'everything' },
})

withService(
  '5.3 Keys: relations to keys and sessions',
  (running) => {
    test('5.3.7 a key with every scope sees neither, through any path', async () => {
      const body = { name: 'A key', scopes: ['*'] }
      const made = await running().send('POST /api/v1/api-keys', { ...admin, body })
      const headers = { 'X-API-Key': made.body.data.key }
      for (const field of ['keys', 'sessions']) {
        const refused = await running().graphql(`{ me { id ${field} { id } } }`, { headers })
        const [error] = refused.body.errors
        assert.deepEqual([error.extensions.code, error.path], ['FORBIDDEN', ['me', field]], refused.text)
        const seen = await running().graphql(`{ me { ${field} { id } } }`, admin)
        assert.equal(seen.body.data.me[field].length, 1, seen.text)
      }
    })
  },
  { definition: keeping },
)

/** Keys by their scopes, each made once. */
function keyring(service: TestService) {
  const endpoints = compileRoutes(service.model).addresses.flatMap((each) => [...each.endpoints.values()])
  const all = [
    ...new Set(
      endpoints.flatMap((each) =>
        isOfVersion(each) || credentials.includes(each.resource.name) ? [] : scopesOf(each),
      ),
    ),
  ]
  const made = new Map<string, Promise<{ readonly 'X-API-Key': string }>>()
  const only = (scopes: readonly string[]) =>
    getOrInsert(made, scopes.join(), async () => (await makeKey(service, admin, scopes)).headers)
  return { only, without: (scope: string) => only(all.filter((each) => each !== scope)) }
}

const scopeOf = ({ name, resource }: ResourceEndpoint['action']): string => `${name}:${resource.path}`
const scopesOf = ({ action, within }: ResourceEndpoint): readonly string[] => [
  ...(within === null ? [] : [scopeOf(within.holder.read)]),
  scopeOf(action),
]
const bodyFor = (method: string, kind: string) =>
  method === 'GET' || method === 'DELETE' ? {} : { body: kind === 'moveMany' ? { ids: ['x'] } : {} }
const schemaOf = (model: Model): GraphQLSchema => makeSchema(model, graphqlVocabulary(), defaultLimits)
