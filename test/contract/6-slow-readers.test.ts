// Subscribers who read too slowly: what waits for them is bounded, and nobody else waits with them. (contract 6.2.8)

import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { heldNow } from '../support/check/heap.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { withService } from '../support/server/service.ts'

const created = 'subscription { postCreated { content } }'
/** Twice what one event is to a socket, so that a burst alone ends none. */
const bufferBytes = 2_000_000
const content = 'x'.repeat(50_000)
const subscriptions = 20
/** Far more than what the system itself holds for a connection. */
const events = 60

withService(
  '6.2 Slow readers together',
  (service) => {
    test('6.2.8 where all of them leave too much unread, those with the most are cut off, and no others', async () => {
      const slow = [await TestSocket.ready(service().url), await TestSocket.ready(service().url)]
      const witness = await TestSocket.ready(service().url)
      for (const each of slow) {
        for (let index = 0; index < subscriptions; index++) each.subscribe(String(index), created)
        await each.settled()
        each.pause()
      }
      witness.subscribe('1', created)
      await witness.settled()
      const before = heldNow()
      for (let count = 0; count < events; count++) {
        const { status } = await service().send('POST /api/v2/posts', {
          as: 'editor',
          body: { title: 'Long', content, publish: true },
        })
        assert.equal(status, 201)
        await witness.next()
      }
      const held = heldNow() - before
      const sent = events * slow.length * subscriptions * content.length
      assert.ok(held < sent / 4, `${held} bytes of ${sent} are kept`)
      // Without a farewell, which would wait behind all that is unread.
      for (const each of slow) {
        each.resume()
        assert.equal(await each.closed, 1006)
      }
      await witness.settled()
      await witness.close()
    })
  },
  { limits: { socketBufferBytes: 1e9, socketsBufferBytes: bufferBytes, socketTickMs: 10, drainMs: 200 } },
)

withService(
  '6.2 Slow readers',
  (service) => {
    const write = async () => {
      const { status } = await service().send('POST /api/v2/posts', {
        as: 'editor',
        body: { title: 'Long', content, publish: true },
      })
      assert.equal(status, 201)
    }

    test('6.2.8 1013: a subscriber that stops reading is closed, costs a bounded amount, and delays no other', async () => {
      const [slow, witness] = [await TestSocket.ready(service().url), await TestSocket.ready(service().url)]
      for (let index = 0; index < subscriptions; index++) slow.subscribe(String(index), created)
      await slow.settled()
      witness.subscribe('1', created)
      await witness.settled()
      await write()
      for (let index = 0; index < subscriptions; index++) await slow.next()
      await witness.next()

      const before = heldNow()
      slow.pause()
      for (let count = 0; count < events; count++) {
        await write()
        await witness.next()
      }
      const held = heldNow() - before
      const sent = events * subscriptions * content.length
      assert.ok(held < sent / 2, `${held} bytes of ${sent} are kept`)

      slow.resume()
      assert.equal(await slow.closed, 1013)
      await witness.close()
    })

    test('6.4.9 an event stream that is not read is cut off, and holds nobody up', async () => {
      const path = `${service().url}/api/v2/event-stream?events=postCreated`
      const slow = await new Promise<IncomingMessage>((resolve) => get(path, resolve))
      slow.pause()
      const ended = new Promise((resolve) => slow.once('close', resolve))
      slow.on('error', () => {})
      const witness = await TestSocket.ready(service().url)
      witness.subscribe('1', created)
      await witness.settled()
      for (let count = 0; count < 4 * events; count++) {
        await write()
        await witness.next()
      }
      slow.resume()
      await ended
      assert.equal(slow.complete, false)
      await witness.close()
    })

    test('6.2.8 a caller who reads gets everything, however much it is', async () => {
      const reader = await TestSocket.ready(service().url)
      for (let index = 0; index < subscriptions; index++) reader.subscribe(String(index), created)
      await reader.settled()
      for (let count = 0; count < 3; count++) {
        await write()
        for (let index = 0; index < subscriptions; index++) assert.equal((await reader.next()).type, 'next')
      }
      await reader.settled()
      await reader.close()
    })

    test('6.3.1 a caller who was away for long gets all of it, and others are answered meanwhile', async () => {
      const [first, other] = [await TestSocket.ready(service().url), await TestSocket.ready(service().url)]
      first.subscribe('1', created)
      await first.settled()
      await write()
      const { extensions } = (await first.next()).payload as { extensions: { eventId: string } }
      await first.drop()
      for (let count = 0; count < events; count++) await write()

      const back = await TestSocket.ready(service().url)
      for (let index = 0; index < 3; index++) {
        back.subscribe(String(index), created, { extensions: { resumeAfter: extensions.eventId } })
      }
      let heard = 0
      const all = (async () => {
        for (; heard < 3 * events - 1; heard++) assert.equal((await back.next()).type, 'next')
      })()
      await back.next()
      await other.settled()
      assert.ok(heard < 3 * events - 1, 'the past is told in many turns')
      await Promise.race([all, back.closed])
      assert.equal(heard, 3 * events - 1, 'the connection lives on')
      await Promise.all([back.close(), other.close()])
    })

    test('6.3.1 events that happen during a replay follow it, once and in order', async () => {
      const first = await TestSocket.ready(service().url)
      first.subscribe('1', created)
      await first.settled()
      await write()
      const { extensions } = (await first.next()).payload as { extensions: { eventId: string } }
      for (let count = 0; count < events / 2; count++) {
        await write()
        await first.next()
      }
      const back = await TestSocket.ready(service().url)
      back.subscribe('1', created, { extensions: { resumeAfter: extensions.eventId } })
      for (let count = 0; count < events / 2; count++) await write()
      const idsOf = async (socket: TestSocket, count: number) => {
        const ids: string[] = []
        while (ids.length < count) {
          const { payload } = await socket.next()
          ids.push((payload as { extensions: { eventId: string } }).extensions.eventId)
        }
        return ids
      }
      const live = await idsOf(first, events / 2)
      assert.deepEqual((await idsOf(back, events)).slice(events / 2), live)
      await back.settled()
      await Promise.all([first.close(), back.close()])
    })
  },
  { limits: { socketBufferBytes: bufferBytes, drainMs: 10_000 } },
)
