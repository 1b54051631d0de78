// What the reference service has no example of: computed fields, fields that may not be sorted or filtered by, tokens, bugs.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyone, integer, is, may, resource, text } from 'duet-api'
import { api } from '../../reference/service.ts'
import { startTestService, type TestService } from '../../test/support/server/service.ts'

const Item = resource('Item', {
  prefix: 'itm',
  fields: { name: text({ max: 20 }), code: integer() },
  computed: {
    label: { as: text({ max: 50 }), from: ['name', 'code'], make: ({ name, code }) => `${name} ${code}` },
    broken: {
      as: text({ max: 50 }),
      from: ['name'],
      make: ({ name }) => {
        throw new Error(`secret of ${name}`)
      },
    },
  },
  protect: { code: { read: may('manage'), filter: may('manage') }, label: { read: may('manage') } },
  filter: { code: is },
  sort: ['code', 'name'],
  actions: { read: { allow: anyone }, create: { allow: may('create'), accept: ['name', 'code'] } },
})

describe('beyond the reference service', () => {
  let service: TestService
  before(async () => {
    const definition = { ...api, resources: { ...api.resources, Item } }
    service = await startTestService('sqlite', { definition })
    const items = '[{ name: "a", code: 2 }, { name: "b", code: 1 }]'
    await service.graphql(`mutation { createItems(input: { items: ${items} }) { id } }`, { as: 'admin' })
  })
  after(() => service.stop())
  const problems = async (query: string) => {
    const { body } = await service.graphql(query, { as: 'viewer' })
    const [{ path, extensions }] = body.errors
    return [extensions.code, extensions.details?.map((each: { field: string }) => each.field) ?? path]
  }

  test('a computed field is made of what it names', async () => {
    const { body } = await service.graphql('{ items(sort: [CODE_ASC]) { nodes { x: label } } }', { as: 'admin' })
    assert.deepEqual(body.data.items.nodes, [{ x: 'b 1' }, { x: 'a 2' }])
  })
  test('a protected one is refused like any other (contract 2.7.9)', async () => {
    assert.deepEqual(await problems('{ itemList { name label } }'), ['FORBIDDEN', ['itemList', 0, 'label']])
    assert.deepEqual(await problems('{ itemList { name code } }'), ['FORBIDDEN', ['itemList', 0, 'code']])
  })
  test('an order by what the caller may not read reveals nothing of it (contract 12.2.3)', async () => {
    const query = '{ itemList(sort: [CODE_ASC, NAME_ASC]) { name } }'
    const order = async (as: 'admin' | 'viewer') => {
      const { body } = await service.graphql(query, { as })
      return body.data.itemList.map(({ name }: { name: string }) => name)
    }
    assert.deepEqual(
      [await order('admin'), await order('viewer')],
      [
        ['b', 'a'],
        ['a', 'b'],
      ],
    )
  })
  test('a filter needs its own permission', async () =>
    assert.deepEqual(await problems('{ items(filter: { code: 1 }) { totalCount } }'), ['FORBIDDEN', ['items']]))

  test('a token is shown in the answer to create, and never again (contract 5.3.1)', async () => {
    const input = '{ name: "n", scopes: ["read:posts"] }'
    const { body } = await service.graphql(`mutation { createApiKey(input: ${input}) { id key again: key prefix } }`, {
      as: 'viewer',
    })
    const { id, key, again, prefix } = body.data.createApiKey
    assert.match(key, /^duet_[\w-]{20,}$/)
    assert.deepEqual([again, key.slice(0, 12)], [key, prefix])
    const { body: later } = await service.graphql('query($id: ID!) { apiKey(id: $id) { key prefix } }', {
      as: 'viewer',
      variables: { id },
    })
    assert.deepEqual(later.data.apiKey, { key: null, prefix })
  })

  test('a bug is INTERNAL_ERROR at its field, without a word of why, and goes to the log (contract 7.2.3)', async () => {
    service.assertLog()
    const { body, text } = await service.graphql('{ __typename items { nodes { broken } } }', { as: 'viewer' })
    assert.equal(body.data, null)
    assert.deepEqual(body.errors, [
      {
        message: 'The service failed.',
        locations: [{ line: 1, column: 14 }],
        path: ['items'],
        extensions: { code: 'INTERNAL_ERROR' },
      },
    ])
    assert.doesNotMatch(text, /secret/)
    assert.throws(() => service.assertLog(), /tells of no bug/)
  })
})
