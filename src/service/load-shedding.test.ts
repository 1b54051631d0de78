import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGate } from './load-shedding.ts'

const limits = { gateLookMs: 100, gateStep: 4, lateMs: 400, veryLateMs: 1_000, refuseMs: 200, calmMs: 1_000 }

/** A gate whose time passes when the test says so. */
function open(isStarted = true) {
  let now = 5_000
  const told: string[] = []
  const tell = (message: string, fields: object = {}) => void told.push(`${message} ${JSON.stringify(fields)}`)
  let endTurn = () => {}
  const afterTurn = (work: () => void) => {
    endTurn = work
  }
  const gate = createGate({ limits, now: () => now, afterTurn, log: { warn: tell, info: tell } })
  if (isStarted) gate.look()
  /** How many of so many requests are let in, each of which takes its time. */
  const ask = (count: number, eachMs: number): number => {
    let entered = 0
    for (let index = 0; index < count; index++) {
      if (!gate.enter()) continue
      entered++
      now += eachMs
    }
    return entered
  }
  const pass = (waitMs: number) => {
    now += waitMs
  }
  const turn = (waitMs: number) => {
    pass(waitMs)
    gate.look()
  }
  return { gate, told, ask, pass, turn, endTurn: () => endTurn() }
}

test('a process in time lets everybody in, and says nothing', () => {
  const { ask, turn, told } = open()
  for (let count = 0; count < 20; count++) {
    assert.equal(ask(100, 1), 100)
    turn(100)
  }
  assert.deepEqual(told, [])
})

test('however long a service takes to start, nobody is turned away for it', () => {
  const { ask, turn } = open(false)
  assert.equal(ask(100, 100), 100)
  turn(0)
  assert.equal(ask(60, 10), 60)
})

test('one stall turns nobody away', () => {
  const { ask, turn, gate } = open()
  ask(1, 900)
  assert.equal(ask(50, 0), 50)
  turn(0)
  assert.equal(ask(50, 1), 50)
  assert.equal(gate.refused, 0)
})

test('more than a turn can hold is told to come back within that turn', () => {
  const { ask } = open()
  // It is as late as it may be after 1,100 ms, and notices within four requests.
  const entered = ask(10_000, 10)
  assert(entered > 110 && entered <= 114, `${entered}`)
})

test('a process that stays late says no sooner, goes on to serve what it can, and says so once', () => {
  const { ask, turn, told } = open()
  ask(10_000, 10)
  turn(0)
  for (let count = 0; count < 5; count++) {
    const entered = ask(1_000, 10)
    assert(entered > 50 && entered <= 54, `${entered}`)
    turn(0)
  }
  assert.deepEqual(told, ['Too much is asked: some requests are told to come back. {"lateMs":1020}'])
})

test('a turn that does not end is served in part: those who come back find room', () => {
  const { ask, turn, pass } = open()
  ask(10_000, 10)
  turn(0)
  for (let count = 0; count < 3; count++) {
    const entered = ask(1_000, 10)
    assert(entered > 50 && entered <= 54, `${entered}`)
    // The time that refusing takes.
    pass(200)
  }
})

test('whoever comes in the next turn has not waited, and is let in', () => {
  const { ask, endTurn } = open()
  ask(10_000, 10)
  endTurn()
  assert.equal(ask(40, 10), 40)
})

test('it is calm again when nothing was late for a while, and only then', () => {
  const { ask, turn, told, gate } = open()
  ask(10_000, 10)
  turn(0)
  for (let count = 0; count < 9; count++) turn(100)
  ask(60, 10)
  assert.equal(ask(10, 0), 0, 'it is still on its guard')
  turn(0)
  for (let count = 0; count < 10; count++) turn(100)
  assert.equal(ask(70, 10), 70)
  assert.equal(told.length, 2)
  assert.equal(told[1], `Every request is served again. {"refused":${gate.refused}}`)
})
