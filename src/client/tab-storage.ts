// Tokens that all tabs of a browser share, so that one renews for all. Web Locks keep the others waiting meanwhile.

import { memoryStorage, type TokenStorage, type Tokens } from './storage.ts'

/** What these need of a browser. */
interface Browser {
  readonly localStorage: {
    getItem(name: string): string | null
    setItem(name: string, value: string): void
  }
  readonly navigator: {
    readonly locks?: { request<T>(name: string, work: () => Promise<T>): Promise<T> }
  }
  addEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
  removeEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
}
interface StorageEvent {
  readonly key: string | null
  readonly newValue: string | null
}
interface StoredSession {
  readonly tokens?: Tokens
  /** Why there are none. */
  readonly ended?: string
}
const browser = () => globalThis as unknown as Browser

/**
 * Keeps tokens in localStorage: people stay signed in when they come back, in every tab. Scripts of the page can read
 * them; a cookie (`REFRESH_TOKEN_IN=cookie`, `tabChannel`) keeps the refresh token from these. Throws without Web Locks, which need
 * https or localhost.
 */
export function tabStorage(name = 'duet'): TokenStorage {
  const { localStorage } = browser()
  const exclusively = lockOf(name)
  return {
    exclusively,
    read: () => parse(localStorage.getItem(name)).tokens ?? null,
    write(tokens, ended) {
      const record: StoredSession = tokens === null ? { ended: ended ?? '' } : { tokens }
      localStorage.setItem(name, JSON.stringify(record))
    },
    watch(listener) {
      // Other tabs are told of what one writes, and that one is not.
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

/** What is there may be another program's, or of another version: then nobody is signed in. */
function parse(text: string | null): StoredSession {
  try {
    return JSON.parse(text ?? '{}') ?? {}
  } catch {
    return {}
  }
}

/**
 * For a refresh token in a cookie: the access token stays in the memory of each tab, and whoever renews it tells the others.
 * Throws without Web Locks, which need https or localhost.
 */
export function tabChannel(name = 'duet'): TokenStorage {
  const { read, write } = memoryStorage()
  const exclusively = lockOf(name)
  const channel = new BroadcastChannel(name)
  const listeners = new Set<(why: string) => void>()
  // A program that is no browser may end although the channel is open.
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

function lockOf(name: string): TokenStorage['exclusively'] {
  const { locks } = browser().navigator
  if (locks === undefined)
    throw new Error('Tabs can share a session only with Web Locks, which need https or localhost.')
  return (work) => locks.request(`duet ${name}`, work)
}
