// The service's keys: which one signs, which verify, which are published. (contract 5.2)

import { invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { type PublicJwk, privateJwk, publicJwk, readSigningKey } from './jwk.ts'
import { scheduleKeys } from './key-schedule.ts'
import type { KeyStorage, StoredKey } from './key-storage.ts'
import {
  type Algorithm,
  algorithms,
  generateSigningKey,
  isAlgorithm,
  type SigningKey,
  secretSigningKey,
  UnusableKey,
  type VerifyingKey,
} from './signing-key.ts'

export interface KeyRing {
  readonly algorithm: Algorithm
  signingKey(now: Date): SigningKey
  /** Null if unknown or expired; without a `kid`, null unless there is exactly one key. */
  verifyingKey(kid: string | null, now: Date): VerifyingKey | null
  /** When a published key begins to sign; null if it signs already or is unknown. */
  signsFrom(kid: string, now: Date): Date | null
  keySet(now: Date): { readonly keys: readonly PublicJwk[] }
  /** Publishes a new key, which signs 300 s later, and returns its `kid`; if one is waiting, its `kid`. */
  rotate(now: Date): Promise<string>
  /** Removes a leaked key: every token it signed is refused at once. */
  remove(kid: string, now: Date): Promise<void>
  /** To be called well within every 300 s. */
  reload(now: Date): Promise<void>
}

export interface KeyRingOptions {
  /** `JWT_ALGORITHM`. */
  readonly algorithm: string
  /** `JWT_SECRET`. */
  readonly secret?: string | undefined
  readonly storage: KeyStorage
  readonly limits: Pick<Limits, 'jwksMaxAgeSeconds' | 'accessTokenSeconds' | 'clockSkewSeconds'>
}

/** Creates the first key if there is none. Fails with UnusableKey. */
export async function openKeyRing(options: KeyRingOptions, now: Date): Promise<KeyRing> {
  const { algorithm, secret } = options
  if (!isAlgorithm(algorithm)) {
    throw new UnusableKey(`JWT_ALGORITHM must be one of ${algorithms.join(', ')}; it is "${algorithm.slice(0, 20)}".`)
  }
  if (algorithm === 'HS256') {
    if (secret === undefined) throw new UnusableKey('JWT_SECRET must be set when JWT_ALGORITHM is HS256.')
    return fixedKeyRing([secretSigningKey(secret)])
  }
  return openStoredKeyRing(algorithm, options, now)
}

/** The first signs, all verify. Fails with UnusableKey. */
export function fixedKeyRing(keys: readonly SigningKey[]): KeyRing {
  const [first] = keys
  if (first === undefined) throw new UnusableKey('At least one signing key must be given.')
  const byKid = indexByKid(keys)
  const publishedKeys = { keys: publishedOf(keys) }
  const refuse = () => Promise.reject(new UnusableKey('The keys were given by configuration and change only there.'))
  return {
    algorithm: first.algorithm,
    signingKey: () => first,
    verifyingKey: (kid) => (kid === null ? onlyOne(keys) : (byKid.get(kid) ?? null)),
    signsFrom: () => null,
    keySet: () => publishedKeys,
    rotate: refuse,
    remove: refuse,
    reload: () => Promise.resolve(),
  }
}

async function openStoredKeyRing(
  algorithm: Exclude<Algorithm, 'HS256'>,
  { storage, limits }: KeyRingOptions,
  now: Date,
): Promise<KeyRing> {
  let rows: readonly StoredKey[] = []
  let ringKeys: readonly RingKey[] = []
  let schedule = scheduleKeys(ringKeys, limits)
  let reloaded: Promise<void> = Promise.resolve()

  async function addKey(publishedAt: Date): Promise<void> {
    const key = await generateSigningKey(algorithm)
    const sequence = 1 + Math.max(0, ...rows.map((row) => row.sequence))
    await storage.add({ sequence, kid: key.kid, algorithm, jwk: JSON.stringify(privateJwk(key)), publishedAt })
  }
  async function load(at: Date): Promise<void> {
    rows = await storage.load()
    // If two instances add a first key, the second reads the other's.
    for (let attempt = 0; attempt < 5 && !rows.some((row) => row.algorithm === algorithm); attempt += 1) {
      await addKey(at)
      rows = await storage.load()
    }
    ringKeys = readStoredKeys(rows, algorithm, ringKeys)
    schedule = scheduleKeys(ringKeys, limits)
  }
  // Serialised, so that no older result replaces a newer one.
  function reload(at: Date): Promise<void> {
    reloaded = reloaded.catch(() => undefined).then(() => load(at))
    return reloaded
  }

  await reload(now)
  return {
    algorithm,
    reload,
    signingKey: (at) => schedule.signing(at).key,
    verifyingKey: (kid, at) => (kid === null ? onlyOne(schedule.verifying(at)) : schedule.find(kid, at)),
    signsFrom(kid, at) {
      const nextKey = schedule.waiting(at)
      return nextKey?.key.kid === kid ? new Date(nextKey.signsFrom) : null
    },
    keySet: (at) => ({ keys: publishedOf(schedule.verifying(at)) }),

    async rotate(at) {
      await reload(at)
      const nextKey = schedule.waiting(at)
      if (nextKey !== null) return nextKey.key.kid
      for (const { key } of schedule.finished(at)) await storage.remove(key.kid)
      await addKey(at)
      await reload(at)
      return (schedule.waiting(at) ?? schedule.signing(at)).key.kid
    },

    async remove(kid, at) {
      await storage.remove(kid)
      await reload(at)
    },
  }
}

type RingKey = StoredKey & { readonly key: SigningKey }

/** Unchanged keys stay the same objects: cached tokens compare them by identity. */
function readStoredKeys(
  rows: readonly StoredKey[],
  algorithm: Algorithm,
  before: readonly RingKey[],
): readonly RingKey[] {
  const keysByText = new Map(before.map(({ jwk, key }) => [jwk, key]))
  const keys = rows
    .filter((row) => row.algorithm === algorithm)
    .map((row) => ({ ...row, key: keysByText.get(row.jwk) ?? readStoredKey(row) }))
  invariant(keys.length > 0, 'a first key is added where there is none')
  indexByKid(keys.map(({ key }) => key))
  return keys
}

function readStoredKey({ kid, jwk }: StoredKey): SigningKey {
  try {
    return readSigningKey(JSON.parse(jwk))
  } catch (error) {
    // JSON.parse's message quotes the private key.
    const reason = error instanceof UnusableKey ? { cause: error } : {}
    throw new UnusableKey(`The stored signing key "${kid}" cannot be used.`, reason)
  }
}

function indexByKid<Key extends VerifyingKey>(keys: readonly Key[]): ReadonlyMap<string, Key> {
  const byKid = new Map(keys.map((key) => [key.kid, key]))
  if (byKid.size < keys.length) throw new UnusableKey('Two signing keys have the same "kid".')
  return byKid
}

const onlyOne = (keys: readonly VerifyingKey[]): VerifyingKey | null => (keys.length === 1 ? (keys[0] ?? null) : null)

const publishedOf = (keys: readonly VerifyingKey[]): readonly PublicJwk[] =>
  keys.map(publicJwk).filter((jwk) => jwk !== null)
