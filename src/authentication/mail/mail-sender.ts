// Sends the mails that wait, each until it is sent or its lifetime ends. (contract 4.13.7)

import { WakeLoop } from '../../concurrency/wake-loop.ts'
import { isUnavailable } from '../../failure/failure.ts'
import type { Mail } from '../../mail/mailer.ts'
import { Outage } from '../../observation/outage.ts'
import type { Parts } from '../parts.ts'
import type { MailKind, WaitingMail } from './mail-store.ts'

/** Makes the token of a mail, and its text; null if there is nothing to send. */
export type ComposeMail = (mail: WaitingMail, now: Date) => Promise<Mail | null>

export interface MailSender {
  /** Looks for mails that are due, and returns at once. */
  wake(): void
  /** Resolves when the mails being sent are, or after `mailDrainMs`; the rest waits for the next start. */
  close(): Promise<void>
}
interface MailSenderDependencies extends Pick<Parts, 'store' | 'mails' | 'clock' | 'log' | 'limits'> {
  readonly compose: Readonly<Record<MailKind, ComposeMail>>
  readonly send: (mail: Mail) => Promise<void>
}

const firstPauseMs = 5_000
const longestPauseMs = 600_000

export function createMailSender(dependencies: MailSenderDependencies): MailSender {
  const { store, mails, compose, send, clock, log, limits } = dependencies
  const timers = new Set<NodeJS.Timeout>()
  const loop = new WakeLoop({ work: look, outage: new Outage(log, 'Mails that wait could not be read; they will be.') })

  async function sendOne(mail: WaitingMail): Promise<void> {
    try {
      const composed = await compose[mail.kind](mail, clock())
      if (composed !== null) await send(composed)
      await store.write(() => mails.remove(mail.id))
    } catch (error) {
      // The loop reports a database that is unavailable, once.
      if (isUnavailable(error)) throw error
      log.error('A mail could not be sent.', { err: error })
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (mail.attempts - 1))
      const dueAt = new Date(clock().getTime() + pauseMs)
      await store.write(() => (dueAt < mail.until ? mails.postpone(mail.id, dueAt) : mails.remove(mail.id)))
      wakeIn(pauseMs)
    }
  }

  function wakeIn(pauseMs: number): void {
    if (loop.isStopping) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      loop.wake()
    }, pauseMs).unref()
    timers.add(timer)
  }

  async function look(): Promise<void> {
    // Later, so that the caller's response is sent first.
    await new Promise(setImmediate)
    const now = clock()
    // Sending has its own time limit; the rest is for the statements around it.
    const until = new Date(now.getTime() + 2 * limits.mailTimeoutMs)
    const due = await store.write(() => mails.claim(limits.mailsAtOnce, until, now))
    if (due.length === limits.mailsAtOnce) loop.wake()
    await Promise.all(due.map(sendOne))
  }

  return {
    wake: loop.wake,
    async close() {
      const stopped = loop.stop()
      for (const timer of timers) clearTimeout(timer)
      const timeIsUp = Promise.withResolvers<void>()
      const timer = setTimeout(timeIsUp.resolve, limits.mailDrainMs)
      await Promise.race([stopped, timeIsUp.promise])
      clearTimeout(timer)
    },
  }
}
