// Passwords: hashed off the main thread, a few at a time, and checked in the same time whether or not there is one.
// (contract 4.12.10)

import { randomBytes } from 'node:crypto'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { loadOptional } from '../../dependency/optional-package.ts'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'

/**
 * Both take a password as it was sent, and hash its NFKC form: keyboards compose the same characters differently. Both are
 * SERVICE_UNAVAILABLE, with Retry-After, when too many passwords wait to be hashed.
 */
export interface Passwords {
  /** A PHC string, with a salt of its own. */
  hash(password: string): Promise<string>
  /**
   * True if the password is the one that was hashed. Without a hash (no account has that e-mail address) it does the same
   * work and is false. A damaged hash is treated alike, and logged without its text.
   */
  verify(storedHash: string | null, password: string): Promise<boolean>
}

/** Argon2id: 19 MiB, two passes, one lane. A hash made with other costs is verified with the costs it names. */
const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export async function createPasswords(
  limits: Pick<Limits, 'passwordHashesAtOnce' | 'passwordHashesWaiting'>,
  log: Pick<Log, 'error'>,
): Promise<Passwords> {
  const load = () => import('@node-rs/argon2')
  const { hash, verify } = await loadOptional('@node-rs/argon2', 'Accounts have passwords', load)
  const semaphore = new Semaphore(limits.passwordHashesAtOnce, limits.passwordHashesWaiting)
  const hashOfNobody = await hash(randomBytes(32), costs)

  async function verifyAs(storedHash: string, password: string): Promise<boolean> {
    try {
      return await verify(storedHash, password)
    } catch (cause) {
      // The library throws if the hash is malformed. The client is told that the password is wrong.
      log.error('A stored password hash is damaged.', { err: cause })
      return verifyAsNobody(password)
    }
  }
  async function verifyAsNobody(password: string): Promise<boolean> {
    await verify(hashOfNobody, password)
    return false
  }

  return {
    hash: (password) => semaphore.run(() => hash(password.normalize('NFKC'), costs)),
    verify(storedHash, password) {
      const normalized = password.normalize('NFKC')
      return semaphore.run(() => (storedHash === null ? verifyAsNobody(normalized) : verifyAs(storedHash, normalized)))
    },
  }
}
