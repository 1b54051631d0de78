import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionRoom, SharedRoom } from './answer-room.ts'
import { AnswerSize } from './answer-size.ts'

const step = 65_536
const sizeIn = (room: SharedRoom, answerBytes = 10 * step) => new AnswerSize({ answerBytes, busyRetrySeconds: 2 }, room)
const tooLarge = { code: 'QUERY_TOO_COMPLEX', message: `The answer exceeds the maximum of ${10 * step} bytes.` }

test('small answers ask for no room, large ones in steps, and at the end for what they are (contract 8.4.7)', () => {
  const room = new SharedRoom(10 * step)
  const size = sizeIn(room)
  size.grow(step)
  assert.equal(room.heldBytes, 0)
  size.grow(step + 1)
  assert.equal(room.heldBytes, step)
  size.grow(3 * step)
  assert.equal(room.heldBytes, 2 * step)
  size.finish('é'.repeat(step))
  assert.equal(room.heldBytes, 2 * step)
  size.finish('x'.repeat(step))
  assert.equal(room.heldBytes, step)
  size.release()
  size.release()
  assert.equal(room.heldBytes, 0)
})

test('an answer grows up to the maximum, in characters while it is made and in bytes at the end (contract 8.4.6)', () => {
  const size = sizeIn(new SharedRoom(100 * step))
  size.grow(10 * step)
  assert.throws(() => size.grow(10 * step + 1), tooLarge)
  const ended = sizeIn(new SharedRoom(100 * step))
  ended.finish('é'.repeat(5 * step))
  assert.throws(() => ended.finish(`${'é'.repeat(5 * step)}x`), tooLarge)
  assert.equal(ended.failure?.code, 'QUERY_TOO_COMPLEX')
})

test('what is read is counted once all of it may be too much, and holds the room of what is printed (contract 8.4.6)', () => {
  const room = new SharedRoom(100 * step)
  const size = sizeIn(room)
  const margin = 16 * step
  assert.deepEqual([size.needsCount(20 * step), size.needsCount(6 * step), size.needsCount(1)], [false, false, true])
  size.addRead(6 * step)
  assert.equal(room.heldBytes, 5 * step)
  size.grow(6 * step)
  assert.equal(room.heldBytes, 5 * step)
  size.addRead(-6 * step)
  size.addRead(10 * step + margin)
  assert.throws(() => size.addRead(1), tooLarge)
  const { failure } = size
  // What another statement gives back fails for nobody, and one more fails with the same.
  size.addRead(-1)
  assert.throws(
    () => size.addRead(step),
    (error) => error === failure,
  )
})

test('errors count beside what is answered (contract 8.4.6)', () => {
  const size = sizeIn(new SharedRoom(100 * step))
  let errors = 0
  assert.throws(() => {
    for (; ; errors++) size.addError()
  }, tooLarge)
  assert.ok(errors > 1_000 && errors < 10_000, `${errors} errors`)
})

test('without room an answer is 503, and a client that holds room in vain is closed (contract 8.4.7)', () => {
  const room = new SharedRoom(4 * step)
  const held = new ConnectionRoom(room)
  room.onFull(() => held.close())
  assert.equal(held.take(3 * step), true)
  const size = sizeIn(room)
  assert.throws(() => size.grow(3 * step + 1), { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 })
  assert.equal(room.heldBytes, 0)
  const next = sizeIn(room)
  next.grow(3 * step + 1)
  assert.equal(room.heldBytes, 3 * step)
})

test('a connection that is gone gives everything back, once, and takes nothing more (contract 8.4.7)', () => {
  const room = new SharedRoom(4 * step)
  const connection = new ConnectionRoom(room)
  assert.equal(connection.take(2 * step), true)
  connection.close()
  connection.give(2 * step)
  assert.deepEqual([room.heldBytes, connection.take(1)], [0, false])
})
