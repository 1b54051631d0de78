// Bounded work: so many at once, so many in the queue, the rest refused.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'

/** Work that ends with `endNext`. */
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

describe('the concurrency limit', () => {
  it('runs two, queues two in order, and refuses the fifth', async () => {
    const limit = createConcurrencyLimit(2, 2)
    const jobs = createJobs()
    const passed = [1, 2, 3, 4].map((name) => limit.run(jobs.start(name)))
    await assert.rejects(
      limit.run(jobs.start(5)),
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

  it('frees the slot of work that failed', async () => {
    const limit = createConcurrencyLimit(1, 0)
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(
        limit.run(() => Promise.reject(new Error('broken'))),
        /broken/,
      )
    }
    assert.equal(await limit.run(async () => 'done'), 'done')
  })

  it('never runs more at once than it may, however they come and go', async () => {
    const limit = createConcurrencyLimit(3, 1000)
    let [running, most] = [0, 0]
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await settle()
      running -= 1
    }
    await Promise.all(Array.from({ length: 200 }, () => limit.run(work)))
    assert.equal(most, 3)
  })
})
