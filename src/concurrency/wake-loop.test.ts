import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outage } from '../observation/outage.ts'
import { WakeLoop } from './wake-loop.ts'

/** A loop whose runs end when the test says so. */
function heldLoop(restMs = 0) {
  const runs: PromiseWithResolvers<void>[] = []
  const lines: string[] = []
  const log = { warn: (line: string) => void lines.push(line), info: (line: string) => void lines.push(line) }
  const work = () => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  }
  return { runs, lines, loop: new WakeLoop({ work, restMs, outage: new Outage(log, 'It fails.', 'It works.') }) }
}
const turn = () => new Promise(setImmediate)

test('works once at a time, and once more if it was woken meanwhile', async () => {
  const { runs, loop } = heldLoop()
  loop.wake()
  loop.wake()
  loop.wake()
  assert.equal(runs.length, 1)
  runs[0]!.resolve()
  await turn()
  assert.equal(runs.length, 2)
  runs[1]!.resolve()
  await turn()
  assert.deepEqual([runs.length, loop.isRunning], [2, false])
})

test('rests before it works again, and starts nothing more after a stop', async () => {
  const { runs, loop } = heldLoop(20)
  loop.wake()
  loop.wake()
  runs[0]!.resolve()
  const begun = performance.now()
  while (runs.length === 1) await turn()
  // Timers may be a millisecond early.
  assert.ok(performance.now() - begun >= 19)
  loop.wake()
  runs[1]!.resolve()
  await loop.stop()
  assert.equal(runs.length, 2)
})

test('woken in the moment in which a run ends, it works again', async () => {
  const { runs, loop } = heldLoop()
  loop.wake()
  runs[0]!.resolve()
  // After the last look at whether it was woken, before the run has ended.
  await null
  loop.wake()
  await turn()
  assert.equal(runs.length, 2)
  runs[1]!.resolve()
  await loop.stop()
})

test('reports a failure once, and works again at the next call', async () => {
  const { runs, lines, loop } = heldLoop()
  for (const isWorking of [false, false, true, true]) {
    loop.wake()
    if (isWorking) runs.at(-1)!.resolve()
    else runs.at(-1)!.reject(new Error('lost'))
    await turn()
  }
  assert.deepEqual([runs.length, lines], [4, ['It fails.', 'It works.']])
})

test('a stop waits for the run, and starts no other', async () => {
  const { runs, loop } = heldLoop()
  loop.start(1)
  loop.wake()
  loop.wake()
  let isStopped = false
  const stopped = loop.stop().then(() => {
    isStopped = true
  })
  await turn()
  assert.equal(isStopped, false)
  runs[0]!.resolve()
  await stopped
  loop.wake()
  assert.equal(runs.length, 1)
})
