// API keys in use: through GraphQL, as time passes, as their owners change, and how often they are counted.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { bind, command, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { cost, nothing, withQuietService } from '../support/check/statement-counter.ts'
import { makeKey } from '../support/client/api-key.ts'
import type { Answer } from '../support/client/http-client.ts'
import { withService } from '../support/server/service.ts'

withService('5.3 Keys, through GraphQL', (service) => {
  test('5.3.1 the key is answered once', async () => {
    const query = 'mutation { createApiKey(input: { name: "K", scopes: ["read:*"] }) { id key prefix } }'
    const { body } = await service().graphql(query, { as: 'viewer' })
    const { id, key, prefix } = body.data.createApiKey
    assert.equal(key.slice(0, 12), prefix)
    const read = await service().graphql('{ me { id } }', { headers: { 'X-API-Key': key } })
    assert.match(read.body.data.me.id, /^usr_/)
    const again = await service().graphql(`{ apiKey(id: "${id}") { prefix key } }`, { as: 'viewer' })
    assert.match(again.text, /GRAPHQL_VALIDATION_FAILED|"key":null/)
    assert(!again.text.includes(key))
  })

  test('5.3.6 every nested relation needs the read scope of its resource', async () => {
    const { headers } = await makeKey(service(), editor, ['read:users', 'read:posts'])
    const fixtures = service().fixtures()
    const { body } = await service().graphql(
      '{ post(id: "{post}") { id author { id } comments { id author { id } } } }',
      { headers, fixtures },
    )
    assert.deepEqual(codesOf(body), [['INSUFFICIENT_SCOPE', ['post', 'comments']]])
    assert.equal(body.data.post, null)
    const allowed = await service().graphql('{ post(id: "{post}") { id author { name posts { title } } } }', {
      headers,
      fixtures,
    })
    assert.equal(allowed.body.errors, undefined, allowed.text)
  })

  test('5.3.6 a mutation needs its scope', async () => {
    const { headers } = await makeKey(service(), editor, ['read:*'])
    const { body } = await service().graphql('mutation { createPost(input: { title: "T", content: "C" }) { id } }', {
      headers,
    })
    assert.deepEqual(codesOf(body), [['INSUFFICIENT_SCOPE', ['createPost']]])
  })

  test('5.3.5 with a token beside it nothing runs', async () => {
    const { headers } = await makeKey(service(), editor, ['*'])
    const { status, body } = await service().graphql('{ me { id } }', { as: 'editor', headers })
    assert.deepEqual([status, body.errors[0].extensions.code, 'data' in body], [400, 'VALIDATION_ERROR', false])
  })

  test('5.3.4 an unknown key is refused with 200, or 401 to a client that prefers the strict type', async () => {
    const headers = { 'X-API-Key': `duet_${'A'.repeat(43)}` }
    const plain = await service().graphql('{ posts { nodes { id } } }', { headers })
    assert.deepEqual([plain.status, plain.body.errors[0].extensions.code], [200, 'INVALID_CREDENTIALS'])
    const strict = await service().graphql('{ posts { nodes { id } } }', {
      headers: { ...headers, Accept: 'application/graphql-response+json' },
    })
    assert.equal(strict.status, 401)
  })
})

