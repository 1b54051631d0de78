// A bounded queue of background jobs, such as sending mail.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { Semaphore } from './semaphore.ts'

export interface JobQueueOptions<Job> {
  /** A rejection is logged. */
  readonly work: (job: Job) => Promise<void>
  readonly log: Pick<Log, 'error'>
  readonly limits: Pick<Limits, 'mailsWaiting' | 'mailsAtOnce' | 'mailDrainMs'>
}
export interface JobQueue<Job> {
  /** Never fails and never waits. If the queue is full, drops the job and logs that. */
  add(job: Job): void
  /** Resolves when every job is done, or after `mailDrainMs`: then drops queued jobs and logs that. */
  close(): Promise<void>
}

export function createJobQueue<Job>({ work, log, limits }: JobQueueOptions<Job>): JobQueue<Job> {
  const queue: Job[] = []
  const semaphore = new Semaphore(limits.mailsAtOnce)

  /** Does nothing if the job was dropped. */
  async function runNext(): Promise<void> {
    if (queue.length === 0) return
    try {
      await work(queue.shift()!)
    } catch (error) {
      log.error('A mail could not be sent.', { err: error })
    }
  }
  async function drained(): Promise<void> {
    // Jobs added in this turn begin in the next.
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
      // Later, so that the caller's response is sent first.
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
