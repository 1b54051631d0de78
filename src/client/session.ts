// Somebody's session: signing in and out, and the access token, renewed once for all who need it. (contract 3.6, 4.12)

import { type Answer, errorOf } from './answer.ts'
import { DuetError, type ErrorCode } from './error.ts'
import { anonymous, type CredentialSource, type Send } from './send.ts'
import type { TokenStorage, Tokens } from './storage.ts'

/** Why nobody is signed in any more: somebody signed out here or in another tab, or what the service said. */
export interface SignedOut {
  readonly reason: 'SIGNED_OUT' | ErrorCode
}
export interface SessionDependencies {
  readonly send: Send
  readonly storage: TokenStorage
  /** The refresh token is in a cookie. */
  readonly isInCookie: boolean
  readonly now: () => number
}
interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in: number
}
/** An access token is renewed so long before it expires, or a tenth of its life. */
const renewBeforeMs = 30_000

export class Session implements CredentialSource {
  readonly #send: Send
  readonly #storage: TokenStorage
  readonly #isInCookie: boolean
  readonly #now: () => number
  readonly #listeners = new Set<(event: SignedOut) => void>()
  readonly #stopWatching: (() => void) | undefined
  /** The renewal that is under way, for everybody who waits for one. */
  #renewal: Promise<string | null> | null = null
  /** So that the end of one session is told once, however many find out. */
  #isSignedIn = false

  constructor({ send, storage, isInCookie, now }: SessionDependencies) {
    this.#send = send
    this.#storage = storage
    this.#isInCookie = isInCookie
    this.#now = now
    this.#stopWatching = storage.watch?.((why) => this.#tell(why as ErrorCode))
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const tokens = await this.#read()
    if (tokens === null) {
      // Storage that was emptied behind our back is an end as well.
      this.#tell('SIGNED_OUT')
      return {}
    }
    const token = this.#now() < tokens.renewAt ? tokens.accessToken : await this.#renew(null)
    return token === null ? {} : { Authorization: `Bearer ${token}` }
  }

  async renew({ Authorization: header = '' }: Readonly<Record<string, string>>): Promise<boolean> {
    if (header === '') return false
    if ((await this.#renew(header.slice('Bearer '.length))) === null) throw signedOut()
    return true
  }

  async signIn({ email, password }: { readonly email: string; readonly password: string }): Promise<void> {
    await this.#storage.exclusively(() => this.#fetchTokens('/auth/login', { email, password }, true))
  }

  signOut(): Promise<void> {
    return this.#storage.exclusively(async () => {
      const tokens = await this.#read()
      await this.#end('SIGNED_OUT')
      if (this.#isInCookie) await this.#post('/auth/logout', {}, true)
      else if (tokens !== null) await this.#post('/auth/logout', { refresh_token: tokens.refreshToken }, true)
    })
  }

  /** Whether somebody is signed in; asks the service where only a cookie knows. */
  async restore(): Promise<boolean> {
    if ((await this.#read()) !== null) return true
    if (!this.#isInCookie) return false
    try {
      return (await this.#renew(null)) !== null
    } catch (error) {
      if (error instanceof DuetError && error.code === 'SIGNED_OUT') return false
      throw error
    }
  }

  onSignedOut(listener: (event: SignedOut) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#stopWatching?.()
  }

  #tell(reason: SignedOut['reason']): void {
    if (!this.#isSignedIn) return
    this.#isSignedIn = false
    for (const listener of this.#listeners) listener({ reason })
  }

  async #read(): Promise<Tokens | null> {
    const tokens = await this.#storage.read()
    if (tokens !== null) this.#isSignedIn = true
    return tokens
  }

  /** Another access token than this one; null where nobody is signed in any more. Rejects with SIGNED_OUT. */
  #renew(refusedToken: string | null): Promise<string | null> {
    this.#renewal ??= this.#storage
      .exclusively(() => this.#renewAlone(refusedToken))
      .finally(() => {
        this.#renewal = null
      })
    return this.#renewal
  }

  async #renewAlone(refusedToken: string | null): Promise<string | null> {
    const tokens = await this.#read()
    const holds = (untilMs: number) => tokens?.accessToken !== refusedToken && this.#now() < untilMs
    // Another tab was first.
    if (tokens !== null && holds(tokens.renewAt)) return tokens.accessToken
    // Only a cookie may know of a session that nobody here has heard of.
    if (tokens === null && (refusedToken !== null || !this.#isInCookie)) return null
    const body = this.#isInCookie ? {} : { refresh_token: tokens!.refreshToken }
    try {
      return await this.#fetchTokens('/auth/refresh', body, false)
    } catch (error) {
      if (!(error instanceof DuetError)) throw error
      if (error.status === 401) {
        await this.#end(error.code)
        throw signedOut(error)
      }
      // What still holds is good enough for now.
      if (tokens !== null && holds(tokens.expiresAt)) return tokens.accessToken
      throw error
    }
  }

  /** Fetches tokens and stores them; answers the access token. Their life is counted from before the request, whatever the clocks say. */
  async #fetchTokens(path: string, body: object, isRepeatable: boolean): Promise<string> {
    const sentAt = this.#now()
    const answer = await this.#post(path, body, isRepeatable)
    const { access_token, refresh_token = null, expires_in } = answer.body as TokenAnswer
    if (typeof access_token !== 'string') throw errorOf(answer)
    const lifeMs = expires_in * 1000
    const expiresAt = sentAt + lifeMs
    const renewAt = expiresAt - Math.min(renewBeforeMs, lifeMs / 10)
    await this.#storage.write({ accessToken: access_token, refreshToken: refresh_token, renewAt, expiresAt })
    this.#isSignedIn = true
    return access_token
  }

  /**
   * A renewal is sent once for each try of the calls that wait: what was lost on the way back is a reuse then, and nobody can
   * know before. To sign in twice makes a session that nobody uses, and to sign out twice changes nothing.
   */
  #post(path: string, body: object, isRepeatable: boolean): Promise<Answer> {
    return this.#send({ method: 'POST', path, body, isRepeatable, keepalive: true }, anonymous)
  }

  async #end(reason: SignedOut['reason']): Promise<void> {
    await this.#storage.write(null, reason)
    this.#tell(reason)
  }
}

const signedOut = (cause?: DuetError): DuetError =>
  new DuetError('SIGNED_OUT', 'The session has ended: sign in again.', { status: 401, cause })
