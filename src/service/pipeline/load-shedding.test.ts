import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefusalThrottle, LoadShedder } from './load-shedding.ts'

const limits = { lagSampleMs: 100, lagCredit: 4, lateMs: 400, veryLateMs: 1_000, refuseMs: 200, calmMs: 1_000 }

/** A load shedder whose clock the test sets. */
function open(isStarted = true) {
  let now = 5_000
  const lines: string[] = []
  const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  let endTurn = () => {}
  const afterTurn = (work: () => void) => {
    endTurn = work
  }
  const shedder = new LoadShedder({ limits, now: () => now, afterTurn, log: { warn: write, info: write } })
  if (isStarted) shedder.sample()
  /** Sends `count` requests that take `eachMs` each; answers how many were admitted. */
  const send = (count: number, eachMs: number): number => {
    let admitted = 0
    for (let index = 0; index < count; index++) {
      if (!shedder.admit()) continue
      admitted++
      now += eachMs
    }
    return admitted
  }
  const pass = (waitMs: number) => {
    now += waitMs
  }
  const turn = (waitMs: number) => {
    pass(waitMs)
    shedder.sample()
  }
  return { shedder, lines, send, pass, turn, endTurn: () => endTurn() }
}

test('a process without lag admits every request and logs nothing', () => {
  const { send, turn, lines } = open()
  for (let count = 0; count < 20; count++) {
    assert.equal(send(100, 1), 100)
    turn(100)
  }
  assert.deepEqual(lines, [])
})

test('a slow start refuses no request', () => {
  const { send, turn } = open(false)
  assert.equal(send(100, 100), 100)
  turn(0)
  assert.equal(send(60, 10), 60)
})

test('a single stall refuses no request', () => {
  const { send, turn, shedder } = open()
  send(1, 900)
  assert.equal(send(50, 0), 50)
  turn(0)
  assert.equal(send(50, 1), 50)
  assert.equal(shedder.refused, 0)
})

test('more than one turn can answer is refused within that turn', () => {
  const { send } = open()
  // It is as late as it may be after 1,100 ms, and notices within four requests.
  const admitted = send(10_000, 10)
  assert(admitted > 110 && admitted <= 114, `${admitted}`)
})

test('a process that stays late refuses earlier, goes on serving what it can, and logs it once', () => {
  const { send, turn, lines } = open()
  send(10_000, 10)
  turn(0)
  for (let count = 0; count < 5; count++) {
    const admitted = send(1_000, 10)
    assert(admitted > 50 && admitted <= 54, `${admitted}`)
    turn(0)
  }
  assert.deepEqual(lines, ['Overloaded: some requests get 503 with Retry-After. {"lateMs":1020}'])
})

test('a turn that does not end is served in part: clients that retry are admitted', () => {
  const { send, turn, pass } = open()
  send(10_000, 10)
  turn(0)
  for (let count = 0; count < 3; count++) {
    const admitted = send(1_000, 10)
    assert(admitted > 50 && admitted <= 54, `${admitted}`)
    // The time that refusing takes.
    pass(200)
  }
})

test('requests of the next turn have not waited, and are admitted', () => {
  const { send, endTurn } = open()
  send(10_000, 10)
  endTurn()
  assert.equal(send(40, 10), 40)
})

test('overload ends after a while without lag, and not before', () => {
  const { send, turn, lines, shedder } = open()
  send(10_000, 10)
  turn(0)
  for (let count = 0; count < 9; count++) turn(100)
  send(60, 10)
  assert.equal(send(10, 0), 0, 'the smaller lag still counts')
  turn(0)
  for (let count = 0; count < 10; count++) turn(100)
  assert.equal(send(70, 10), 70)
  assert.equal(lines.length, 2)
  assert.equal(lines[1], `Every request is served again. {"refused":${shedder.refused}}`)
})

function openThrottle() {
  let now = 5_000
  const limits = { refusalsPerSecond: 100, refusalsAtOnce: 5, refusalHoldMs: 200 }
  const hold = createRefusalThrottle({ limits, now: () => now })
  return {
    holds: (count: number) => Array.from({ length: count }, hold),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a burst is sent at once, the rest at the rate', () => {
  const { holds } = openThrottle()
  assert.deepEqual(holds(8), [0, 0, 0, 0, 0, 10, 20, 30])
})

test('below the rate no refusal is held back', () => {
  const { holds, pass } = openThrottle()
  for (let count = 0; count < 1_000; count++) {
    assert.deepEqual(holds(1), [0])
    pass(10)
  }
})

test('no refusal is held back longer than the limit, and none once the burst is over', () => {
  const { holds, pass } = openThrottle()
  assert.equal(holds(10_000).at(-1), 200)
  pass(100)
  assert.deepEqual(holds(1), [110])
  pass(250)
  assert.deepEqual(holds(5), [0, 0, 0, 0, 0])
})
