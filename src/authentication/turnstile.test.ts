// Bounded work: so many at once, so many waiting, the rest turned away. (F9 of the security cases)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createTurnstile } from './turnstile.ts'

/** Work that ends when it is told to. */
function createJobs() {
  const ends: (() => void)[] = []
  const started: number[] = []
  const start = (name: number) => () => {
    started.push(name)
    return new Promise<number>((resolve) => ends.push(() => resolve(name)))
  }
  return { started, start, endNext: () => ends.shift()?.() }
}
const settle = () => new Promise(setImmediate)

describe('the turnstile', () => {
  it('lets two in and two wait, in order, and turns the fifth away', async () => {
    const turnstile = createTurnstile(2, 2)
    const jobs = createJobs()
    const passed = [1, 2, 3, 4].map((name) => turnstile.pass(jobs.start(name)))
    await assert.rejects(
      turnstile.pass(jobs.start(5)),
      (error) => error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfterSeconds === 1,
    )
    assert.deepEqual(jobs.started, [1, 2])
    jobs.endNext()
    await settle()
    assert.deepEqual(jobs.started, [1, 2, 3])
    for (let round = 0; round < 3; round += 1) {
      jobs.endNext()
      await settle()
    }
    assert.deepEqual(await Promise.all(passed), [1, 2, 3, 4])
    assert.deepEqual(jobs.started, [1, 2, 3, 4])
  })

  it('frees the place of work that failed', async () => {
    const turnstile = createTurnstile(1, 0)
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(
        turnstile.pass(() => Promise.reject(new Error('broken'))),
        /broken/,
      )
    }
    assert.equal(await turnstile.pass(async () => 'done'), 'done')
  })

  it('never has more inside than it may, however they come and go', async () => {
    const turnstile = createTurnstile(3, 1000)
    let [inside, most] = [0, 0]
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await settle()
      inside -= 1
    }
    await Promise.all(Array.from({ length: 200 }, () => turnstile.pass(work)))
    assert.equal(most, 3)
  })
})
