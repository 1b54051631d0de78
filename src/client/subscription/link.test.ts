import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../client.ts'
import { createSubscriptions } from './subscriptions.ts'

test('a connection begins with the credential, and with what the client calls itself', async () => {
  const sent = Promise.withResolvers<unknown>()
  class Listening {
    send(text: string): void {
      sent.resolve(JSON.parse(text))
    }
    close(): void {}
    addEventListener(type: string, told: () => void): void {
      if (type === 'open') queueMicrotask(told)
    }
  }
  const client = createClient('http://127.0.0.1:9', { apiKey: 'duet_key', name: 'reports' } as never)
  const abort = new AbortController()
  const subscriptions = createSubscriptions(client as never, { WebSocket: Listening as never })
  subscriptions.subscribe('subscription { postCreated { id } }' as never, undefined as never, { signal: abort.signal })
  const payload = { 'X-API-Key': 'duet_key', 'X-Client-Name': 'reports' }
  assert.deepEqual(await sent.promise, { type: 'connection_init', payload })
  abort.abort()
})
