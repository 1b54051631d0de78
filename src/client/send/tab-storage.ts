// Tokens shared by all tabs of a browser: one renews for all, under Web Locks.

import { memoryStorage, type TokenStorage, type Tokens } from './storage.ts'

interface Browser {
  readonly localStorage: {
    getItem(name: string): string | null
    setItem(name: string, value: string): void
  }
  readonly navigator: { readonly locks?: Locks }
  addEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
  removeEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
}
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
  request<T>(name: string, options: { readonly mode: 'shared' }, work: () => Promise<T>): Promise<T>
  query(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>
}
interface StorageEvent {
  readonly key: string | null
  readonly newValue: string | null
}
interface StoredSession {
  readonly tokens?: Tokens
  readonly ended?: string
  readonly writes?: number
}
const browser = () => globalThis as unknown as Browser

/**
 * Keeps tokens in localStorage: users stay signed in in every tab, also later. Scripts of the page can read them; a cookie
 * (`REFRESH_TOKEN_IN=cookie`, `tabChannel`) protects the refresh token. Throws without Web Locks, which need https or
 * localhost.
 */
export function tabStorage(name = 'duet'): TokenStorage {
  const { localStorage } = browser()
  const exclusively = lockOf(name)
  const readSession = () => parse(localStorage.getItem(name))
  const countWrites = () => readSession().writes ?? 0
  const latest = latestWrite(`duet ${name} `)
  return {
    async exclusively(work) {
      return exclusively(async () => {
        await latest.awaitWrites(countWrites)
        return work()
      })
    },
    read: () => readSession().tokens ?? null,
    async write(tokens, ended) {
      const writes = countWrites() + 1
      const record: StoredSession = tokens === null ? { ended: ended ?? '', writes } : { tokens, writes }
      localStorage.setItem(name, JSON.stringify(record))
      await latest.announce(writes)
    },
    watch(listener) {
      // The event is sent to all tabs except the writing one.
      const listen = ({ key, newValue }: StorageEvent) => {
        if (key === null || (key === name && newValue === null)) return listener('SIGNED_OUT')
        const { ended } = key === name ? parse(newValue) : {}
        if (ended !== undefined) listener(ended)
      }
      browser().addEventListener('storage', listen)
      return () => browser().removeEventListener('storage', listen)
    },
  }
}

/** Of another program or version: signed out. */
function parse(text: string | null): StoredSession {
  try {
    return JSON.parse(text ?? '{}') ?? {}
  } catch {
    return {}
  }
}

/**
 * For a refresh token in a cookie: tabs keep the access token in memory and share it. Throws without Web Locks, which need
 * https or localhost.
 */
export function tabChannel(name = 'duet'): TokenStorage {
  const { read, write } = memoryStorage()
  const exclusively = lockOf(name)
  const channel = new BroadcastChannel(name)
  const listeners = new Set<(why: string) => void>()
  // Outside browsers an open channel must not keep the process alive.
  ;(channel as { unref?: () => void }).unref?.()
  channel.onmessage = ({ data }: { data: unknown }) => {
    const { tokens, ended } = data as StoredSession
    void write(tokens ?? null)
    if (ended !== undefined) for (const listener of listeners) listener(ended)
  }
  return {
    exclusively,
    read,
    write(tokens, ended) {
      void write(tokens)
      const record: StoredSession = tokens === null ? { ended: ended ?? '' } : { tokens }
      channel.postMessage(record)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const lagLooks = 100
const lagLookMs = 10

/**
 * A tab's localStorage may lag behind another's write, even inside a lock. So each write is numbered, its tab holds a lock of
 * that name, and readers wait up to a second.
 */
function latestWrite(prefix: string) {
  let release = () => {}
  return {
    async announce(writes: number): Promise<void> {
      const releaseFormer = release
      await new Promise<void>((hold) => {
        void requireLocks().request(`${prefix}${writes}`, { mode: 'shared' }, () => {
          hold()
          return new Promise<void>((resolve) => {
            release = resolve
          })
        })
      })
      releaseFormer()
    },
    async awaitWrites(countWrites: () => number): Promise<void> {
      const { held = [] } = await requireLocks().query()
      const numbers = held.map(({ name = '' }) => (name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0))
      const newest = Math.max(0, ...numbers)
      for (let look = 0; look < lagLooks && countWrites() < newest; look++) {
        await new Promise((resolve) => setTimeout(resolve, lagLookMs))
      }
    },
  }
}

function lockOf(name: string): TokenStorage['exclusively'] {
  const locks = requireLocks()
  return (work) => locks.request(`duet ${name}`, work)
}

function requireLocks(): Locks {
  const { locks } = browser().navigator
  if (locks === undefined)
    throw new Error('Tabs can share a session only with Web Locks, which need https or localhost.')
  return locks
}
