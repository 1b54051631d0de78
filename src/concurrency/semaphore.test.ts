// Bounded work: so many at once, so many in the queue, the rest refused.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { Semaphore } from './semaphore.ts'

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

describe('a semaphore', () => {
  it('runs two, queues two in order, and refuses the fifth', async () => {
    const semaphore = new Semaphore(2, 2)
    const jobs = createJobs()
    const results = [1, 2, 3, 4].map((name) => semaphore.run(jobs.start(name)))
    await assert.rejects(
      semaphore.run(jobs.start(5)),
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
    assert.deepEqual(await Promise.all(results), [1, 2, 3, 4])
    assert.deepEqual(jobs.started, [1, 2, 3, 4])
  })

  it('frees the place of work that failed', async () => {
    const semaphore = new Semaphore(1, 0)
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(
        semaphore.run(() => Promise.reject(new Error('broken'))),
        /broken/,
      )
    }
    assert.equal(await semaphore.run(async () => 'done'), 'done')
  })

  it('never runs more at once than it may, however they come and go', async () => {
    const semaphore = new Semaphore(3, 1000)
    let [running, most] = [0, 0]
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await settle()
      running -= 1
    }
    await Promise.all(Array.from({ length: 200 }, () => semaphore.run(work)))
    assert.equal(most, 3)
  })

  it('is drained once nothing runs and nothing waits, as often as that is', async () => {
    const semaphore = new Semaphore(1)
    const jobs = createJobs()
    await semaphore.drained()
    for (let round = 0; round < 2; round += 1) {
      const results = [1, 2].map((name) => semaphore.run(jobs.start(name)))
      let isDrained = false
      const drained = semaphore.drained().then(() => {
        isDrained = true
      })
      jobs.endNext()
      await settle()
      assert.equal(isDrained, false, 'the second one runs')
      jobs.endNext()
      await Promise.all([...results, drained])
      assert.equal(isDrained, true)
    }
  })
})
