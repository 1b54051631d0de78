// Writes log lines: many at once, without waiting, and buffering no more than a bound while nobody reads them.

import { writeSync } from 'node:fs'
import { pino } from 'pino'
import type { Limits } from '../limits.ts'

export interface LogDestination {
  /** Takes a whole line. An urgent one is written at once, with all that came before it. */
  write(line: string, isUrgent: boolean): void
  /** Writes what is left, and waits for that, `logCloseMs` at the longest. For the very end of the process. */
  close(): void
  /** Lines that were lost because nobody read them. */
  readonly lost: number
}
type DestinationLimits = Pick<Limits, 'logBufferBytes' | 'logFlushMs' | 'logCloseMs'>

// What a pipe takes in one write.
const batchLength = 16_384

/** Writes to a file descriptor, such as 1 for stdout. Lines are dropped once its reader is gone. */
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
    // The pipe is full because its reader has stalled: the process must be able to end all the same.
    retryEAGAIN: () => performance.now() < giveUpAt,
  } as never)
  let batch = Buffer.allocUnsafeSlow(batchLength)
  let length = 0
  let lines = 0
  let timer: NodeJS.Timeout | null = null
  let lost = 0
  let reported = 0

  stream.on('drop', () => {
    lost += lines
  })
  // Such as a full disk. What could not be written is tried again with the next line, while the buffer has room.
  stream.on('error', () => {})
  stream.on('drain', () => {
    if (lost === reported) return
    const fields = `"time":"${new Date().toISOString()}","msg":"Log lines were lost, since nobody read them."`
    const line = `{"level":"warn",${fields},"lines":${lost - reported}}\n`
    reported = lost
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
      // Encoded at once: the parts of a text would outlive their request, and take several times as much memory.
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
        // Nobody reads any more, and pino must not try again.
        stream.destroy()
      }
    },
    get lost() {
      return lost
    },
  }
}
