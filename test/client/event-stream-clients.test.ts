// The clients of event streams that are widespread, as they come from npm, against the running service. (contract 6.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, fetchExchange, gql } from '@urql/core'
import { type ErrorEvent, EventSource } from 'eventsource'
import { createClient } from 'graphql-sse'
import { type TestService, withService } from '../support/server/service.ts'

const writePost = async (service: TestService, title: string) => {
  const { status } = await service.send('POST /api/v2/posts', {
    as: 'editor',
    body: { title, content: 'C', publish: true },
  })
  assert.equal(status, 201)
}
const query = 'subscription { postCreated { title } }'
interface Result {
  readonly data: { readonly postCreated: { readonly title: string } }
  readonly extensions: { readonly eventId: string }
}

withService(
  'Clients of event streams',
  (service) => {
    test('eventsource receives the events that it names, and remembers the last one', async () => {
      const source = new EventSource(`${service().url}/api/v2/event-stream?events=postCreated,commentAdded`)
      const received = Promise.withResolvers<MessageEvent>()
      source.addEventListener('postCreated', received.resolve)
      await new Promise((resolve) => source.addEventListener('open', resolve, { once: true }))
      await writePost(service(), 'for a browser')
      const { data, lastEventId } = await received.promise
      assert.equal(JSON.parse(data).data.title, 'for a browser')
      assert.match(lastEventId, /^[\w-]{59}$/)
      source.close()
    })

    test('eventsource gives up after a refusal', async () => {
      const source = new EventSource(`${service().url}/api/v2/event-stream?events=postForgotten`)
      const { code } = await new Promise<ErrorEvent>((resolve) => source.addEventListener('error', resolve))
      assert.deepEqual([code, source.readyState], [400, source.CLOSED])
    })

    test('graphql-sse subscribes, passes silence over, and resumes by the header', async () => {
      const { url } = service()
      let last: string | undefined
      const client = createClient({
        url: `${url}/graphql`,
        headers: () => (last === undefined ? {} : { 'Last-Event-ID': last }),
      })
      const first = client.iterate({ query })
      const next = first.next()
      for (let count = 0; count < 3; count++) await keepAlive(url)
      await writePost(service(), 'one')
      const { value } = (await next) as { value: Result }
      assert.equal(value.data.postCreated.title, 'one')
      last = value.extensions.eventId
      await first.return?.()
      await writePost(service(), 'two')
      const second = client.iterate({ query })
      const { value: missed } = (await second.next()) as { value: Result }
      assert.equal(missed.data.postCreated.title, 'two')
      await second.return?.()
    })

    test('graphql-sse reports what is wrong with an operation', async () => {
      const client = createClient({ url: `${service().url}/graphql` })
      const found: unknown[] = []
      for await (const result of client.iterate({ query: 'subscription { nothing { id } }' })) found.push(result)
      const [{ errors }] = found as [{ errors: { extensions: { code: string } }[] }]
      assert.deepEqual([found.length, errors[0]!.extensions.code], [1, 'GRAPHQL_VALIDATION_FAILED'])
    })

    test('urql subscribes without a WebSocket', async () => {
      const client = new Client({
        url: `${service().url}/graphql`,
        preferGetMethod: false,
        fetchSubscriptions: true,
        exchanges: [fetchExchange],
      })
      const received = Promise.withResolvers<string>()
      const { unsubscribe } = client
        .subscription(gql`subscription { postCreated { title } }`, {})
        .subscribe(({ data }) => data && received.resolve(data.postCreated.title))
      await keepAlive(service().url)
      await writePost(service(), 'for urql')
      assert.equal(await received.promise, 'for urql')
      unsubscribe()
    })
  },
  { limits: { socketPingMs: 50, socketTickMs: 20 } },
)

/** Resolves when another stream, which began now, has had a keep-alive. */
async function keepAlive(url: string): Promise<void> {
  const source = new EventSource(`${url}/api/v2/event-stream?events=postCreated`)
  await new Promise((resolve) => source.addEventListener('keep-alive', resolve, { once: true }))
  source.close()
}
