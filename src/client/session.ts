// Somebody's session: signing in and out, and the access token, renewed once for all who need it. (contract 3.6, 4.12)

import { type Answer, errorOf } from './answer.ts'
import { DuetError, type ErrorCode } from './error.ts'
import { anonymous, type Credential, type Send } from './send.ts'
import type { TokenStorage, Tokens } from './storage.ts'

/** Why nobody is signed in any more: somebody signed out here or in another tab, or what the service said. */
export interface SignedOut {
  readonly reason: 'SIGNED_OUT' | ErrorCode
}
export interface SessionGiven {
  readonly send: Send
  readonly storage: TokenStorage
  /** The refresh token is in a cookie. */
  readonly isInCookie: boolean
  readonly now: () => number
}
export interface Session extends Credential {
  signIn(login: { readonly email: string; readonly password: string }): Promise<void>
  signOut(): Promise<void>
  /** Whether somebody is signed in; asks the service where only a cookie knows. */
  restore(): Promise<boolean>
  onSignedOut(listener: (event: SignedOut) => void): () => void
  /** Stops listening to other tabs. */
  close(): void
}
interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in: number
}
/** An access token is renewed so long before it expires, or a tenth of its life. */
const renewBeforeMs = 30_000

export function createSession({ send, storage, isInCookie, now }: SessionGiven): Session {
  const listeners = new Set<(event: SignedOut) => void>()
  /** The renewal that is under way, for everybody who waits for one. */
  let renewing: Promise<string | null> | null = null
  /** So that the end of one session is told once, however many find out. */
  let isIn = false

  const unwatch = storage.watch?.((why) => tell(why as ErrorCode))

  function tell(reason: SignedOut['reason']): void {
    if (!isIn) return
    isIn = false
    for (const listener of listeners) listener({ reason })
  }

  async function read(): Promise<Tokens | null> {
    const tokens = await storage.read()
    if (tokens !== null) isIn = true
    return tokens
  }

  /** Another access token than this one; null where nobody is signed in any more. Rejects with SIGNED_OUT. */
  function renew(refused: string | null): Promise<string | null> {
    renewing ??= storage
      .exclusively(() => renewAlone(refused))
      .finally(() => {
        renewing = null
      })
    return renewing
  }

  async function renewAlone(refused: string | null): Promise<string | null> {
    const tokens = await read()
    // Another tab was first.
    if (tokens !== null && tokens.accessToken !== refused && now() < tokens.renewAt) return tokens.accessToken
    // Only a cookie may know of a session that nobody here has heard of.
    if (tokens === null && (refused !== null || !isInCookie)) return null
    const body = isInCookie ? {} : { refresh_token: tokens!.refreshToken }
    try {
      return await take('/auth/refresh', body, false)
    } catch (error) {
      if (!(error instanceof DuetError)) throw error
      if (error.status === 401) {
        await end(error.code)
        throw signedOut(error)
      }
      // What still holds is good enough for now.
      if (tokens !== null && tokens.accessToken !== refused && now() < tokens.expiresAt) return tokens.accessToken
      throw error
    }
  }

  /** Asks for tokens and keeps them. Their life is counted from before the question, whatever the clocks say. */
  async function take(path: string, body: object, isRepeatable: boolean): Promise<string> {
    const asked = now()
    const answer = await post(path, body, isRepeatable)
    const { access_token, refresh_token = null, expires_in } = answer.body as TokenAnswer
    if (typeof access_token !== 'string') throw errorOf(answer)
    const lifeMs = expires_in * 1000
    const expiresAt = asked + lifeMs
    const renewAt = expiresAt - Math.min(renewBeforeMs, lifeMs / 10)
    await storage.write({ accessToken: access_token, refreshToken: refresh_token, renewAt, expiresAt })
    isIn = true
    return access_token
  }

  /**
   * A renewal is sent once for each try of the calls that wait: what was lost on the way back is a reuse then, and nobody can
   * know before. To sign in twice makes a session that nobody uses, and to sign out twice changes nothing.
   */
  const post = (path: string, body: object, isRepeatable: boolean): Promise<Answer> =>
    send({ method: 'POST', path, body, isRepeatable, keepalive: true }, anonymous)

  async function end(reason: SignedOut['reason']): Promise<void> {
    await storage.write(null, reason)
    tell(reason)
  }

  return {
    async headers() {
      const tokens = await read()
      if (tokens === null) {
        // Storage that was emptied behind our back is an end as well.
        tell('SIGNED_OUT')
        return {}
      }
      const token = now() < tokens.renewAt ? tokens.accessToken : await renew(null)
      return token === null ? {} : { Authorization: `Bearer ${token}` }
    },
    async refused({ Authorization: header = '' }) {
      if (header === '') return false
      if ((await renew(header.slice('Bearer '.length))) === null) throw signedOut()
      return true
    },
    signIn: ({ email, password }) =>
      storage.exclusively(async () => void (await take('/auth/login', { email, password }, true))),
    signOut: () =>
      storage.exclusively(async () => {
        const tokens = await read()
        await end('SIGNED_OUT')
        if (isInCookie) await post('/auth/logout', {}, true)
        else if (tokens !== null) await post('/auth/logout', { refresh_token: tokens.refreshToken }, true)
      }),
    async restore() {
      if ((await read()) !== null) return true
      if (!isInCookie) return false
      try {
        return (await renew(null)) !== null
      } catch (error) {
        if (error instanceof DuetError && error.code === 'SIGNED_OUT') return false
        throw error
      }
    },
    onSignedOut(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => unwatch?.(),
  }
}

const signedOut = (cause?: DuetError): DuetError =>
  new DuetError('SIGNED_OUT', 'The session has ended: sign in again.', { status: 401, cause })
