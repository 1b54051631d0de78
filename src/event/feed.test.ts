import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { openFeed } from './feed.ts'
import type { Outbox, OutboxEvent, Position } from './outbox.ts'

const at = (number: bigint): Position => ({ transaction: 0n, number })
const three = [1n, 2n, 3n].map((number) => ({ id: String(number), position: at(number) })) as OutboxEvent[]

/** Hands on three events; answers the ids in the order in which `deliver` got them, and what was logged. */
async function handedOn(deliver: (id: string, attempt: number, position: Position) => void) {
  const outbox = {
    end: async () => at(0n),
    poll: async (position, limit) => {
      const events = three.filter((each) => each.position.number > position.number).slice(0, limit)
      return { events, isHeldBack: false }
    },
  } as Partial<Outbox> as Outbox
  const messages: string[] = []
  const log = {
    info: () => {},
    warn: (text: string) => messages.push(text),
    error: (text: string) => messages.push(text),
  }
  const got: string[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const feed = await openFeed({
    outbox,
    log,
    pollMs: 1,
    heldBackMs: 1,
    batch: 10,
    deliver: async ([event]) => {
      got.push(event!.id)
      deliver(event!.id, got.filter((each) => each === event!.id).length, feed.position)
      if (event!.id === '3') resolve()
    },
  })
  feed.wake()
  // The timers of a feed keep no process alive.
  const alive = setInterval(() => {}, 1_000)
  await all
  clearInterval(alive)
  await feed.close()
  return { got, messages, position: feed.position }
}

test('6.1.4 a failure in the middle repeats nothing that was handed on before', async () => {
  const { got, position } = await handedOn((id, attempt) => {
    if (id === '2' && attempt === 1) throw new Failure('SERVICE_UNAVAILABLE')
  })
  assert.deepEqual(got, ['1', '2', '2', '3'])
  assert.deepEqual(position, at(3n))
})

test('6.1.4 an event that can never be handed on keeps back none that follows', async () => {
  const { got, messages } = await handedOn((id, attempt) => {
    if (id === '2' && attempt < 5) throw new TypeError('a bug')
  })
  assert.deepEqual(got, ['1', '2', '3'])
  assert.deepEqual(messages, ['An event could not be handed on.'])
})

test('6.1.4 an event that is being handed on is in the past of a new subscriber', async () => {
  const positions: Position[] = []
  await handedOn((_, __, position) => positions.push(position))
  assert.deepEqual(positions, [at(1n), at(2n), at(3n)])
})

test('6.1.4 it has settled once it has handed on what was held back, too', async () => {
  let looks = 0
  const outbox = {
    end: async () => at(0n),
    // Somebody's older transaction ends while the third look is taken.
    poll: async ({ number }: Position) => {
      looks++
      if (looks < 3) return { events: [], isHeldBack: true }
      return { events: three.filter(({ position }) => position.number > number), isHeldBack: false }
    },
    after: async () => [],
  } as Partial<Outbox> as Outbox
  const log = { info: assert.fail, warn: assert.fail, error: assert.fail }
  const got: string[] = []
  const forLong = 600_000
  const deliver = (events: readonly OutboxEvent[]) => void got.push(...events.map(({ id }) => id))
  const feed = await openFeed({ outbox, log, deliver, pollMs: forLong, heldBackMs: forLong, batch: 10 })
  await feed.settled()
  assert.deepEqual(got, ['1', '2', '3'])
  await feed.close()
})
