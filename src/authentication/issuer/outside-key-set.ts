// The public keys of an outside issuer: fetched on demand from the configured address, kept through an outage. (contract 5.6.3;
// RFC 7517 5)

import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import { readVerifyingKey } from '../key/jwk.ts'
import { UnusableKey, type VerifyingKey } from '../key/signing-key.ts'

export type OutsideLimits = Pick<
  Limits,
  | 'outsideKeySetBytes'
  | 'outsideKeys'
  | 'outsideTimeoutMs'
  | 'outsideCooldownSeconds'
  | 'outsideMaxAgeSeconds'
  | 'outsideStaleSeconds'
>
export interface OutsideKeySetOptions {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly log: Pick<Log, 'error'>
  readonly limits: OutsideLimits
}

export interface OutsideKeySet {
  /** Refreshes an old set in the background. */
  peek(kid: string | null, now: Date): VerifyingKey | null
  /**
   * At most one fetch per cooldown; null if the issuer does not publish the key. SERVICE_UNAVAILABLE with Retry-After if it
   * does not respond.
   */
  find(kid: string | null, now: Date): Promise<VerifyingKey | null>
}

interface FetchedKeys {
  /** So that an unchanged key stays the same object. */
  readonly byText: ReadonlyMap<string, VerifyingKey>
  readonly byKid: ReadonlyMap<string, VerifyingKey>
  readonly fetchedAt: Date
}

/** Fails with UnusableKey unless the address is `https:` or this machine. */
export function createOutsideKeySet({ url, fetch, log, limits }: OutsideKeySetOptions): OutsideKeySet {
  requireSafeAddress(url)
  let keys: FetchedKeys | null = null
  let attempt: { readonly at: Date; readonly isSuccess: Promise<boolean> } | null = null

  async function load(now: Date): Promise<boolean> {
    try {
      const jwks = await fetchJwks(url, fetch, limits)
      keys = readKeys(jwks, keys, now)
      return true
    } catch (cause) {
      // No bug: cached keys stay valid, and others get 503.
      log.error('The key set of an outside issuer could not be fetched.', { url, err: cause })
      return false
    }
  }
  /** Concurrent callers share one attempt; a new one starts after the cooldown. */
  function refresh(now: Date): Promise<boolean> {
    if (attempt === null || secondsSince(attempt.at, now) >= limits.outsideCooldownSeconds) {
      attempt = { at: now, isSuccess: load(now) }
    }
    return attempt.isSuccess
  }
  function lookUp(kid: string | null, now: Date): VerifyingKey | null {
    if (keys === null || secondsSince(keys.fetchedAt, now) >= limits.outsideStaleSeconds) return null
    if (kid !== null) return keys.byKid.get(kid) ?? null
    const [only = null, ...others] = keys.byText.values()
    return others.length === 0 ? only : null
  }
  function peek(kid: string | null, now: Date): VerifyingKey | null {
    const key = lookUp(kid, now)
    // Not awaited: the cached key is still trusted.
    if (keys !== null && secondsSince(keys.fetchedAt, now) >= limits.outsideMaxAgeSeconds) void refresh(now)
    return key
  }

  return {
    peek,
    async find(kid, now) {
      const key = peek(kid, now)
      if (key !== null) return key
      if (await refresh(now)) return lookUp(kid, now)
      const sinceSeconds = attempt === null ? 0 : secondsSince(attempt.at, now)
      const retryAfterSeconds = Math.max(1, Math.ceil(limits.outsideCooldownSeconds - sinceSeconds))
      throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds })
    },
  }
}

const secondsSince = (then: Date, now: Date): number => (now.getTime() - then.getTime()) / 1000

function requireSafeAddress(address: string): void {
  const { protocol, hostname } = new URL(address)
  const isThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isThisMachine)) {
    throw new UnusableKey('The address of an outside key set must begin with https:.')
  }
}

/** Refuses redirects; limits time and size. */
async function fetchJwks(
  url: string,
  fetch: typeof globalThis.fetch,
  limits: OutsideLimits,
): Promise<readonly unknown[]> {
  const signal = AbortSignal.timeout(limits.outsideTimeoutMs)
  const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The answer has status ${response.status}.`)
  }
  const bytes = await readBounded(response, limits.outsideKeySetBytes, 'The answer')
  const body: unknown = JSON.parse(bytes.toString())
  const jwks = typeof body === 'object' && body !== null && 'keys' in body ? body.keys : null
  if (!Array.isArray(jwks)) throw new Error('The answer is not a key set.')
  if (jwks.length > limits.outsideKeys) throw new Error(`The key set has more than ${limits.outsideKeys} keys.`)
  return jwks
}

/** Fails with an Error about `what` if the body is larger. */
export async function readBounded({ body }: Response, bytesMax: number, what: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new Error(`${what} is larger than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Omits weak keys, keys for other purposes, and keys that share a `kid`. */
function readKeys(jwks: readonly unknown[], before: FetchedKeys | null, fetchedAt: Date): FetchedKeys {
  const byText = new Map<string, VerifyingKey>()
  const byKid = new Map<string, VerifyingKey>()
  const ambiguous = new Set<string>()
  for (const jwk of jwks) {
    const text = JSON.stringify(jwk)
    const key = before?.byText.get(text) ?? readKey(jwk)
    if (key === null || byText.has(text)) continue
    byText.set(text, key)
    if (byKid.has(key.kid)) ambiguous.add(key.kid)
    byKid.set(key.kid, key)
  }
  for (const kid of ambiguous) byKid.delete(kid)
  return { byText, byKid, fetchedAt }
}

function readKey(jwk: unknown): VerifyingKey | null {
  try {
    return readVerifyingKey(jwk)
  } catch (error) {
    // Key sets also contain keys for other purposes.
    if (error instanceof UnusableKey) return null
    throw error
  }
}
