// API keys as credentials: found by their hash, remembered for a minute, and forgotten the moment anything about the key
// or its owner changes. A key acts as its owner, narrowed to its scopes. (contract 5)

import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Actor } from '../resource/actor.ts'
import type { Model } from '../resource/model.ts'
import { dialectOf } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import { createApiKeyStore, type FoundKey } from './api-key-store.ts'
import type { Notice } from './denial-store.ts'
import { hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'

export interface ApiKeys {
  /** Who this key acts as, at once where it is remembered. INVALID_CREDENTIALS for a key that is unknown, expired or whose owner may not sign in. */
  find(text: string, now: Date): Actor | Promise<Actor>
  /** Forgets what a notice says has changed. */
  take(notice: Notice): void
  /** Writes down when keys were last used: once in a while for each, however often it is used. */
  flush(now: Date): Promise<void>
  readonly size: number
}

/** So many uses go in one transaction. */
const chunk = 500

interface Remembered {
  readonly key: FoundKey
  readonly actor: Actor
  readonly readAt: Date
}

export function createApiKeys(
  model: Model,
  store: Store,
  limits: Pick<Limits, 'apiKeys' | 'apiKeySeconds' | 'lastUseSeconds'>,
): ApiKeys {
  const keys = createApiKeyStore(model, dialectOf(store.engine))
  const remembered = new Map<string, Remembered>()
  const used = new Map<string, Date>()
  const written = new Map<string, Date>()
  // Raised by every notice: what was being read meanwhile may be what the notice is about.
  let notices = 0

  const isOlder = (than: Date, seconds: number, now: Date) => now.getTime() - than.getTime() >= seconds * 1000

  function use({ key, actor }: Remembered, now: Date): Actor {
    if (key.expiresAt !== null && key.expiresAt <= now) throw new Failure('INVALID_CREDENTIALS')
    const last = written.get(key.id)
    if ((last === undefined || isOlder(last, limits.lastUseSeconds, now)) && used.size < limits.apiKeys)
      used.set(key.id, now)
    return actor
  }

  async function read(hash: string, now: Date): Promise<Actor> {
    const noticesBefore = notices
    const key = await store.read(keys.find(hash))
    if (key === null || !key.isActive) throw new Failure('INVALID_CREDENTIALS')
    const found = { key, actor: actorOf(key, model), readAt: now }
    if (notices === noticesBefore) {
      if (remembered.size >= limits.apiKeys) for (const oldest of remembered.keys().take(1)) remembered.delete(oldest)
      remembered.set(hash, found)
    }
    return use(found, now)
  }

  return {
    find(text, now) {
      if (!isOpaqueToken('duet_', text)) throw new Failure('INVALID_CREDENTIALS')
      const hash = hashOpaqueToken(text)
      const known = remembered.get(hash)
      if (known !== undefined && !isOlder(known.readAt, limits.apiKeySeconds, now)) return use(known, now)
      remembered.delete(hash)
      return read(hash, now)
    },
    take(notice) {
      if (notice.kind !== 'user' && notice.kind !== 'apiKey') return
      notices += 1
      for (const [hash, { key }] of remembered) {
        const isMeant = notice.kind === 'user' ? key.userId === notice.userId : key.id === notice.keyId
        if (isMeant) remembered.delete(hash)
      }
    },
    async flush(now) {
      if (used.size === 0) return
      // In one order, so that two instances never wait for each other.
      const uses = [...used].slice(0, chunk).sort(([one], [other]) => (one < other ? -1 : 1))
      for (const [id] of uses) used.delete(id)
      await store.write(() => keys.noteUse(uses))
      for (const [id, at] of uses) written.set(id, at)
      for (const [id, at] of written) if (isOlder(at, limits.lastUseSeconds, now)) written.delete(id)
    },
    get size() {
      return remembered.size
    },
  }
}

const actorOf = ({ id, userId, role, scopes }: FoundKey, { roles }: Model): Actor => ({
  id: userId,
  role,
  permissions: roles.get(role) ?? new Set(),
  scopes,
  credential: { kind: 'apiKey', keyId: id },
})
