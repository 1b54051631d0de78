// A bounded queue of background jobs, such as sending mail: a few run at a time.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { Semaphore } from './semaphore.ts'

export interface JobQueueOptions<Job> {
  /** Runs one job; a rejection is logged. */
  readonly work: (job: Job) => Promise<void>
  readonly log: Pick<Log, 'error'>
  readonly limits: Pick<Limits, 'mailsWaiting' | 'mailsAtOnce' | 'mailDrainMs'>
}
export interface JobQueue<Job> {
  /** Never fails and never waits. If the queue is full, the job is dropped, and that is logged. */
  add(job: Job): void
  /** Resolves when every job is done, or after `mailDrainMs`: then those still queued are dropped, and that is logged. */
  close(): Promise<void>
}

export function createJobQueue<Job>({ work, log, limits }: JobQueueOptions<Job>): JobQueue<Job> {
  const queue: Job[] = []
  const semaphore = new Semaphore(limits.mailsAtOnce)

  /** Runs the first that waits, unless it was dropped. */
  async function runNext(): Promise<void> {
    if (queue.length === 0) return
    try {
      await work(queue.shift()!)
    } catch (error) {
      log.error('A mail could not be sent.', { err: error })
    }
  }
  async function drained(): Promise<void> {
    // What was added in this turn of the event loop begins in the next.
    await new Promise(setImmediate)
    await semaphore.drained()
  }
  return {
    add(job) {
      if (queue.length >= limits.mailsWaiting) {
        log.error('Too many mails are waiting: one was dropped.', { waiting: queue.length })
        return
      }
      queue.push(job)
      // In a later turn of the event loop, so that the caller's response is sent first.
      setImmediate(() => semaphore.run(runNext))
    },
    async close() {
      const timeIsUp = Promise.withResolvers<void>()
      const timer = setTimeout(timeIsUp.resolve, limits.mailDrainMs)
      await Promise.race([drained(), timeIsUp.promise])
      clearTimeout(timer)
      const dropped = queue.splice(0).length
      if (dropped > 0) log.error('Mails were dropped, as there was no time left to send them.', { dropped })
    },
  }
}
