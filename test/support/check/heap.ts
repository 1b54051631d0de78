// How much memory something keeps.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes of heap that are still held after `work`, garbage not counted. */
export function heldBytes(work: () => void): number {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  work()
  collectGarbage()
  return process.memoryUsage().heapUsed - before
}

/** Bytes that this process holds in the heap and in buffers, garbage not counted. */
export function heldNow(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
