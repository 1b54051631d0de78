// How busy a process is with one request, while others wait. (contract 8.5.6)

import assert from 'node:assert/strict'
import { mainThreadMs } from './processor-time.ts'

/** How long this thread may be busy while another request waits: some milliseconds, or seconds if it is held up. */
const busyMaxMs = 1_000

/**
 * Sends one request after the other until the hostile one has ended, and fails if one of them waits for its work. Returns the answer to the
 * hostile one, and the number of answers of the others: few, if they wait for the database with it.
 */
export async function assertOthersAnswered<T>(
  hostile: Promise<T>,
  ask: () => Promise<{ readonly status: number }>,
): Promise<{ readonly answer: T; readonly count: number }> {
  let hasEnded = false
  const ended = hostile.finally(() => {
    hasEnded = true
  })
  ended.catch(() => undefined)
  let count = 0
  while (!hasEnded) {
    const ranMs = mainThreadMs()
    const { status } = await ask()
    const busyMs = mainThreadMs() - ranMs
    assert.equal(status, 200)
    assert(busyMs < busyMaxMs, `another request waits for ${busyMs.toFixed()} ms of work`)
    count++
  }
  return { answer: await ended, count }
}
