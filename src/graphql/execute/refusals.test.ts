// What an operation is refused with, and where in its answer that stands.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withQuietService } from '../../../test/support/check/statement-counter.ts'
import { type Asking, graphqlAsker, type Refusal } from '../../../test/support/client/graphql-asker.ts'

withQuietService('refusing', (service) => {
  const { ask, assertRefusal, statements } = graphqlAsker(service)

  describe('failures stand at the path of the field, their details relative to the input (contract 4.8.7, 7.3.2)', () => {
    const rows: readonly (readonly [it: string, query: string, asking: Asking, refusal: Refusal])[] = [
      [
        'form',
        'mutation { createPost(input: { title: "", content: "c" }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['createPost'], details: ['title'] },
      ],
      [
        'all problems',
        'mutation { a: createPost(input: { title: "", content: "", tags: ["", "ok"] }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['a'], details: ['title', 'content', 'tags[0]'] },
      ],
      [
        'one of many',
        'mutation { createPosts(input: { posts: [{ title: "A", content: "a" }, { title: "", content: "b" }] }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['createPosts'], details: ['posts[1].title'] },
      ],
      [
        'none of many',
        'mutation { createPosts(input: { posts: [] }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['createPosts'], details: ['posts'] },
      ],
      [
        'none to change',
        'mutation { updatePosts(input: { ids: [], set: { title: "A" } }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['updatePosts'], details: ['ids'] },
      ],
      [
        'the same twice',
        'mutation { updatePosts(input: { ids: ["a", "b", "a"], set: { title: "A" } }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['updatePosts'], details: ['ids[2]'] },
      ],
      [
        'what is set for all, once',
        'mutation { updatePosts(input: { ids: ["a", "b"], set: { title: "" } }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['updatePosts'], details: ['set.title'] },
      ],
      [
        'nothing set',
        'mutation { updatePost(id: "{draft}", input: {}) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['updatePost'], details: undefined, message: 'Send at least one field.' },
      ],
      [
        'one that is missing',
        'mutation { updatePosts(input: { ids: ["{draft}", "post_x"], set: { title: "A" } }) { id } }',
        {},
        { code: 'NOT_FOUND', path: ['updatePosts'], details: ['ids[1]'] },
      ],
      [
        "somebody else's",
        'mutation { updatePosts(input: { ids: ["{draft}", "{other post}"], set: { title: "A" } }) { id } }',
        {},
        { code: 'FORBIDDEN', path: ['updatePosts'], details: ['ids[1]'] },
      ],
      [
        'a reference',
        'mutation { createComment(input: { postId: "post_x", content: "c" }) { id } }',
        {},
        { code: 'BUSINESS_RULE_VIOLATION', path: ['createComment'], details: ['postId'] },
      ],
      [
        'part of a list',
        'mutation { createOrder(input: { items: [{ productId: "prod_x", quantity: 0 }] }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['createOrder'], details: ['items[0].quantity'] },
      ],
      [
        'a taken value',
        'mutation { createUser(input: { name: "N", email: "editor@example.com", password: "12345678" }) { id } }',
        { as: 'anonymous' },
        { code: 'CONFLICT', path: ['createUser'], details: ['email'] },
      ],
      [
        'nobody signed in',
        'mutation { deletePost(id: "{post}") }',
        { as: 'anonymous' },
        { code: 'UNAUTHENTICATED', path: ['deletePost'], details: undefined },
      ],
      [
        'no permission, whatever the record',
        'mutation { deletePost(id: "post_x") }',
        { as: 'viewer' },
        { code: 'FORBIDDEN', path: ['deletePost'], details: undefined },
      ],
      [
        'a field for managers',
        'mutation { updateUser(id: "{editor}", input: { role: ADMIN }) { id } }',
        {},
        { code: 'FORBIDDEN', path: ['updateUser'], details: undefined },
      ],
      [
        'a missing record',
        'mutation { suspendUser(id: "x") { id } }',
        { as: 'admin' },
        { code: 'USER_NOT_FOUND', path: ['suspendUser'], details: undefined },
      ],
      [
        'the state',
        'mutation { reactivateUser(id: "{editor}") { id } }',
        { as: 'admin' },
        { code: 'CONFLICT', path: ['reactivateUser'], details: undefined },
      ],
      [
        'a rule',
        'mutation { followUser(id: "{editor}") { id } }',
        {},
        {
          code: 'BUSINESS_RULE_VIOLATION',
          path: ['followUser'],
          details: undefined,
          message: 'You cannot follow yourself.',
        },
      ],
    ]
    for (const [it, query, asking, refusal] of rows)
      test(it, async () => assert.equal((await assertRefusal(query, asking, refusal)).data, null))
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
        const { body } = await ask(query, { as: 'anonymous' })
        assert.deepEqual(
          body.errors.map(({ path, extensions }: Refusal & { extensions: object }) => [path, extensions]),
          [[[list.split('(')[0]], { code: 'VALIDATION_ERROR', details: body.errors[0].extensions.details }]],
        )
        assert.deepEqual(
          body.errors[0].extensions.details.map((each: { field: string }) => each.field),
          details,
        )
        assert.equal(body.data, null)
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
