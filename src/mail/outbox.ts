// Work that nobody waits for, such as sending mail: a few at a time, the rest in a queue with an end.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'

export interface OutboxGiven<Job> {
  /** What is to be done for each; what it rejects with goes to the log. */
  readonly work: (job: Job) => Promise<void>
  readonly log: Pick<Log, 'error'>
  readonly limits: Pick<Limits, 'mailsWaiting' | 'mailsAtOnce' | 'mailDrainMs'>
}
export interface Outbox<Job> {
  /** Never fails and never waits. Where too many wait, this one is dropped and the log says so. */
  add(job: Job): void
  /** Resolves when all that was added is done, or time is up: what is still waiting is dropped then, and the log says so. */
  close(): Promise<void>
}

export function createOutbox<Job>({ work, log, limits }: OutboxGiven<Job>): Outbox<Job> {
  const waiting: Job[] = []
  const running = new Set<Promise<void>>()

  function next(): void {
    if (running.size >= limits.mailsAtOnce || waiting.length === 0) return
    const done = attempt(waiting.shift()!).finally(() => {
      running.delete(done)
      next()
    })
    running.add(done)
  }
  async function attempt(job: Job): Promise<void> {
    try {
      await work(job)
    } catch (error) {
      // Nobody waits who could be told.
      log.error('A mail could not be sent.', { err: error })
    }
  }
  async function finish(): Promise<void> {
    while (running.size > 0 || waiting.length > 0) {
      next()
      await Promise.all(running)
    }
  }
  return {
    add(job) {
      if (waiting.length >= limits.mailsWaiting) {
        log.error('Too many mails are waiting: one was dropped.', { waiting: waiting.length })
        return
      }
      waiting.push(job)
      // In a later turn of the event loop, so that whoever added it is answered first.
      setImmediate(next)
    },
    async close() {
      const timeIsUp = Promise.withResolvers<void>()
      const timer = setTimeout(timeIsUp.resolve, limits.mailDrainMs)
      await Promise.race([finish(), timeIsUp.promise])
      clearTimeout(timer)
      const dropped = waiting.splice(0).length
      if (dropped > 0) log.error('Mails were dropped, as there was no time left to send them.', { dropped })
    },
  }
}
