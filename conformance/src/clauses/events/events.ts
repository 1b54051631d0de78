// Subscriptions. (6.1, 6.2, 6.3)

import { Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import type { Socket } from '../../kit/socket.ts'
import { credentials, subscribeTo, withSocket } from '../../kit/subscription.ts'

/** Subscribes to what is created. */
const subscribe = async (socket: Socket, { kit, subject }: Scene, extensions = {}): Promise<void> =>
  subscribeTo(socket, await kit.fill(subject.profile.created!), '{ id }', extensions)

export function defineEvents(define: Define): void {
  defineConnection(define)
  defineDelivery(define)
}

function defineConnection(define: Define): void {
  define('6.2.1', ['events'], async ({ kit }) => {
    await withSocket(kit, async (socket) => {
      await socket.send({ type: 'subscribe', id: '1', payload: { query: '{ __typename }' } })
      await socket.ends(4401)
    })
    await withSocket(kit, async (socket) => {
      await socket.begin()
      await socket.send({ type: 'connection_init' })
      await socket.ends(4429)
    })
    for (const malformed of ['no JSON', '{"type":"unknown"}', '{"type":"subscribe","id":1,"payload":{}}', '[]'])
      await withSocket(kit, async (socket) => {
        await socket.begin()
        await socket.send(malformed)
        await socket.ends(4400)
      })
  })

  define('6.2.2', ['events'], async ({ kit, subject }) => {
    const me = { type: 'subscribe', id: '1', payload: { query: '{ me { id } }' } }
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await socket.send(me)
      const { payload } = await socket.expect('next')
      const answer = await kit.graphql('{ me { id } }', undefined, { as: subject.creator })
      answer.has('me', payload.data, answer.data)
    })
    await withSocket(kit, async (socket) => {
      await socket.begin()
      await socket.send(me)
      const { payload } = await socket.expect('next')
      const answer = await kit.graphql('{ me { id } }')
      answer.has('me', payload.data, { me: null })
    })
  })

  define('6.2.3', ['events'], async ({ kit }) => {
    await withSocket(kit, async (socket) => {
      await socket.send({ type: 'connection_init', payload: { Authorization: 'Bearer not-a-token' } })
      await socket.ends(4403)
    })
  })

  define('6.2.5', ['events'], async ({ kit, subject }) => {
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await socket.send({ type: 'subscribe', id: 'q', payload: { query: `{ ${subject.list}(limit: 1) { id } }` } })
      await socket.expect('next')
      await socket.expect('complete')
      const tooMany = Array.from({ length: 120 }, (_, at) => `a${at}: ${subject.list}(limit: 1) { id }`).join(' ')
      await socket.send({ type: 'subscribe', id: 'c', payload: { query: `{ ${tooMany} }` } })
      const { payload } = await socket.next()
      const [error] = payload.errors ?? payload
      const answer = await kit.graphql(`{ ${tooMany} }`)
      answer.has('code', error.extensions.code, 'QUERY_TOO_COMPLEX')
    })
  })

  define('6.2.6', ['events', 'created'], async (scene) => {
    const { kit, subject } = scene
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await subscribe(socket, scene)
      const payload = { query: `subscription { made: ${await kit.fill(subject.profile.created!)} { id } }` }
      await socket.send({ type: 'subscribe', id: 'events', payload })
      await socket.ends(4409)
    })
  })

  define('6.2.7', ['events', 'created'], async ({ kit, subject }) => {
    const query = `subscription { made: ${await kit.fill(subject.profile.created!)} { id } }`
    ;(await kit.graphql(query, undefined, { as: subject.creator })).hasError()
  })

  define('6.2.11', ['events'], async ({ kit }) => {
    await withSocket(kit, async (socket) => {
      await socket.begin()
      await socket.send('{"type":"subscribe","id":"1","payload":{"query":"{ __typename }","query":"{ __typename }"}}')
      await socket.expect('error')
      await socket.send({ type: 'subscribe', id: '2', payload: {} })
      await socket.expect('error')
      await socket.send({ type: 'subscribe', id: '3', payload: { query: '{ __typename }' } })
      await socket.expect('next')
    })
  })

  define('6.2.12', ['events'], async ({ kit, subject }) => {
    const token = await kit.token(subject.creator)
    for (const payload of [{ authToken: token }, { headers: { Authorization: `Bearer ${token}` } }])
      await withSocket(kit, async (socket) => {
        await socket.send({ type: 'connection_init', payload })
        await socket.ends(4400)
      })
  })
}

function defineDelivery(define: Define): void {
  define('6.1.2', ['events', 'created', 'hidden'], async (scene) => {
    const { kit, subject } = scene
    await withSocket(kit, async (mine) => {
      await withSocket(kit, async (other) => {
        await mine.begin(await credentials(kit, subject.creator))
        await other.begin(await credentials(kit, subject.profile.other!))
        await Promise.all([subscribe(mine, scene), subscribe(other, scene)])
        const made = await subject.make()
        for (;;) {
          const { payload } = await mine.expect('next')
          if (payload.data.made.id === made.id) break
        }
        // What comes after the event in the order of this connection shows that the event did not come.
        await other.send({ type: 'subscribe', id: 'later', payload: { query: '{ __typename }' } })
        for (;;) {
          const { id, type, payload } = await other.next()
          if (type === 'error')
            throw new Untestable('the subscription is by a record that is hidden from other accounts')
          if (id === 'later' && type === 'next') break
          made.answer.require(payload.data.made.id !== made.id, 'no event of a hidden record', JSON.stringify(payload))
        }
      })
    })
  })

  define('6.1.4', ['events', 'created'], async (scene) => {
    const { kit, subject } = scene
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await subscribe(socket, scene)
      const made = await subject.makeMany(5)
      const expected = made.map(({ id }) => id)
      const received: string[] = []
      while (received.length < expected.length) {
        const { payload } = await socket.expect('next')
        if (expected.includes(payload.data.made.id)) received.push(payload.data.made.id)
      }
      made[0]!.answer.has('the order of the events', received, expected)
    })
  })

  define('6.3.1', ['events', 'created'], async (scene) => {
    const { kit, subject } = scene
    let first = ''
    let resumeAfter = ''
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await subscribe(socket, scene)
      first = (await subject.make()).id
      for (;;) {
        const { payload } = await socket.expect('next')
        if (payload.data.made.id !== first) continue
        resumeAfter = payload.extensions.eventId
        break
      }
    })
    const missed = await subject.make()
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      const query = `subscription { made: ${await kit.fill(subject.profile.created!)} { id } }`
      await socket.send({ type: 'subscribe', id: 'events', payload: { query, extensions: { resumeAfter } } })
      for (;;) {
        const { payload } = await socket.expect('next')
        missed.answer.require(payload.data.made.id !== first, 'no event twice', first)
        if (payload.data.made.id === missed.id) break
      }
    })
  })

  define('6.3.4', ['events', 'created'], async ({ kit, subject }) => {
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      const query = `subscription { made: ${await kit.fill(subject.profile.created!)} { id } }`
      const payload = { query, extensions: { resumeAfter: 'not an id of this service' } }
      await socket.send({ type: 'subscribe', id: 'events', payload })
      const message = await socket.expect('error')
      const answer = await kit.send('GET /health')
      answer.has('code', message.payload[0].extensions.code, 'EVENTS_GONE')
    })
  })
}
