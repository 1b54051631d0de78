// Every field of every resource × everybody: what is there for whom, through both faces. Fields come from the model, so that
// a new one is asked about, too. (contract 2.7, 5.4.1)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restVocabulary } from '../../src/resource/model/vocabulary.ts'
import { kept } from '../support/rows/fixtures.ts'
import type { Caller } from '../support/server/service.ts'
import { withService } from '../support/server/service.ts'

const everybody: readonly Caller[] = [
  'anonymous',
  'viewer',
  '{member}',
  'other viewer',
  'editor',
  'other editor',
  'admin',
]
const editors: readonly Caller[] = ['editor', 'other editor', 'admin']

/** A record of each resource, and exactly who may read it. */
const readers: Readonly<Record<string, readonly [fixture: string, by: readonly Caller[]]>> = {
  User: ['member', everybody],
  Post: ['draft', editors],
  Comment: ['hidden comment', editors],
  Article: ['draft article', editors],
  Product: ['product', everybody],
  Order: ['pending order', ['viewer', 'admin']],
  ApiKey: ['key', ['viewer']],
  Session: ['session', ['viewer']],
  SignInMethod: ['sign-in method', ['viewer']],
  Webhook: ['hook', ['viewer']],
  WebhookDelivery: ['delivery', ['viewer']],
  SecurityEvent: ['event', ['admin']],
  DeprecatedUse: ['use', ['admin']],
}
/** Fields that fewer may read than the record. */
const fewer: Readonly<Record<string, readonly Caller[]>> = {
  'User.email': ['{member}', 'admin'],
  'User.preferences': ['{member}', 'admin'],
  'User.emailVerified': ['{member}', 'admin'],
}
const ofAdmins = {
  anonymous: 'UNAUTHENTICATED',
  viewer: 'FORBIDDEN',
  '{member}': 'FORBIDDEN',
  'other viewer': 'FORBIDDEN',
  editor: 'FORBIDDEN',
  'other editor': 'FORBIDDEN',
} as const
/** Where the caller is anonymous, or the role never may, that is what is told; otherwise there is no such record. */
const refusals: Readonly<Record<string, Partial<Record<Caller, string>>>> = {
  Order: { anonymous: 'UNAUTHENTICATED' },
  ApiKey: { anonymous: 'UNAUTHENTICATED' },
  Session: { anonymous: 'UNAUTHENTICATED' },
  SignInMethod: { anonymous: 'UNAUTHENTICATED' },
  Webhook: { anonymous: 'UNAUTHENTICATED' },
  WebhookDelivery: { anonymous: 'UNAUTHENTICATED' },
  SecurityEvent: ofAdmins,
  DeprecatedUse: ofAdmins,
}

withService('5.4 Access, field by field', (service) => {
  test('every resource is in the matrix', () => {
    assert.deepEqual(
      Object.keys(readers).sort(),
      service()
        .model.resources.map(({ name }) => name)
        .sort(),
    )
  })

  for (const [type, [fixture, by]] of Object.entries(readers)) {
    for (const as of everybody) {
      test(`5.4.1 ${type} for ${as}`, async () => {
        const { model } = service()
        const fixtures = service().fixtures(kept('{viewer}'))
        await fixtures.idOf('member')
        const resource = model.byName.get(type)!
        const id = await fixtures.idOf(fixture)
        const visible = (field: string) => by.includes(as) && (fewer[`${type}.${field}`]?.includes(as) ?? true)
        const fields = [...resource.fields.values()].filter(
          ({ column, computed }) => column !== null || computed !== null,
        )
        const refusal = refusals[type]?.[as] ?? (type === 'User' ? 'USER_NOT_FOUND' : 'NOT_FOUND')

        const rest = await service().send(`GET /api/v2/${resource.path}/${id}`, { as, fixtures })
        const names = restVocabulary(model.versions.at(-1)!)
        const expected = fields.filter(({ name }) => visible(name)).map(({ name }) => names.name(resource, name))
        if (by.includes(as)) assert.deepEqual(Object.keys(rest.body.data).sort(), expected.sort())
        else assert.equal(rest.body.error.code, refusal)

        for (const { name } of fields) {
          const single = type.charAt(0).toLowerCase() + type.slice(1)
          const selection = resource.relations.has(name) ? `${name} { __typename }` : name
          const { body, text } = await service().graphql(
            `{ ${single}(id: "${id}") { ${isObject(name) ? objects[name] : selection} } }`,
            { as, fixtures },
          )
          const code = body.errors?.[0].extensions.code
          // What a record refers to has readers of its own.
          const isOwnError = body.errors?.[0].path.length === 1 || !resource.relations.has(name)
          if (!by.includes(as)) assert.equal(code, refusal, `${name}: ${text}`)
          else if (visible(name)) assert(code === undefined || !isOwnError, `${name}: ${text}`)
          else assert.equal(code, 'FORBIDDEN', `${name}: ${text}`)
        }
      })
    }
  }
})

const objects: Readonly<Record<string, string>> = { items: 'items { quantity }' }
const isObject = (name: string) => Object.hasOwn(objects, name)
