// Passwords: hashed off the main thread, a few at a time, and checked in the same time whether or not there is one.
// (contract 5)

import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { createTurnstile } from './turnstile.ts'

/**
 * Both take a password as it was sent, and hash its NFKC form: keyboards compose the same characters differently. Both are
 * SERVICE_UNAVAILABLE, with Retry-After, when too many passwords wait to be hashed.
 */
export interface Passwords {
  /** A PHC string, with a salt of its own. */
  hash(password: string): Promise<string>
  /**
   * True where the password is the one that was hashed. Without a hash (nobody has that e-mail address) it does the same
   * work and is false; so it is with a hash that is damaged, which is logged, though not quoted.
   */
  verify(stored: string | null, password: string): Promise<boolean>
}

/** Argon2id: 19 MiB, two passes, one lane. Hashes made with other costs are verified as they say themselves. */
const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export async function createPasswords(
  limits: Pick<Limits, 'passwordHashesAtOnce' | 'passwordHashesWaiting'>,
  log: Pick<Log, 'error'>,
): Promise<Passwords> {
  const turnstile = createTurnstile(limits.passwordHashesAtOnce, limits.passwordHashesWaiting)
  const hashOfNobody = await hash(randomBytes(32), costs)

  async function verifyAs(stored: string, password: string): Promise<boolean> {
    try {
      return await verify(stored, password)
    } catch (cause) {
      // The library throws where the hash is not one. To the person it is a password that does not fit.
      log.error('A stored password hash is damaged.', { err: cause })
      return verifyAsNobody(password)
    }
  }
  async function verifyAsNobody(password: string): Promise<boolean> {
    await verify(hashOfNobody, password)
    return false
  }

  return {
    hash: (password) => turnstile.pass(() => hash(password.normalize('NFKC'), costs)),
    verify(stored, password) {
      const normalized = password.normalize('NFKC')
      return turnstile.pass(() => (stored === null ? verifyAsNobody(normalized) : verifyAs(stored, normalized)))
    },
  }
}
