// What an operation is refused with, and where in its answer that stands.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withQuietService } from '../../../test/support/check/statement-counter.ts'
import { graphqlClient } from '../../../test/support/client/graphql-client.ts'
import type { Caller } from '../../../test/support/server/service.ts'

interface More {
  /** The editor where it does not say. */
  readonly as?: Caller
  readonly message?: string
}
type FailingRow = readonly [
  it: string,
  field: string,
  code: string,
  details?: readonly string[] | undefined,
  more?: More,
]
/** The name under which a field at the root is answered. */
const rootOf = (field: string): string => /^\w+/.exec(field)![0]

withQuietService('refusing', (service) => {
  const { ask, assertRefusal, statements } = graphqlClient(service)

  describe('failures stand at the path of the field, their details relative to the input (contract 4.8.7, 7.3.2)', () => {
    const rows: readonly FailingRow[] = [
      ['form', 'createPost(input: { title: "", content: "c" }) { id }', 'VALIDATION_ERROR', ['title']],
      [
        'all problems',
        'a: createPost(input: { title: "", content: "", tags: ["", "ok"] }) { id }',
        'VALIDATION_ERROR',
        ['title', 'content', 'tags[0]'],
      ],
      [
        'one of many',
        'createPosts(input: { posts: [{ title: "A", content: "a" }, { title: "", content: "b" }] }) { id }',
        'VALIDATION_ERROR',
        ['posts[1].title'],
      ],
      ['none of many', 'createPosts(input: { posts: [] }) { id }', 'VALIDATION_ERROR', ['posts']],
      ['none to change', 'updatePosts(input: { ids: [], set: { title: "A" } }) { id }', 'VALIDATION_ERROR', ['ids']],
      [
        'the same twice',
        'updatePosts(input: { ids: ["a", "b", "a"], set: { title: "A" } }) { id }',
        'VALIDATION_ERROR',
        ['ids[2]'],
      ],
      [
        'what is set for all, once',
        'updatePosts(input: { ids: ["a", "b"], set: { title: "" } }) { id }',
        'VALIDATION_ERROR',
        ['set.title'],
      ],
      [
        'nothing set',
        'updatePost(id: "{draft}", input: {}) { id }',
        'VALIDATION_ERROR',
        undefined,
        { message: 'Send at least one field.' },
      ],
      [
        'one that is missing',
        'updatePosts(input: { ids: ["{draft}", "post_x"], set: { title: "A" } }) { id }',
        'NOT_FOUND',
        ['ids[1]'],
      ],
      [
        "somebody else's",
        'updatePosts(input: { ids: ["{draft}", "{other post}"], set: { title: "A" } }) { id }',
        'FORBIDDEN',
        ['ids[1]'],
      ],
      [
        'a reference',
        'createComment(input: { postId: "post_x", content: "c" }) { id }',
        'BUSINESS_RULE_VIOLATION',
        ['postId'],
      ],
      [
        'part of a list',
        'createOrder(input: { items: [{ productId: "prod_x", quantity: 0 }] }) { id }',
        'VALIDATION_ERROR',
        ['items[0].quantity'],
      ],
      [
        'a taken value',
        'createUser(input: { name: "N", email: "editor@example.com", password: "12345678" }) { id }',
        'CONFLICT',
        ['email'],
        { as: 'anonymous' },
      ],
      ['an anonymous caller', 'deletePost(id: "{post}")', 'UNAUTHENTICATED', undefined, { as: 'anonymous' }],
      ['no permission, whatever the record', 'deletePost(id: "post_x")', 'FORBIDDEN', undefined, { as: 'viewer' }],
      ['a field for managers', 'updateUser(id: "{editor}", input: { role: ADMIN }) { id }', 'FORBIDDEN'],
      ['a missing record', 'suspendUser(id: "x") { id }', 'USER_NOT_FOUND', undefined, { as: 'admin' }],
      ['the state', 'reactivateUser(id: "{editor}") { id }', 'CONFLICT', undefined, { as: 'admin' }],
      [
        'a rule',
        'followUser(id: "{editor}") { id }',
        'BUSINESS_RULE_VIOLATION',
        undefined,
        { message: 'You cannot follow yourself.' },
      ],
    ]
    for (const [it, field, code, details, { as = 'editor', ...more } = {}] of rows)
      test(it, async () => {
        const refusal = { code, path: [rootOf(field)], details, ...more }
        assert.equal((await assertRefusal(`mutation { ${field} }`, { as }, refusal)).data, null)
      })
  })

  describe('wrong lists fail with their field, before anything of it is read (contract 4.3, 4.4, 4.8.14)', () => {
    const rows: readonly (readonly [it: string, list: string, details: readonly string[]])[] = [
      ['a page of none', 'users(first: 0)', ['first']],
      ['a page of too many', 'users(first: 101)', ['first']],
      ['a last page of none', 'users(last: 0)', ['last']],
      ['first and last', 'users(first: 1, last: 1)', ['last']],
      ['after and before', 'users(after: "x", before: "y")', ['before', 'after']],
      ['no cursor of ours', 'users(after: "x")', ['after']],
      ['no cursor of ours, backward', 'users(before: "WyJhIl0")', ['before']],
      ['a negative offset', 'userList(offset: -1)', ['offset']],
      ['too far an offset', 'userList(offset: 10001)', ['offset']],
      ['a limit of none', 'userList(limit: 0)', ['limit']],
      ['a limit of too many', 'userList(limit: 101)', ['limit']],
      ['the same order twice', 'userList(sort: [NAME_ASC, NAME_DESC])', ['sort']],
      ['a filter that does not fit', 'postList(filter: { tag: "" })', ['filter.tag']],
    ]
    for (const [it, list, details] of rows)
      test(it, async () => {
        const query = `{ ${list} ${list.includes('List') ? '{ id }' : '{ nodes { id } }'} }`
        const refusal = { code: 'VALIDATION_ERROR', path: [rootOf(list)], details }
        const { errors, data } = await assertRefusal(query, { as: 'anonymous' }, refusal)
        assert.equal(errors.length, 1)
        assert.deepEqual(Object.keys(errors[0].extensions).sort(), ['code', 'details'])
        assert.equal(data, null)
        assert.equal(await statements(query, { as: 'anonymous' }), 0)
      })
    test('the error stands where the lists do, however far below', async () => {
      const { body } = await ask('{ user(id: "{editor}") {\n posts(limit: 0) { id }\n followers(limit: 101) { id } } }')
      assert.deepEqual(body.errors[0].path, ['user'])
      assert.deepEqual(body.errors[0].locations, [
        { line: 2, column: 2 },
        { line: 3, column: 2 },
      ])
    })
    test('a document with a wrong list is wrong each time, and right with other variables', async () => {
      const query = 'query($limit: Int) { user(id: "{editor}") { posts(limit: $limit) { id } } }'
      for (const [limit, code] of [
        [0, 'VALIDATION_ERROR'],
        [1, undefined],
        [0, 'VALIDATION_ERROR'],
      ] as const) {
        const { body } = await ask(query, { variables: { limit } })
        assert.equal(body.errors?.[0].extensions.code, code)
      }
      const constant = '{ userList(limit: 0) { id } }'
      for (let time = 0; time < 3; time++)
        assert.equal((await ask(constant)).body.errors[0].extensions.code, 'VALIDATION_ERROR')
    })
    test('the largest page and the furthest offset are allowed', async () => {
      const { body } = await ask(
        '{ a: userList(limit: 100) { id } b: userList(offset: 10000) { id } users(first: 100) { nodes { id } } }',
      )
      assert.equal(body.errors, undefined)
      assert.deepEqual(body.data.b, [])
    })
    test('a cursor belongs to its filter and order', async () => {
      const { body } = await ask('{ users(first: 1, sort: [NAME_ASC]) { edges { cursor } } }')
      const variables = { after: body.data.users.edges[0].cursor }
      const next = (args: string) =>
        ask(`query($after: String) { users(after: $after, ${args}) { nodes { id } } }`, { variables, as: 'admin' })
      assert.equal((await next('sort: [NAME_ASC], first: 3')).body.errors, undefined)
      for (const args of ['sort: [NAME_DESC]', 'first: 1', 'sort: [NAME_ASC], filter: { role: ADMIN }'])
        assert.equal((await next(args)).body.errors[0].extensions.details[0].field, 'after')
    })
  })

  describe('4.3.6 a filter that needs a permission', () => {
    test('is refused at the list', async () => {
      await assertRefusal(
        '{ users(filter: { role: ADMIN }) { nodes { id } } }',
        {},
        { code: 'FORBIDDEN', path: ['users'], details: undefined },
      )
      await assertRefusal(
        '{ users(filter: { status: ACTIVE }) { nodes { id } } }',
        { as: 'anonymous' },
        { code: 'UNAUTHENTICATED', path: ['users'], details: undefined },
      )
    })
    test('is refused at each list below, and takes what cannot be null with it', async () => {
      const body = await assertRefusal(
        '{ me { name } user(id: "{editor}") { followers(filter: { role: ADMIN }) { id } } }',
        {},
        { code: 'FORBIDDEN', path: ['user', 'followers'], details: undefined },
      )
      assert.deepEqual(body.data, { me: { name: 'Editor' }, user: null })
    })
    test('is open to who holds it', async () => {
      const { body } = await ask('{ users(filter: { role: ADMIN }) { nodes { name } } }', { as: 'admin' })
      assert.deepEqual(body.data.users.nodes, [{ name: 'Admin' }])
    })
  })

  test('limits are refused without a statement (contract 8.2.1)', async () => {
    for (const [query, code] of [
      ['{ users { edges { node { posts { author { posts { id } } } } } } }', 'QUERY_TOO_DEEP'],
      ['{ users(first: 100) { nodes { posts(limit: 100) { id } } } }', 'QUERY_TOO_COMPLEX'],
      [`{ ${Array.from({ length: 101 }, (_, at) => `a${at}: userList { id }`).join(' ')} }`, 'QUERY_TOO_COMPLEX'],
      [
        `mutation { ${Array.from({ length: 11 }, (_, at) => `a${at}: deletePost(id: 1)`).join(' ')} }`,
        'QUERY_TOO_COMPLEX',
      ],
    ] as const) {
      const { body } = await ask(query, { as: 'anonymous' })
      assert.equal(body.errors[0].extensions.code, code)
      assert.equal('data' in body, false)
      assert.equal(await statements(query, { as: 'anonymous' }), 0)
    }
  })

  test('nothing was a bug', () => service().assertLog())
})
