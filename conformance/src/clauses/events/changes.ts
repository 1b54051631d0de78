// Subscriptions by a record, and events of changes and deletes. (6.1.3, 6.1.5, 6.2.4, 13.8, 13.9)

import { Broken, Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import type { Socket } from '../../kit/socket.ts'
import { credentials, subscribeTo, withSocket } from '../../kit/subscription.ts'

/** The subscription to what is created below this record. */
const below = ({ subject }: Scene, id: string): string => {
  const { subscription, by } = subject.profile.below!
  return `${subscription}(${camel(by)}: "${id}")`
}

const parentOf = ({ kit, subject }: Scene) => kit.subject(subject.profile.relations![subject.profile.below!.by]!)

/** The next event of a record; events of other tests come between. */
async function eventOf(socket: Socket, id: string, pick: (made: never) => { id: string }): Promise<never> {
  for (;;) {
    const { payload } = await socket.expect('next')
    if (payload.data?.made !== undefined && pick(payload.data.made as never).id === id)
      return payload.data.made as never
  }
}

export function defineChanges(define: Define): void {
  defineBelow(define)
  defineChangeEvents(define)
  defineDeleteEvents(define)
}

function defineBelow(define: Define): void {
  define('6.1.3', ['events', 'below', 'relations', 'other'], async (scene) => {
    const { kit, subject } = scene
    const parent = parentOf(scene)
    if (parent.profile.readers !== 'creator') throw new Untestable('everyone may read the record')
    const { id } = await parent.make()
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.profile.other!))
      for (const each of [id, `${id.split('_')[0]}_${'0'.repeat(26)}`]) {
        const query = `subscription { made: ${below(scene, each)} { id } }`
        await socket.send({ type: 'subscribe', id: each, payload: { query } })
        const { payload } = await socket.expect('error')
        const code = payload[0].extensions.code as string
        if (!/(?:^|_)NOT_FOUND$/.test(code)) throw new Broken(`Expected NOT_FOUND, received ${code}.`)
      }
    })
  })

  define('6.1.5', ['events', 'below', 'relations'], async (scene) => {
    const { kit, subject } = scene
    const { id, target } = await parentOf(scene).make()
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await subscribeTo(socket, below(scene, id))
      ;(await kit.send(`DELETE ${target}`, { as: parentOf(scene).creator })).is(204)
      const { payload } = await socket.expect('error', 5_000)
      const code = payload[0].extensions.code as string
      if (!/(?:^|_)NOT_FOUND$/.test(code)) throw new Broken(`Expected NOT_FOUND, received ${code}.`)
      await socket.send({ type: 'subscribe', id: 'later', payload: { query: '{ __typename }' } })
      await socket.expect('next')
    })
  })

  define('6.2.4', ['events'], async ({ kit }) => {
    await withSocket(kit, async (socket) => {
      await socket.begin()
      await socket.pinged(20_000)
    })
  })
}

function defineChangeEvents(define: Define): void {
  const subscription = ({ subject }: Scene) => {
    const { subscription: name, record, field, by } = subject.profile.changed!
    const selection = `{ ${record} { id } previous { ${camel(field)} } }`
    return { name, selection, record, field: camel(field), by }
  }
  const listen = async (scene: Scene, socket: Socket, id: string) => {
    const { name, selection, by } = subscription(scene)
    await subscribeTo(socket, by === undefined ? name : `${name}(${camel(by)}: "${id}")`, selection)
  }
  const change = async ({ kit, subject }: Scene, target: string) => {
    const { action, input } = subject.profile.changed!
    const body = await kit.fill(input)
    const line = action === undefined ? `PATCH ${target}` : `POST ${target}/${action}`
    return (await kit.send(line, { as: subject.creator, body })).is(200)
  }

  define('13.9.2', ['events', 'changed'], async (scene) => {
    const { kit, subject } = scene
    const { record, field } = subscription(scene)
    const made = await subject.make()
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await listen(scene, socket, made.id)
      await change(scene, made.target)
      const event = await eventOf(socket, made.id, (each) => each[record])
      const before = made.record[subject.profile.changed!.field] ?? null
      made.answer.has('previous', (event as { previous: object }).previous, { [field]: before })
    })
  })

  define('13.9.1', ['events', 'changed'], async (scene) => {
    const { kit, subject } = scene
    const { record } = subscription(scene)
    const [made, later] = [await subject.make(), await subject.make()]
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await listen(scene, socket, made.id)
      if (subject.profile.changed!.by === undefined) {
        await change(scene, made.target)
        await change(scene, made.target)
        await change(scene, later.target)
        const ids: string[] = []
        while (ids.at(-1) !== later.id) {
          const { payload } = await socket.expect('next')
          const { id } = payload.data.made[record]
          if (id === made.id || id === later.id) ids.push(id)
        }
        made.answer.has('the events', ids, [made.id, later.id])
      } else throw new Untestable('the subscription is by a record')
    })
  })
}

function defineDeleteEvents(define: Define): void {
  define('13.8.1', ['events', 'deleted', 'delete', 'other', 'hidden'], async (scene) => {
    const { kit, subject } = scene
    const { subscription } = subject.profile.deleted!
    await withSocket(kit, async (mine) => {
      await withSocket(kit, async (other) => {
        await mine.begin(await credentials(kit, subject.creator))
        await other.begin(await credentials(kit, subject.profile.other!))
        await Promise.all([subscribeTo(mine, subscription), subscribeTo(other, subscription)])
        const { id, target, answer } = await subject.make()
        ;(await kit.send(`DELETE ${target}`, { as: subject.creator })).is(204)
        await eventOf(mine, id, (each) => each)
        await other.send({ type: 'subscribe', id: 'later', payload: { query: '{ __typename }' } })
        for (;;) {
          const message = await other.expect('next')
          if (message.id === 'later') break
          answer.require(message.payload.data.made.id !== id, 'no event of a hidden record', id)
        }
      })
    })
  })

  define('13.8.2', ['events', 'deleted', 'delete', 'text'], async (scene) => {
    const { kit, subject } = scene
    const { subscription } = subject.profile.deleted!
    const { field } = subject.profile.text!
    await withSocket(kit, async (socket) => {
      await socket.begin(await credentials(kit, subject.creator))
      await subscribeTo(socket, subscription, `{ __typename id ${camel(field)} }`)
      const { id, target, answer, record } = await subject.make()
      ;(await kit.send(`DELETE ${target}`, { as: subject.creator })).is(204)
      const event = await eventOf(socket, id, (each) => each)
      const expected = { __typename: `Deleted${subject.profile.type}`, id, [camel(field)]: record[field] }
      answer.has('the payload', event, expected)
    })
  })
}
