// Rules that follow relations, through both faces: who follows and blocks whom, what a comment is under, what time it is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionIn } from '../support/check/version-in.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { social } from '../support/domain/social.ts'
import { startInstance } from '../support/server/instance.ts'
import { beginning, type TestService, withService } from '../support/server/service.ts'

const dataOf = ({ payload }: Frame) => (payload as { data: unknown }).data
type Fixtures = ReturnType<TestService['fixtures']>
const people = { ann: { User: {} }, ben: { User: {} }, cat: { User: {} } }

withService(
  '10.1 rules that follow relations',
  (running) => {
    const send = async (line: string, as: string, fixtures: Fixtures, body?: unknown) => {
      const asks = as === '' ? {} : ({ as: `{${as}}` } as const)
      const answer = await running().send(line, { ...asks, fixtures, ...(body === undefined ? {} : { body }) })
      return { status: answer.status, ...answer.body, headers: answer.headers }
    }
    /** What somebody sees of the posts, by every way there is. */
    async function seen(as: string, fixtures: Fixtures, ids: readonly string[]) {
      const asks = as === '' ? {} : ({ as: `{${as}}` } as const)
      const single = await Promise.all(
        ids.map(async (id) => (await send(`GET /api/v1/posts/${id}`, as, fixtures)).status),
      )
      const list = await send('GET /api/v1/posts?page=1&author_id={ann}', as, fixtures)
      const query = `query ($id: ID!) { posts(first: 50, filter: { authorId: $id }) { totalCount nodes { id } }
        user(id: $id) { posts(limit: 20) { id } } }`
      const variables = { id: await fixtures.idOf('ann') }
      const { data, errors } = (await running().graphql(query, { ...asks, fixtures, variables })).body
      assert.equal(errors, undefined)
      const idsOf = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id).sort()
      const found = ids.filter((_, index) => single[index] === 200).sort()
      assert.deepEqual(idsOf(list.data), found, 'a list of REST')
      assert.equal(list.meta.total, found.length, 'its total')
      assert.deepEqual(idsOf(data.posts.nodes), found, 'a list of GraphQL')
      assert.equal(data.posts.totalCount, found.length, 'its count')
      assert.deepEqual(idsOf(data.user.posts), found, 'a list below a record')
      return single
    }
    const posts = {
      ...people,
      open: { Post: { author: '{ann}', text: 'open' } },
      close: { Post: { author: '{ann}', text: 'close', audience: 'FOLLOWERS' } },
      mine: { Post: { author: '{ann}', text: 'mine', audience: 'ONLY_ME' } },
    }
    const idsOf = (fixtures: Fixtures) => Promise.all(['open', 'close', 'mine'].map((name) => fixtures.idOf(name)))

    test('10.1.1 a caller who follows sees more, a caller who is blocked sees nothing, at once and by every way', async () => {
      const fixtures = running().fixtures(posts)
      const ids = await idsOf(fixtures)
      assert.deepEqual(await seen('ann', fixtures, ids), [200, 200, 200])
      assert.deepEqual(await seen('ben', fixtures, ids), [200, 404, 404])
      assert.deepEqual(await seen('', fixtures, ids), [200, 404, 404])
      await send('POST /api/v1/users/{ann}/follow', 'ben', fixtures)
      assert.deepEqual(await seen('ben', fixtures, ids), [200, 200, 404])
      const block = await send('POST /api/v1/blocks', 'ann', fixtures, { blocked_id: await fixtures.idOf('ben') })
      assert.deepEqual(await seen('ben', fixtures, ids), [404, 404, 404])
      assert.deepEqual(await seen('cat', fixtures, ids), [200, 404, 404])
      await send(`DELETE /api/v1/blocks/${block.data.id}`, 'ann', fixtures)
      assert.deepEqual(await seen('ben', fixtures, ids), [200, 200, 404])
      await send('POST /api/v1/users/{ann}/unfollow', 'ben', fixtures)
      assert.deepEqual(await seen('ben', fixtures, ids), [200, 404, 404])
    })

    test('10.1.1 a query whose where follows relations lists the same through both faces', async () => {
      const fixtures = running().fixtures(posts)
      const [open, close] = await idsOf(fixtures)
      const feed = async (as: string) => {
        const { data } = await send('GET /api/v1/posts/feed', as, fixtures)
        const answer = await running().graphql('{ feedPosts(first: 50) { totalCount nodes { id } } }', {
          as: `{${as}}`,
          fixtures,
        })
        const ids = data.map((each: { id: string }) => each.id)
        assert.deepEqual(
          answer.body.data.feedPosts.nodes.map((each: { id: string }) => each.id),
          ids,
        )
        assert.equal(answer.body.data.feedPosts.totalCount, ids.length)
        return ids
      }
      assert.deepEqual(await feed('cat'), [])
      await send('POST /api/v1/users/{ann}/follow', 'cat', fixtures)
      assert.deepEqual(await feed('cat'), [close, open])
    })

    test('10.1.1 a write is allowed by the record behind a relation', async () => {
      const fixtures = running().fixtures({
        ...posts,
        comment: { Comment: { post: '{open}', author: '{ben}', text: 'hm' } },
      })
      assert.equal((await send('DELETE /api/v1/comments/{comment}', 'cat', fixtures)).status, 403)
      assert.equal((await send('DELETE /api/v1/comments/{comment}', 'ann', fixtures)).status, 204)
    })

    test('10.1.2 an address is compared once it is verified, and never for an anonymous caller', async () => {
      const fixtures = running().fixtures({
        ...people,
        sure: { User: { email: 'sure@example.com', isSure: true } },
        unsure: { User: { email: 'unsure@example.com' } },
        first: { Invitation: { email: 'sure@example.com', by: '{ann}' } },
        second: { Invitation: { email: 'unsure@example.com', by: '{ann}' } },
        third: { Invitation: { email: null, by: '{ann}' } },
      })
      const sees = async (as: string) =>
        Promise.all(
          ['first', 'second', 'third'].map(
            async (name) => (await send(`GET /api/v1/invitations/{${name}}`, as, fixtures)).status,
          ),
        )
      assert.deepEqual(await sees('ann'), [200, 200, 200])
      assert.deepEqual(await sees('sure'), [200, 404, 404])
      assert.deepEqual(await sees('unsure'), [404, 404, 404])
      assert.deepEqual(await sees(''), [401, 401, 401])
    })

    test('10.1.3 now is the clock of the service, in whole seconds, and what depends on it is private', async () => {
      const at = (seconds: number) =>
        new Date(running().now().getTime() - (running().now().getTime() % 1_000) + seconds * 1_000)
      const fixtures = running().fixtures({
        ...people,
        past: { Offer: { by: '{ann}', from: at(-60), until: at(0) } },
        present: { Offer: { by: '{ann}', from: at(0), until: at(60) } },
        future: { Offer: { by: '{ann}', from: at(60), until: at(120) } },
      })
      const sees = async () => {
        const answers = await Promise.all(
          ['past', 'present', 'future'].map((name) => send(`GET /api/v1/offers/{${name}}`, '', fixtures)),
        )
        const query = `{ ${['past', 'present', 'future'].map((name) => `${name}: offer(id: "{${name}}") { id }`).join(' ')} }`
        const { data } = (await running().graphql(query, { fixtures })).body
        const statuses = answers.map(({ status }) => status)
        assert.deepEqual(
          Object.values(data).map((each) => (each === null ? 404 : 200)),
          statuses,
        )
        for (const { status, headers } of answers)
          if (status === 200) assert.equal(headers['cache-control'], 'private, no-cache')
        return statuses
      }
      assert.deepEqual(await sees(), [404, 200, 404])
      running().advance(60_000)
      assert.deepEqual(await sees(), [404, 404, 200])
      const offer = (until: Date) =>
        send('POST /api/v1/offers', 'ann', fixtures, { from: at(-60).toISOString(), until: until.toISOString() })
      assert.equal((await offer(at(0))).status, 403)
      assert.equal((await offer(at(5))).status, 201)
      assert.ok(running().now().getTime() > beginning.getTime())
    })

    test('10.1.3 all fields of a GraphQL document are read at one moment', async (t) => {
      // A clock that moves by a second whenever it is read, and an offer that ends after some readings.
      let seconds = Math.ceil(running().now().getTime() / 1_000)
      const end = new Date((seconds + 40) * 1_000)
      const fixtures = running().fixtures({
        ...people,
        offer: { Offer: { by: '{ann}', from: new Date(0), until: end } },
      })
      const id = await fixtures.idOf('offer')
      const now = () => new Date(seconds++ * 1_000)
      const other = await startInstance({ databaseUrl: running().databaseUrl, now }, { definition: social })
      t.after(() => other.stop())
      const aliases = Array.from({ length: 20 }, (_, index) => `a${index}: offer(id: "${id}") { id }`)
      const body = JSON.stringify({ query: `{ ${aliases.join(' ')} }` })
      const headers = { 'Content-Type': 'application/json' }
      const visibilities: boolean[] = []
      for (seconds = end.getTime() / 1_000 - 10; visibilities.at(-1) !== false; ) {
        const response = await fetch(`${other.url}/graphql`, { method: 'POST', headers, body })
        const { data } = (await response.json()) as { data: Readonly<Record<string, unknown>> }
        const found = Object.values(data).filter((offer) => offer !== null)
        assert.ok(found.length === 0 || found.length === aliases.length, `${found.length} of ${aliases.length} fields`)
        visibilities.push(found.length > 0)
      }
      assert.equal(visibilities[0], true)
    })

    test('10.1.4 a create is refused for the record that its rule leads to, then by the rule, then for other records', async () => {
      const fixtures = running().fixtures(posts)
      const [open, , mine] = await idsOf(fixtures)
      const missing = `post_${'0'.repeat(26)}`
      const create = async (as: string, post: string, also: string | null = null) => {
        const rest = await send('POST /api/v1/comments', as, fixtures, { post_id: post, also_id: also, text: 'x' })
        const variables = { input: { postId: post, alsoId: also, text: 'x' } }
        const query = 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { id } }'
        const { body } = await running().graphql(query, { as: `{${as}}`, fixtures, variables })
        const fields = (details: readonly { field: string }[] = []) =>
          details.map(({ field }) => field.replace(/_id|Id$/, '').replace('input.', ''))
        const failure = rest.error && [rest.status, rest.error.code, ...fields(rest.error.details)]
        const [error] = body.errors ?? []
        const refusal = error && [rest.status, error.extensions.code, ...fields(error.extensions.details)]
        assert.deepEqual(refusal, failure)
        return failure ?? [rest.status]
      }
      const rule = 'BUSINESS_RULE_VIOLATION'
      assert.deepEqual(await create('ben', missing), [422, rule, 'post'])
      assert.deepEqual(await create('ben', mine!), [422, rule, 'post'])
      assert.deepEqual(await create('ben', mine!, missing), [422, rule, 'post', 'also'])
      assert.deepEqual(await create('ben', open!), [403, 'FORBIDDEN'])
      assert.deepEqual(await create('ben', open!, missing), [403, 'FORBIDDEN'])
      assert.deepEqual(await create('ann', open!, missing), [422, rule, 'also'])
      assert.deepEqual(await create('ann', open!), [201])
      await send('POST /api/v1/users/{ann}/follow', 'ben', fixtures)
      assert.deepEqual(await create('ben', open!), [201])
    })

    test('10.1.5 and so it is on another instance, for its lists and entity tags too', async (t) => {
      // SQLite is one process.
      if (running().engine === 'sqlite') return
      const other = await startInstance(running(), { definition: social })
      t.after(() => other.stop())
      const fixtures = running().fixtures({
        ...people,
        post: { Post: { author: '{ann}', text: 'x', audience: 'FOLLOWERS' } },
      })
      const [ann, ben, post] = await Promise.all(['ann', 'ben', 'post'].map((name) => fixtures.idOf(name)))
      const token = await running().token(ben!)
      const socket = await TestSocket.ready(other.url, token)
      socket.subscribe('1', 'subscription { edited { text } }')
      await socket.settled()
      const look = async (etag?: string) => {
        const headers = { Authorization: `Bearer ${token}`, ...(etag === undefined ? {} : { 'If-None-Match': etag }) }
        const [one, list] = await Promise.all([
          other.client.send(`GET /api/v1/posts/${post}`, { headers }),
          other.client.send(`GET /api/v1/posts?author_id=${ann}`, { headers }),
        ])
        return { one: one.status, list: list.body?.data?.length, etag: one.headers['etag'] }
      }
      const edit = (text: string) => send('PATCH /api/v1/posts/{post}', 'ann', fixtures, { text })
      assert.deepEqual(await look(), { one: 404, list: 0, etag: undefined })
      await send('POST /api/v1/users/{ann}/follow', 'ben', fixtures)
      const { etag, ...seen } = await look()
      assert.deepEqual(seen, { one: 200, list: 1 })
      assert.equal((await look(etag)).one, 304)
      await edit('followed')
      assert.deepEqual(dataOf(await socket.next()), { edited: { text: 'followed' } })
      await send('POST /api/v1/blocks', 'ann', fixtures, { blocked_id: ben })
      assert.deepEqual(await look(etag), { one: 404, list: 0, etag: undefined })
      await edit('blocked')
      await other.settled()
      const unblocked = await send('GET /api/v1/blocks', 'ann', fixtures)
      await send(`DELETE /api/v1/blocks/${unblocked.data[0].id}`, 'ann', fixtures)
      await edit('unblocked')
      assert.deepEqual(
        dataOf(await socket.next()),
        { edited: { text: 'unblocked' } },
        'what came between was not heard',
      )
      await socket.close()
    })

    test('10.1.6 a reference to a hidden record is null, and a filter by it reveals nothing', async () => {
      const fixtures = running().fixtures({
        ...people,
        post: { Post: { author: '{ann}', text: 'x', audience: 'FOLLOWERS' } },
        mark: { Bookmark: { of: '{post}', by: '{cat}' } },
      })
      const id = await fixtures.idOf('post')
      const tags = new Set<string>()
      const look = async (as: string) => {
        const rest = await send('GET /api/v1/bookmarks/{mark}', as, fixtures)
        const again = await send('GET /api/v1/bookmarks/{mark}', as, fixtures)
        assert.equal(rest.headers.etag, again.headers.etag)
        const found = await send(`GET /api/v1/bookmarks?page=1&of_id=${id}`, as, fixtures)
        const query = `query ($id: ID!) { bookmark(id: "{mark}") { of { id } by { id } }
          bookmarks(first: 5, filter: { ofId: $id }) { totalCount nodes { of { id } } } }`
        const asks = as === '' ? {} : ({ as: `{${as}}` } as const)
        const { data, errors } = (await running().graphql(query, { ...asks, fixtures, variables: { id } })).body
        assert.equal(errors, undefined)
        assert.equal(data.bookmark.of?.id ?? null, rest.data.of_id)
        assert.equal(data.bookmark.by.id, await fixtures.idOf('cat'))
        assert.equal(data.bookmarks.totalCount, found.meta.total)
        assert.equal(data.bookmarks.nodes.length, found.data.length)
        tags.add(rest.headers.etag!)
        return [rest.data.of_id, found.meta.total]
      }
      assert.deepEqual(await look('ann'), [id, 1])
      assert.deepEqual(await look('ben'), [null, 0])
      assert.deepEqual(await look(''), [null, 0])
      await send('POST /api/v1/users/{ann}/follow', 'ben', fixtures)
      assert.deepEqual(await look('ben'), [id, 1])
      assert.deepEqual([...tags].map(versionIn), [1, 1, 1], 'with post and secret, without both, with the post')
      const schema = await running().graphql(
        '{ __type(name: "Bookmark") { fields { name type { kind ofType { name } } } } }',
        {},
      )
      const kinds = schema.body.data.__type.fields.map((each: { name: string; type: { kind: string } }) => [
        each.name,
        each.type.kind,
      ])
      assert.deepEqual(Object.fromEntries(kinds).of, 'OBJECT')
      assert.deepEqual(Object.fromEntries(kinds).by, 'NON_NULL')
    })

    test('10.1.7 a protected field whose rule follows a relation is null with FORBIDDEN, and left out in REST', async () => {
      const fixtures = running().fixtures({
        ...people,
        post: { Post: { author: '{ann}', text: 'x' } },
        mark: { Bookmark: { of: '{post}', by: '{cat}', secret: 's' } },
      })
      const look = async (as: string) => {
        const { data } = await send('GET /api/v1/bookmarks/{mark}', as, fixtures)
        const { body } = await running().graphql('{ bookmark(id: "{mark}") { id secret } }', {
          as: `{${as}}`,
          fixtures,
        })
        return [data.secret, body.data.bookmark.secret, body.errors?.[0].extensions.code]
      }
      assert.deepEqual(await look('ann'), ['s', 's', undefined])
      assert.deepEqual(await look('ben'), [undefined, null, 'FORBIDDEN'])
    })

    test('10.1.5 an open subscription follows changes of who follows and blocks', async () => {
      const fixtures = running().fixtures(people)
      const socketOf = async (name: string) => {
        const socket = await TestSocket.ready(running().url, await running().token(await fixtures.idOf(name)))
        socket.send({ type: 'subscribe', id: name, payload: { query: 'subscription { posted { text } }' } })
        await socket.settled()
        return socket
      }
      const sockets = { ann: await socketOf('ann'), ben: await socketOf('ben'), cat: await socketOf('cat') }
      const post = async (text: string, heardBy: readonly (keyof typeof sockets)[]) => {
        await send('POST /api/v1/posts', 'ann', fixtures, { text, audience: 'FOLLOWERS' })
        await running().settled()
        for (const name of heardBy) assert.deepEqual(dataOf(await sockets[name].next()), { posted: { text } })
        for (const socket of Object.values(sockets)) await socket.settled()
      }
      await post('one', ['ann'])
      await send('POST /api/v1/users/{ann}/follow', 'ben', fixtures)
      await post('two', ['ann', 'ben'])
      await send('POST /api/v1/blocks', 'ann', fixtures, { blocked_id: await fixtures.idOf('ben') })
      await send('POST /api/v1/users/{ann}/follow', 'cat', fixtures)
      await post('three', ['ann', 'cat'])
      for (const socket of Object.values(sockets)) await socket.close()
    })
  },
  { definition: social },
)
