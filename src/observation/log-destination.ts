// Where log lines leave the process: many in one write, never waited for, and never more kept than a bound when nobody
// reads them.

import { writeSync } from 'node:fs'
import { pino } from 'pino'
import type { Limits } from '../limits.ts'

export interface LogDestination {
  /** Takes a whole line. What is urgent leaves at once, with all that came before it. */
  write(line: string, isUrgent: boolean): void
  /** Writes what is left, and waits for that, `logCloseMs` at the longest. For the very end of the process. */
  close(): void
  /** Lines that were lost since nobody read them. */
  readonly lost: number
}
type DestinationLimits = Pick<Limits, 'logBufferBytes' | 'logFlushMs' | 'logCloseMs'>

// As much as a pipe takes in one piece.
const batchLength = 16_384

/** Writes to a file descriptor, such as 1 for stdout. What a reader who went away does not read is nobody's any more. */
export function openLogDestination(
  fd: number,
  { logBufferBytes, logFlushMs, logCloseMs }: DestinationLimits,
): LogDestination {
  let giveUpAt = Number.POSITIVE_INFINITY
  const stream = pino.destination({
    dest: fd,
    sync: false,
    maxLength: logBufferBytes,
    contentMode: 'buffer',
    // A pipe that is full, for its reader has stalled: the end of the process must not wait for it for ever.
    retryEAGAIN: () => performance.now() < giveUpAt,
  } as never)
  let batch = Buffer.allocUnsafeSlow(batchLength)
  let length = 0
  let lines = 0
  let timer: NodeJS.Timeout | null = null
  let lost = 0
  let told = 0

  stream.on('drop', () => {
    lost += lines
  })
  // A full disk, for one. What could not be written is tried again with the next line, as far as there is room to keep it.
  stream.on('error', () => {})
  stream.on('drain', () => {
    if (lost === told) return
    const fields = `"time":"${new Date().toISOString()}","msg":"Log lines were lost, since nobody read them."`
    const line = `{"level":"warn",${fields},"lines":${lost - told}}\n`
    told = lost
    stream.write(Buffer.from(line) as never)
  })

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (length === 0) return
    const full = batch.subarray(0, length)
    batch = Buffer.allocUnsafeSlow(batchLength)
    length = 0
    stream.write(full as never)
    lines = 0
  }

  return {
    write(line, isUrgent) {
      // As bytes at once: kept as text, its many parts would outlive their request, and cost several times as much.
      const most = 3 * line.length
      if (length + most > batchLength) flush()
      if (most > batchLength) batch = Buffer.allocUnsafeSlow(most)
      length += batch.write(line, length)
      lines++
      if (isUrgent) flush()
      else timer ??= setTimeout(flush, logFlushMs).unref()
    },
    close() {
      giveUpAt = performance.now() + logCloseMs
      // The stream was never there, or the reader has gone.
      try {
        stream.flushSync()
        for (let written = 0; written < length; ) written += writeSync(fd, batch, written, length - written)
        length = 0
      } catch {
        // There is nobody left to tell; pino must not try again.
        stream.destroy()
      }
    },
    get lost() {
      return lost
    },
  }
}
