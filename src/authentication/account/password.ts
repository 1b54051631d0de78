// Hashes passwords off the main thread; verifying takes as long without an account. (contract 4.12.10)

import { randomBytes } from 'node:crypto'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { loadOptional } from '../../dependency/optional-package.ts'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import { normalForm } from '../../resource/model/normal-form.ts'

/**
 * Both normalize to NFKC, as keyboards compose characters differently. SERVICE_UNAVAILABLE with Retry-After if too many
 * passwords wait.
 */
export interface Passwords {
  /** A PHC string with its own salt. */
  hash(password: string): Promise<string>
  /** Without a hash (unknown address), or with a damaged one, which is logged, takes as long and returns false. */
  verify(storedHash: string | null, password: string): Promise<boolean>
  /** Fits no password: the account cannot sign in until one is chosen. */
  readonly unusableHash: string
  /** False for `unusableHash`, of this process or another. */
  isUsable(storedHash: string | null): boolean
}

/** Argon2id: 19 MiB, two passes, one lane. Existing hashes keep their costs. */
const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export async function createPasswords(
  limits: Pick<Limits, 'passwordHashesAtOnce' | 'passwordHashesWaiting'>,
  log: Pick<Log, 'error'>,
): Promise<Passwords> {
  const load = () => import('@node-rs/argon2')
  const { hash, verify } = await loadOptional('@node-rs/argon2', 'Accounts have passwords', load)
  const semaphore = new Semaphore(limits.passwordHashesAtOnce, limits.passwordHashesWaiting)
  const dummyHash = randomHash()

  async function verifyAs(storedHash: string, password: string): Promise<boolean> {
    try {
      return await verify(storedHash, password)
    } catch (cause) {
      // The library throws on a malformed hash; the client sees a wrong password.
      log.error('A stored password hash is damaged.', { err: cause })
      return verifyDummy(password)
    }
  }
  async function verifyDummy(password: string): Promise<boolean> {
    await verify(dummyHash, password)
    return false
  }

  return {
    unusableHash: dummyHash,
    isUsable: (storedHash) => storedHash !== null && !storedHash.startsWith(unusablePrefix),
    hash: (password) => semaphore.run(() => hash(normalForm(password, 'NFKC'), costs)),
    verify(storedHash, password) {
      const normalized = normalForm(password, 'NFKC')
      return semaphore.run(() => (storedHash === null ? verifyDummy(normalized) : verifyAs(storedHash, normalized)))
    },
  }
}

function randomHash(): string {
  return `${unusablePrefix}${base64(randomBytes(32))}`
}
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
const { memoryCost, timeCost, parallelism } = costs
/** A mark: of 128 random bits, no other hash has this salt. */
const unusablePrefix = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(Buffer.from('without password'))}$`
