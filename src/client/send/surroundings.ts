// Time, randomness and network, replaceable in tests and on unusual platforms.

import { browserPasskeys, type DevicePasskeys } from './passkey.ts'

/** What the client uses of its platform. */
export interface Surroundings {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Rejects with the signal's reason if it aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborts with a TimeoutError after this time. */
  readonly expire: (milliseconds: number) => AbortSignal
  /** A globally unique text. */
  readonly makeKey: () => string
  readonly passkeys: DevicePasskeys
}

export const realSurroundings: Surroundings = {
  passkeys: browserPasskeys,
  fetch: (url, init) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const refuse = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', refuse)
        resolve()
      }, milliseconds)
      signal?.addEventListener('abort', refuse, { once: true })
    }),
  expire: (milliseconds) => AbortSignal.timeout(milliseconds),
  // `randomUUID` is missing on pages without https.
  makeKey: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
}
