// Runs in a browser: tells the stories there, and is one of several tabs that share a session.

import { createClient, tabChannel, tabStorage } from 'duet-api/client'
import type { api } from '../../../reference/service.ts'
import type { Director, Login } from '../server/replaceable-service.ts'
import { stories, type Told } from './client-stories.ts'

type Name = keyof typeof stories
export interface Tab {
  tell(name: Name, refreshTokenIn?: 'cookie'): Promise<unknown>
  /** Opens a client that shares its session with other tabs; answers whether somebody is signed in. */
  open(refreshTokenIn: 'body' | 'cookie'): Promise<boolean>
  signIn(login: Login): Promise<void>
  signOut(): Promise<void>
  /** Makes so many calls at once; answers their codes, each once. */
  call(count: number): Promise<readonly string[]>
  /** Why this tab was signed out, as often as it was told. */
  signals(): readonly string[]
}
interface Page {
  direct(name: string, args: readonly unknown[]): Promise<unknown>
  tab: Tab
}
const page = globalThis as unknown as Page
const url = (globalThis as unknown as { readonly location: { readonly origin: string } }).location.origin

const director = new Proxy({} as Director, {
  get:
    (_, name) =>
    (...args: unknown[]) =>
      page.direct(String(name), args),
})

const create = (refreshTokenIn: 'body' | 'cookie') =>
  createClient<typeof api>(url, {
    version: 'v2',
    json: { preferences: true, details: true },
    refreshTokenIn,
    storage: refreshTokenIn === 'cookie' ? tabChannel() : tabStorage(),
  })
let client: ReturnType<typeof create>
const reports: string[] = []

page.tab = {
  tell(name, refreshTokenIn) {
    const setting: Told = { url, director, ...(refreshTokenIn === undefined ? {} : { refreshTokenIn }) }
    return stories[name](setting)
  },
  open(refreshTokenIn) {
    client = create(refreshTokenIn)
    client.onSignedOut(({ reason }) => reports.push(reason))
    return client.restore()
  },
  signIn: (login) => client.signIn(login),
  signOut: () => client.signOut(),
  async call(count) {
    const calls = Array.from({ length: count }, () =>
      client.users.get('me').then(
        () => 'read',
        (error) => error.code,
      ),
    )
    return [...new Set(await Promise.all(calls))]
  },
  signals: () => reports,
}
