// Mutations, and what only the whole service shows. What queries answer is the oracle's to compare.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withQuietService } from '../../../test/support/check/statement-counter.ts'
import { graphqlClient } from '../../../test/support/client/graphql-client.ts'

withQuietService('executing', (service) => {
  const { fresh, ask, assertRefusal, statements } = graphqlClient(service)

  describe('mutations (contract 4.8.6)', () => {
    test('create, update, move and delete answer with whatever is selected', async () => {
      const { body } = await ask(
        'mutation { a: createPost(input: { title: "A", content: "a", tags: "one" }) { id title tags author { name } comments { id } publishedAt } }',
      )
      const { id, ...made } = body.data.a
      assert.deepEqual(made, {
        title: 'A',
        tags: ['one'],
        author: { name: 'Editor' },
        comments: [],
        publishedAt: null,
      })
      const variables = { id }
      const changed = await ask(
        'mutation($id: ID!) { a: updatePost(id: $id, input: { title: "B" }) { title content } b: publishPost(id: $id) { isPublic: publishedAt __typename } c: deletePost(id: $id) }',
        { variables },
      )
      assert.deepEqual(changed.body.data, {
        a: { title: 'B', content: 'a' },
        b: { isPublic: service().now().toISOString(), __typename: 'Post' },
        c: true,
      })
      await assertRefusal(
        'query($id: ID!) { post(id: $id) { id } }',
        { variables },
        { code: 'NOT_FOUND', path: ['post'], details: undefined },
      )
    })
    test('many at once, in their order', async () => {
      const { body } = await ask(
        'mutation { createPosts(input: { posts: [{ title: "A", content: "a" }, { title: "B", content: "b", publish: true }] }) { id title isPublic: publishedAt } }',
      )
      const [first, second] = body.data.createPosts
      assert.deepEqual([first.title, first.isPublic, second.title, typeof second.isPublic], ['A', null, 'B', 'string'])
      const variables = { input: { ids: [second.id, first.id], set: { tags: ['both'] } } }
      const changed = await ask('mutation($input: UpdatePostsInput!) { updatePosts(input: $input) { title tags } }', {
        variables,
      })
      assert.deepEqual(changed.body.data.updatePosts, [
        { title: 'B', tags: ['both'] },
        { title: 'A', tags: ['both'] },
      ])
    })
    test('one after the other: each sees what was before it', async () => {
      const { body } = await ask(
        'mutation { a: followUser(id: "{other editor}") { followers { name } } b: unfollowUser(id: "{other editor}") { followers { name } } }',
      )
      assert.deepEqual(body.data, { a: { followers: [{ name: 'Editor' }] }, b: { followers: [] } })
    })
    test('a mutation after a failed one is not run, since its result could not be answered', async () => {
      const fixtures = fresh()
      const body = await assertRefusal(
        'mutation { a: publishPost(id: "{draft}") { id } b: publishPost(id: "{draft}") { id } c: deletePost(id: "{draft}") }',
        { fixtures },
        { code: 'CONFLICT', path: ['b'], details: undefined },
      )
      assert.equal(body.data, null)
      const { body: left } = await ask('{ post(id: "{draft}") { isPublic: publishedAt } }', { fixtures })
      assert.equal(typeof left.data.post.isPublic, 'string')
    })
    test('the answer to sign-up is read by the new user (contract 2.7.10)', async () => {
      const { body } = await ask(
        'mutation { createUser(input: { name: "N", email: "New@Example.com", password: "12345678" }) { email preferences emailVerified role posts { id } } }',
        { as: 'anonymous' },
      )
      assert.deepEqual(body.data.createUser, {
        email: 'new@example.com',
        preferences: {},
        emailVerified: false,
        role: 'VIEWER',
        posts: [],
      })
    })
    test('JSON is kept as it was sent, in a literal or a variable', async () => {
      const preferences = { theme: 'dark', list: [1, { deep: null }], __proto__: undefined }
      const { body } = await ask(
        'mutation($json: JSON, $n: JSON) { a: updateUser(id: "{editor}", input: { preferences: $json }) { preferences } b: updateUser(id: "{editor}", input: { preferences: { theme: DARK, n: $n } }) { preferences } }',
        { variables: { json: preferences, n: { one: 1 } } },
      )
      assert.deepEqual(body.data, {
        a: { preferences: { theme: 'dark', list: [1, { deep: null }] } },
        b: { preferences: { theme: 'DARK', n: { one: 1 } } },
      })
    })
    test('null clears what is optional, and nothing else', async () => {
      const { body } = await ask(
        'mutation { a: updateUser(id: "{editor}", input: { bio: "b" }) { bio } b: updateUser(id: "{editor}", input: { bio: null }) { bio } }',
      )
      assert.deepEqual(body.data, { a: { bio: 'b' }, b: { bio: null } })
      await assertRefusal(
        'mutation { updateUser(id: "{editor}", input: { name: null }) { id } }',
        {},
        { code: 'VALIDATION_ERROR', path: ['updateUser'], details: ['name'] },
      )
    })
  })

  test('at most one statement for each level, whatever the number of parents', async () => {
    const fixtures = fresh()
    await fixtures.idOf('other comment')
    await fixtures.idOf('comment')
    const count = async (query: string) => {
      assert.equal((await ask(query, { fixtures })).body.errors, undefined)
      return statements(query, { fixtures })
    }
    assert.equal(await count('{ me { name } }'), 1)
    assert.equal(await count('{ users(first: 20) { nodes { name posts(limit: 10) { title author { name } } } } }'), 2)
    const below = 'nodes { author { name } comments { author { name } post { title } } }'
    assert.equal(await count(`{ posts(first: 1) { totalCount ${below} } }`), 4)
    assert.equal(await count(`{ posts { totalCount ${below} } }`), 3, 'the page tells the total')
    assert.equal(await count('{ a: me { id } b: me { id } }'), 2)
  })

  test('introspection stands among the other fields, in their order', async () => {
    const { text } = await ask(
      'query($name: String!) { a: __typename __type(name: $name) { name kind } b: __typename t: __type(name: "None") { name } }',
      { variables: { name: 'Post' }, as: 'anonymous' },
    )
    assert.equal(text, '{"data":{"a":"Query","__type":{"name":"Post","kind":"OBJECT"},"b":"Query","t":null}}')
  })

  test('nothing was a bug', () => service().assertLog())
})
