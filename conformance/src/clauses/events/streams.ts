// Streams of server-sent events, by REST and by GraphQL. (6.4)

import type { Define, Scene } from '../../kit/clause.ts'
import { type Block, type EventStream, withStream } from '../../kit/stream.ts'

const addressOf = ({ kit, subject }: Scene, parameters = ''): string =>
  `GET /api/${kit.version}/event-stream?events=${subject.profile.created!.replace(/\(.*/, '')}${parameters}`

/** The next event about one of these records; others belong to other tests. */
async function eventOf(stream: EventStream, ids: readonly string[]): Promise<Block> {
  for (;;) {
    const block = await stream.next()
    if (ids.some((id) => block.data?.includes(id))) return block
  }
}

export function defineStreams(define: Define): void {
  defineRestStreams(define)
  defineGraphqlStreams(define)
}

function defineRestStreams(define: Define): void {
  define('6.4.1', ['streams', 'created'], async (scene) => {
    const { kit, subject } = scene
    await withStream(kit, addressOf(scene), { as: subject.creator }, async (stream) => {
      stream.answer.is(200).matches('Content-Type', stream.answer.headers['content-type'], /^text\/event-stream/)
      await stream.block()
      const ids = (await subject.makeMany(3)).map(({ id }) => id)
      for (const id of ids) {
        const { event, id: place, data } = await eventOf(stream, ids)
        stream.answer.has('event', event, subject.profile.created!.replace(/\(.*/, '')).matches('id', place, /./)
        stream.answer.has('the record', JSON.parse(data!).data.id, id)
      }
    })
  })

  define('6.4.2', ['streams', 'created'], async (scene) => {
    const { kit, subject } = scene
    await withStream(kit, addressOf(scene), { as: subject.creator }, async (stream) => {
      await stream.block()
      const { id, target } = await subject.make()
      const event = JSON.parse((await eventOf(stream, [id])).data!)
      const read = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
      const { [subject.profile.links?.field ?? '']: _, ...record } = read.data
      stream.answer
        .has('data', event.data, record)
        .has('type', event.type, subject.profile.created!.replace(/\(.*/, ''))
      stream.answer.matches('timestamp', event.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })
  })

  define('6.4.5', ['streams', 'created'], async (scene) => {
    const { kit } = scene
    const as = scene.subject.creator
    const requireRefusal = (line: string, status: number, headers = {}) =>
      withStream(kit, line, { as, headers }, async ({ answer }) => answer.fails(status))
    await requireRefusal(`GET /api/${kit.version}/event-stream?events=noSuchEvent`, 400)
    await requireRefusal(`GET /api/${kit.version}/event-stream`, 400)
    await requireRefusal(addressOf(scene, '&access_token=x'), 400)
    await requireRefusal(addressOf(scene), 401, { Authorization: 'Bearer not-a-token' })
  })

  define('6.4.6', ['streams', 'created'], async (scene) => {
    const { kit, subject } = scene
    const as = subject.creator
    let place = ''
    let first = ''
    await withStream(kit, addressOf(scene), { as }, async (stream) => {
      await stream.block()
      first = (await subject.make()).id
      place = (await eventOf(stream, [first])).id!
    })
    const missed = await subject.make()
    await withStream(kit, addressOf(scene), { as, headers: { 'Last-Event-ID': place } }, async (stream) => {
      const { data } = await eventOf(stream, [first, missed.id])
      stream.answer.has('the record', JSON.parse(data!).data.id, missed.id)
    })
    await withStream(kit, addressOf(scene), { as, headers: { 'Last-Event-ID': 'unknown' } }, async ({ answer }) =>
      answer.fails(410, 'EVENTS_GONE'),
    )
  })

  define('6.4.7', ['streams', 'created'], async (scene) => {
    const { kit, subject } = scene
    await withStream(kit, addressOf(scene), { as: subject.creator }, async (stream) => {
      const { retry } = await stream.block()
      stream.answer.require(Number(retry) >= 1_000 && Number(retry) <= 5_000, 'a retry of 1 to 5 s', retry ?? 'nothing')
      // Other tests keep the stream busy for a while.
      for (let at = 0; at < 2_000; at++) {
        const block = await stream.next(15_000)
        if (block.event !== 'keep-alive') continue
        stream.answer.has('data', block.data, '{}').matches('id', block.id, /./)
        return
      }
    })
  })
}

function defineGraphqlStreams(define: Define): void {
  const graphql = (scene: Scene, query: string, use: (stream: EventStream) => Promise<unknown>) =>
    withStream(scene.kit, 'POST /graphql', { as: scene.subject.creator, body: { query } }, use)

  define('6.4.4', ['streams', 'created', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    await graphql(
      scene,
      `subscription { made: ${await kit.fill(subject.profile.created!)} { id } }`,
      async (stream) => {
        stream.answer.is(200).matches('Content-Type', stream.answer.headers['content-type'], /^text\/event-stream/)
        await stream.block()
        const { id } = await subject.make()
        const { event, data, id: place } = await eventOf(stream, [id])
        stream.answer.has('event', event, 'next').matches('id', place, /./)
        stream.answer.has('data', JSON.parse(data!).data, { made: { id } })
      },
    )
    for (const [query, member] of [
      ['{ __typename }', 'data'],
      ['{ noSuchField }', 'errors'],
    ] as const)
      await graphql(scene, query, async (stream) => {
        const { event, data } = await stream.next()
        stream.answer.has('event', event, 'next')
        stream.answer.require(Object.hasOwn(JSON.parse(data!), member), member, data!)
        stream.answer.has('the last event', (await stream.next()).event, 'complete')
      })
  })
}
