// Time, chance and the network, as the client uses them. Tests and unusual platforms bring their own.

/** What the client takes from its platform. Replace some of it where that lacks them, or in a test. */
export interface Surroundings {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Waits before another try; rejects with the signal's reason when that is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborts with a TimeoutError after so many milliseconds. */
  readonly expire: (milliseconds: number) => AbortSignal
  /** A text that nobody has used or will use. */
  readonly makeKey: () => string
}

export const realSurroundings: Surroundings = {
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
  // Not `randomUUID`, which browsers keep from pages without https.
  makeKey: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
}
