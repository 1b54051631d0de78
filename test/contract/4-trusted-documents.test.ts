// Persisted queries over several instances, and services that run only what their clients' build wrote down. (contract 4.9.4, 4.9.5)

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { api } from '../../reference/service.ts'
import { start } from '../../src/main.ts'
import { cost, nothing, withQuietService } from '../support/check/statement-counter.ts'
import type { Client } from '../support/client/http-client.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { postgresMissing } from '../support/server/databases.ts'
import { startInstance } from '../support/server/instance.ts'
import { startRedisServer, withoutRedisServer } from '../support/server/redis.ts'
import { startTestService } from '../support/server/service.ts'

const sha = (text: string) => hash('sha256', text, 'hex')
const persisted = (id: string) => ({ persistedQuery: { version: 1, sha256Hash: id } })
const codeOf = (body: { errors?: readonly { extensions: { code: string } }[] }) => body.errors?.[0]?.extensions.code

const register = async (client: Client, query: string) => {
  const answer = await client.send('POST /graphql', { body: { query, extensions: persisted(sha(query)) } })
  assert.equal(codeOf(answer.body), undefined)
}
const codeOfHash = async (client: Client, query: string) => {
  const extensions = JSON.stringify(persisted(sha(query)))
  return codeOf((await client.send(`GET /graphql?${new URLSearchParams({ extensions })}`)).body)
}

test('4.9.4 what was registered with one instance is known to the other, and Redis is needed for no more', {
  skip: postgresMissing || withoutRedisServer(),
}, async (t) => {
  const redis = await startRedisServer()
  t.after(() => redis.kill())
  const environment = { REDIS_URL: redis.url }
  const service = await startTestService('postgres', { environment })
  t.after(() => service.stop())
  const other = await startInstance(service, { environment })
  t.after(() => other.stop())
  const [shared, unseen, late] = ['shared', 'unseen', 'late'].map((name) => `query ${name} { __typename }`)
  await register(service.client, shared!)
  assert.equal(await codeOfHash(other.client, shared!), undefined)

  await redis.kill()
  assert.equal(await codeOfHash(other.client, shared!), undefined)
  await register(service.client, late!)
  assert.equal(await codeOfHash(service.client, late!), undefined)
  assert.equal(await codeOfHash(other.client, late!), 'PERSISTED_QUERY_NOT_FOUND')
  await register(other.client, late!)
  assert.equal(await codeOfHash(other.client, late!), undefined)
  assert.equal(await codeOfHash(other.client, unseen!), 'PERSISTED_QUERY_NOT_FOUND')
})

const products = 'query Products { products { totalCount } }'
const remove = 'mutation Remove($id: ID!) { deletePost(id: $id) }'
const heard = 'subscription Heard { postCreated { id } }'
const trusted = { [sha(products)]: products, '42': remove, 'sha256:0f': heard, broken: '{ nothing }' }

