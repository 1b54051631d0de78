// Lists in inputs that need a number of elements. (contract 13.1.24)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor, integer, many, manyToMany, one, resource, service, signedIn, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Bill = resource('Bill', {
  prefix: 'bil',
  fields: {
    title: text({ max: 40 }),
    by: one('User', { default: actor }),
    lines: many('Line', 'bill'),
    tags: manyToMany('Tag', 'bills'),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', { list: 'lines', min: 2 }, { list: 'tags', min: 1 }] },
    update: { allow: signedIn, accept: ['title', { list: 'lines', min: 1 }, 'tags'] },
  },
})
const Line = resource('Line', {
  prefix: 'lin',
  fields: { bill: one('Bill'), amount: integer({ min: 0 }) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['bill', 'amount'] },
    delete: { allow: signedIn },
  },
})
const Tag = resource('Tag', {
  prefix: 'tag',
  fields: { name: text({ max: 40 }), bills: manyToMany('Bill', 'tags') },
  actions: { read: { allow: signedIn } },
})

interface Schemas {
  readonly CreateBill: {
    readonly properties: { readonly lines: { readonly minItems: number } }
    readonly required: readonly string[]
  }
}

withService(
  '13.1.24 the least lengths of lists',
  (running) => {
    const begin = () => running().fixtures({ ann: { User: {} }, tag: { Tag: { name: 'T' } } })
    const lines = (count: number) => Array.from({ length: count }, (_, amount) => ({ amount }))
    type Sent = { readonly lines?: readonly object[]; readonly tag_ids?: readonly string[] }
    const cases: readonly (readonly [title: string, sent: Sent, problems: readonly (readonly string[])[]])[] = [
      ['one less', { lines: lines(1), tag_ids: ['{tag}'] }, [['lines', 'At least 2 in the list.']]],
      ['as many', { lines: lines(2), tag_ids: ['{tag}'] }, []],
      ['more', { lines: lines(3), tag_ids: ['{tag}'] }, []],
      [
        'none',
        { lines: [], tag_ids: [] },
        [
          ['lines', 'At least 2 in the list.'],
          ['tag_ids', 'At least 1 in the list.'],
        ],
      ],
      [
        'not sent',
        {},
        [
          ['lines', 'Is required.'],
          ['tag_ids', 'Is required.'],
        ],
      ],
    ]
    for (const [title, sent, problems] of cases)
      test(`13.1.24 REST: ${title}`, async () => {
        const body = { title: 'B', ...sent }
        const answer = await running().send('POST /api/v1/bills', { as: '{ann}', fixtures: begin(), body })
        assert.equal(answer.status, problems.length === 0 ? 201 : 400, answer.text)
        const details = (answer.body.error?.details ?? []) as readonly { field: string; message: string }[]
        assert.deepEqual(
          details.map(({ field, message }) => [field, message]),
          problems,
        )
      })

    test('13.1.24 GraphQL: one less, and as many; the type of the list is not null', async () => {
      const fixtures = begin()
      const tag = await fixtures.idOf('tag')
      const create = async (count: number) => {
        const input = { title: 'B', lines: lines(count), tagIds: [tag] }
        const query = 'mutation ($input: CreateBillInput!) { createBill(input: $input) { id } }'
        return (await running().graphql(query, { as: '{ann}', fixtures, variables: { input } })).body
      }
      assert.equal((await create(1)).errors[0].extensions.details[0].field, 'lines')
      assert.equal((await create(2)).errors, undefined)
      const without = await running().graphql('mutation { createBill(input: { title: "B" }) { id } }', { as: 'admin' })
      assert.match(without.text, /required field/)
    })

    test('13.1.24 an update can leave the list out, and not shorten it further', async () => {
      const fixtures = begin()
      const send = (line: string, body: object) => running().send(line, { as: '{ann}', fixtures, body })
      const made = await send('POST /api/v1/bills', { title: 'B', lines: lines(2), tag_ids: ['{tag}'] })
      const path = `/api/v1/bills/${made.body.data.id}`
      assert.equal((await send(`PATCH ${path}`, { title: 'C' })).status, 200)
      assert.equal((await send(`PATCH ${path}`, { lines: [] })).status, 400)
      assert.equal((await send(`PATCH ${path}`, { lines: lines(1), tag_ids: [] })).status, 200)
    })

    test('13.1.24 OpenAPI has the least length', async () => {
      const document = await fetch(`${running().url}/api/v1/openapi.json`)
      const { components } = (await document.json()) as { readonly components: { readonly schemas: Schemas } }
      const { properties, required } = components.schemas.CreateBill
      assert.equal(properties.lines.minItems, 2)
      assert.deepEqual(required, ['title', 'lines', 'tag_ids'])
    })
  },
  { definition: service({ resources: { User, Bill, Line, Tag }, accounts, roles: { ANY: {} } }) },
)