withService('5.3 Keys, in time', (service) => {
  const me = (headers: Record<string, string>) => service().send('GET /api/v2/users/me', { headers })
  const person = async () => {
    const fixtures = service().fixtures({ person: { User: { name: 'P', role: 'EDITOR' } } })
    return { owner: { as: '{person}', fixtures }, id: await fixtures.idOf('person') } as const
  }
  const move = async (action: string, id: string) => {
    const { status, text } = await service().send(`POST /api/v2/users/${id}/${action}`, { as: 'admin' })
    assert.equal(status, 200, text)
  }

  test('5.3.3 it expires at its moment', async () => {
    const { headers } = await makeKey(service(), editor, ['*'], new Date(service().now().getTime() + 60_000))
    service().advance(50_000)
    assert.equal((await me(headers)).status, 200)
    service().advance(10_000)
    assert.deepEqual(code(await me(headers)), [401, 'INVALID_CREDENTIALS'])
  })

  test('5.3.4 it is refused while its owner is suspended, and from deletion on', async () => {
    const { owner, id } = await person()
    const { headers } = await makeKey(service(), owner, ['*'])
    assert.equal((await me(headers)).status, 200)
    await move('suspend', id)
    assert.deepEqual(code(await me(headers)), [401, 'INVALID_CREDENTIALS'])
    await move('reactivate', id)
    assert.equal((await me(headers)).status, 200)
    assert.equal((await service().send(`DELETE /api/v2/users/${id}`, { as: 'admin' })).status, 204)
    assert.deepEqual(code(await me(headers)), [401, 'INVALID_CREDENTIALS'])
  })

  test('5.3.6 it has the role that its owner has now', async () => {
    const { owner, id } = await person()
    const { headers } = await makeKey(service(), owner, ['*'])
    const create = () => service().send('POST /api/v2/posts', { headers, body: { title: 'T', content: 'C' } })
    assert.equal((await create()).status, 201)
    await service().send(`PATCH /api/v2/users/${id}`, { as: 'admin', body: { role: 'VIEWER' } })
    assert.deepEqual(code(await create()), [403, 'FORBIDDEN'])
  })

  test('5.3.9 only its hash is kept', async () => {
    const { key } = await makeKey(service(), editor, ['*'])
    const rows = await service().store.read(all('select * from api_keys'))
    assert(!JSON.stringify(rows).includes(key))
    assert(JSON.stringify(rows).includes(hash('sha256', key, 'base64url')))
  })

  test('5.3.9 its last use is written down, without a write for each request', async () => {
    const { id, headers } = await makeKey(service(), editor, ['*'])
    const read = async () =>
      (await service().send(`GET /api/v2/api-keys/${id}`, { as: 'editor' })).body.data.last_used_at
    assert.equal(await read(), null)
    await me(headers)
    while ((await read()) === null) await nextTurn()
    const first = await read()
    const version = () => service().store.read(all(`select version from api_keys where id = '${id}'`))
    const before = await version()
    for (let at = 0; at < 50; at += 1) await me(headers)
    assert.equal(await read(), first)
    assert.deepEqual(await version(), before)
    service().advance(60_000)
    await me(headers)
    while ((await read()) === first) await nextTurn()
  })

  test('5.3.6 what is no list of scopes in the database grants nothing', async () => {
    for (const stored of ['null', '{"read:posts":true}', '"*"', '[]', '[null, 5]']) {
      const { id, headers } = await makeKey(service(), editor, ['*'])
      await service().store.write(function* () {
        const [one, two] = service().engine === 'sqlite' ? ['?1', '?2'] : ['$1::jsonb', '$2']
        yield bind(command(`update api_keys set scopes = ${one} where id = ${two}`), stored, id)
      })
      assert.deepEqual(
        code(await service().send('GET /api/v2/posts', { headers })),
        [403, 'INSUFFICIENT_SCOPE'],
        stored,
      )
    }
  })
})

withQuietService('5.3 Keys, without the database', (service) => {
  test('5.3.9 a key that is known costs no statement', async () => {
    const { headers } = await makeKey(service(), editor, ['*'])
    await service().send('GET /api/v2/users/me', { headers })
    const spent = await cost(service(), async () => {
      for (let at = 0; at < 300; at += 1)
        assert.equal((await service().send('GET /api/v2/nothing', { headers })).status, 404)
    })
    assert.deepEqual(spent, nothing)
  })
})

withService(
  '5.3 Keys, counted',
  (service) => {
    test('5.3.10 all keys and tokens of a user share a bucket', async () => {
      const [one, two] = [await makeKey(service(), editor, ['*']), await makeKey(service(), editor, ['*'])]
      const remaining: unknown[] = []
      for (const question of [{ headers: one.headers }, { headers: two.headers }, { as: 'editor' as const }])
        remaining.push((await service().send('GET /api/v2/posts', question)).headers['x-ratelimit-remaining'])
      assert.deepEqual(remaining, ['2', '1', '0'])
      assert.equal((await service().send('GET /api/v2/posts', { headers: one.headers })).status, 429)
    })
  },
  { environment: { LIMIT_USER_PER_HOUR: '5' } },
)

const editor = { as: 'editor' } as const
const code = ({ status, body }: Answer) => [status, body?.error?.code]
const codesOf = (body: { errors: readonly { extensions: { code: string }; path: unknown }[] }) =>
  body.errors.map(({ extensions, path }) => [extensions.code, path])
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
function* all(sql: string): Program<readonly StoredRow[]> {
  return yield bind(query(sql))
}