withQuietService(
  '4.9 Trusted documents',
  (service) => {
    const post = async (body: object) => (await service().send('POST /graphql', { body })).body
    test('4.9.5 a document is run by its id, however it is spelled, or by its own text', async () => {
      const answer = { products: { totalCount: 0 } }
      for (const body of [
        { extensions: persisted(sha(products)) },
        { extensions: persisted(`sha256:${sha(products)}`) },
        { documentId: sha(products) },
        { documentId: `sha256:${sha(products)}` },
        { query: products },
        { query: products, extensions: persisted(sha(products)) },
      ]) {
        assert.deepEqual((await post(body)).data, answer, JSON.stringify(body))
      }
      const { body, headers } = await service().send(`GET /graphql?documentId=${sha(products)}`)
      assert.deepEqual(body.data, answer)
      assert.equal(headers['cache-control'], 'public, max-age=60')
    })

    test('4.9.5 its rules are those of any document', async () => {
      assert.equal(codeOf(await post({ documentId: '42', variables: { id: 'x' } })), 'UNAUTHENTICATED')
      assert.equal(codeOf(await post({ documentId: '42' })), 'VALIDATION_ERROR')
      assert.equal(codeOf(await post({ documentId: 'broken' })), 'GRAPHQL_VALIDATION_FAILED')
      assert.equal((await service().send('GET /graphql?documentId=42')).status, 405)
    })

    test('4.9.5 anything else is refused, and nothing is registered', async () => {
      const text = '{ __typename }'
      const spent = await cost(service(), async () => {
        for (const [body, code] of [
          [{ query: text }, 'FORBIDDEN'],
          [{ query: `${products} ` }, 'FORBIDDEN'],
          [{ query: text, extensions: persisted(sha(text)) }, 'FORBIDDEN'],
          [{ query: text, documentId: sha(products) }, 'FORBIDDEN'],
          [{ extensions: persisted(sha(text)) }, 'PERSISTED_QUERY_NOT_FOUND'],
          [{ documentId: 'other' }, 'PERSISTED_QUERY_NOT_FOUND'],
          [{ documentId: '__proto__' }, 'PERSISTED_QUERY_NOT_FOUND'],
          [{}, 'VALIDATION_ERROR'],
          [{ documentId: 42 }, 'VALIDATION_ERROR'],
        ] as const) {
          const answer = await post(body)
          assert.deepEqual([codeOf(answer), 'data' in answer], [code, false], JSON.stringify(body))
        }
        const strict = { headers: { Accept: 'application/graphql-response+json' }, body: { query: text } }
        assert.equal((await service().send('POST /graphql', strict)).status, 403)
        assert.equal(
          codeOf((await service().send(`GET /graphql?${new URLSearchParams({ query: text })}`)).body),
          'FORBIDDEN',
        )
      })
      assert.deepEqual(spent, nothing)
    })

    test('4.9.5 over a WebSocket the same', async () => {
      const socket = await TestSocket.ready(service().url)
      const ask = async (payload: object) => {
        socket.send({ type: 'subscribe', id: '1', payload })
        const { type, payload: answer } = await socket.next()
        return type === 'error' ? (answer as { extensions: { code: string } }[])[0]!.extensions.code : answer
      }
      assert.equal(await ask({ query: 'subscription { postCreated { title } }' }), 'FORBIDDEN')
      assert.equal(await ask({ documentId: 'other' }), 'PERSISTED_QUERY_NOT_FOUND')
      assert.deepEqual(await ask({ documentId: sha(products) }), { data: { products: { totalCount: 0 } } })
      assert.equal((await socket.next()).type, 'complete')
      socket.send({ type: 'subscribe', id: '2', payload: { documentId: 'sha256:0f' } })
      await socket.settled()
      await service().send('POST /api/v2/posts', { as: 'editor', body: { title: 'T', content: 'C', publish: true } })
      assert.equal((await socket.next()).type, 'next')
      await socket.close()
    })
  },
  { trustedDocuments: trusted },
)

test('4.9.5 a file names them, and a file that does not stops the start with one sentence', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-trusted-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'documents.json')
  const startWith = async (text: string) => {
    await writeFile(path, text)
    return start(api, {
      environment: { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:', TRUSTED_DOCUMENTS: path },
    })
  }
  // As Apollo's `generate-persisted-query-manifest` writes it.
  const operations = [{ id: sha(products), name: 'Products', type: 'query', body: products }]
  const service = await startWith(JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }))
  t.after(() => service.stop())
  const ask = async (body: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
    return answer.json() as Promise<{ errors?: { extensions: { code: string } }[] }>
  }
  assert.equal(codeOf(await ask({ extensions: persisted(sha(products)) })), undefined)
  assert.equal(codeOf(await ask({ query: '{ __typename }' })), 'FORBIDDEN')

  const noList = /^TRUSTED_DOCUMENTS names .+documents\.json, which is no list of documents: /
  for (const [text, sentence] of [
    ['{', /^TRUSTED_DOCUMENTS names .+documents\.json, which cannot be read: /],
    ['{}', noList],
    ['[]', noList],
    ['{ "id": 5 }', noList],
    ['{ "format": "apollo-persisted-query-manifest", "operations": [null] }', noList],
  ] as const) {
    await assert.rejects(startWith(text), { message: sentence }, text)
  }
})
