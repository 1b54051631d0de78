// Values that no service holds, and effects that take a moment.

import { setTimeout as pause } from 'node:timers/promises'
import { Broken } from './answer.ts'
import type { Subject } from './kit.ts'

/** An id of the right form that belongs to no record, as far as the prefix can be seen from a record of this run. */
export const missingId = (subject: Subject): string =>
  `${subject.profile.type.toLowerCase().slice(0, 3)}_${'0'.repeat(26)}`

/** Texts that JSON can hold and that no text field takes. */
export const unreadableTexts: Readonly<Record<string, string>> = {
  NUL: '"a\\u0000b"',
  'a lone surrogate': '"\\ud800"',
}

/** Repeats until it holds, for as long as the contract promises that its effect takes; then it is broken. */
export async function within<T>(promisedMs: number, attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + promisedMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Broken) || performance.now() > end) throw error
      await pause(20)
    }
  }
}
