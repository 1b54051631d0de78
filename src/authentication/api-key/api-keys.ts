// Authenticates API keys: found by hash, cached for a minute, evicted when the key or its owner changes. A key acts as its owner
// within its scopes, or as a member of its tenant. (contract 5.3.6, 10.2.11)

import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Actor } from '../../resource/actor.ts'
import type { Model } from '../../resource/model/model.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import type { Store } from '../../store/store.ts'
import { hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { Notice } from '../token/denial-store.ts'
import { createApiKeyStore, type StoredApiKey } from './api-key-store.ts'

export interface ApiKeys {
  /** Synchronous if cached. INVALID_CREDENTIALS if the key is unknown or expired, or its owner may not sign in. */
  find(text: string, now: Date): Actor | Promise<Actor>
  apply(notice: Notice): void
  /** Stores last uses, at most once per key in `lastUseSeconds`. */
  flush(now: Date): Promise<void>
}

const chunk = 500

interface CachedKey {
  readonly key: StoredApiKey
  readonly actor: Actor
  readonly readAt: Date
}

export function createApiKeys(
  model: Model,
  store: Store,
  limits: Pick<Limits, 'apiKeys' | 'apiKeySeconds' | 'lastUseSeconds'>,
): ApiKeys {
  const keys = createApiKeyStore(model, dialectOf(store.engine))
  const cache = new Map<string, CachedKey>()
  const pendingUses = new Map<string, Date>()
  const lastWrites = new Map<string, Date>()
  // Changes with every notice, to discard rows read meanwhile.
  let noticeCount = 0

  const isOlder = (than: Date, seconds: number, now: Date) => now.getTime() - than.getTime() >= seconds * 1000

  function use({ key, actor }: CachedKey, now: Date): Actor {
    if (key.expiresAt !== null && key.expiresAt <= now) throw new Failure('INVALID_CREDENTIALS')
    const last = lastWrites.get(key.id)
    if ((last === undefined || isOlder(last, limits.lastUseSeconds, now)) && pendingUses.size < limits.apiKeys)
      pendingUses.set(key.id, now)
    return actor
  }

  async function read(hash: string, now: Date): Promise<Actor> {
    const noticesBefore = noticeCount
    const key = await store.read(keys.find(hash))
    if (key === null || key.actor === null) throw new Failure('INVALID_CREDENTIALS')
    const entry = { key, actor: key.actor, readAt: now }
    if (noticeCount === noticesBefore) {
      if (cache.size >= limits.apiKeys) for (const oldest of cache.keys().take(1)) cache.delete(oldest)
      cache.set(hash, entry)
    }
    return use(entry, now)
  }

  return {
    find(text, now) {
      if (!isOpaqueToken('duet_', text)) throw new Failure('INVALID_CREDENTIALS')
      const hash = hashOpaqueToken(text)
      const entry = cache.get(hash)
      if (entry !== undefined && !isOlder(entry.readAt, limits.apiKeySeconds, now)) return use(entry, now)
      cache.delete(hash)
      return read(hash, now)
    },
    apply(notice) {
      if (notice.kind !== 'user' && notice.kind !== 'apiKey') return
      noticeCount += 1
      for (const [hash, { key }] of cache) {
        const concernsKey = notice.kind === 'user' ? key.userId === notice.userId : key.id === notice.keyId
        if (concernsKey) cache.delete(hash)
      }
    },
    async flush(now) {
      if (pendingUses.size === 0) return
      // Sorted, to prevent deadlocks between instances.
      const uses = [...pendingUses].slice(0, chunk).sort(([one], [other]) => (one < other ? -1 : 1))
      for (const [id] of uses) pendingUses.delete(id)
      await store.write(() => keys.noteUse(uses))
      for (const [id, at] of uses) lastWrites.set(id, at)
      for (const [id, at] of lastWrites) if (isOlder(at, limits.lastUseSeconds, now)) lastWrites.delete(id)
    },
  }
}
