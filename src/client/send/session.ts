// The session of a user: sign-in, sign-out, and an access token renewed once for all callers. (contract 3.6, 4.12)

import { type Answer, errorOf } from './answer.ts'
import { DuetError, type ErrorCode } from './error.ts'
import { bodyOf, isPasskeyLogin, type Login } from './login.ts'
import type { DevicePasskeys } from './passkey.ts'
import { anonymous, type CredentialSource, type Send } from './send.ts'
import type { TokenStorage, Tokens } from './storage.ts'

/** Signed out here or in another tab, or the service's code. */
export interface SignedOut {
  readonly reason: 'SIGNED_OUT' | ErrorCode
}
export interface SessionDependencies {
  readonly send: Send
  readonly storage: TokenStorage
  readonly isInCookie: boolean
  readonly now: () => number
  readonly passkeys: DevicePasskeys
}
interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in: number
}
/** This long before expiry, or at a tenth of their lifetime. */
const renewBeforeMs = 30_000

export class Session implements CredentialSource {
  readonly #send: Send
  readonly #storage: TokenStorage
  readonly #isInCookie: boolean
  readonly #now: () => number
  readonly #passkeys: DevicePasskeys
  readonly #listeners = new Set<(event: SignedOut) => void>()
  readonly #stopWatching: (() => void) | undefined
  #renewal: Promise<string | null> | null = null
  /** Ensures that the end of a session is reported once. */
  #isSignedIn = false

  constructor({ send, storage, isInCookie, now, passkeys }: SessionDependencies) {
    this.#passkeys = passkeys
    this.#send = send
    this.#storage = storage
    this.#isInCookie = isInCookie
    this.#now = now
    this.#stopWatching = storage.watch?.((why) => this.#notify(why as ErrorCode))
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const tokens = await this.#read()
    if (tokens === null) {
      // Emptied storage ends the session too.
      this.#notify('SIGNED_OUT')
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

  async signIn(login: Login): Promise<void> {
    // What is proved by tokens, codes and challenges works once.
    await this.openWith('/auth/login', await this.#proofOf(login), 'password' in login)
  }

  /** Returns the answer, which has tokens. */
  openWith(path: string, body: object, isRepeatable = false): Promise<object> {
    return this.#storage.exclusively(() => this.#fetchTokens(path, body, isRepeatable))
  }

  async reauthenticate(login: Login): Promise<void> {
    const body = await this.#proofOf(login)
    const sentAt = this.#now()
    const path = '/auth/reauthenticate'
    const answer = await this.#send({ method: 'POST', path, body, isRepeatable: 'password' in login }, this)
    const { access_token: accessToken, expires_in: seconds } = answer.body as TokenAnswer
    await this.#storage.exclusively(async () => {
      const tokens = await this.#read()
      if (tokens !== null) await this.#storage.write({ ...tokens, accessToken, ...lifeOf(seconds, sentAt) })
    })
  }

  async #proofOf(login: Login): Promise<object> {
    if (!isPasskeyLogin(login)) return bodyOf(login)
    const { body } = await this.#post('/auth/passkeys/options', { for: 'sign-in' }, true)
    const passkey = await this.#passkeys.get(body as object, login)
    return login.challenge === undefined ? { passkey } : { challenge: login.challenge, passkey }
  }

  signOut(): Promise<void> {
    return this.#storage.exclusively(async () => {
      const tokens = await this.#read()
      await this.#end('SIGNED_OUT')
      if (this.#isInCookie) await this.#post('/auth/logout', {}, true)
      else if (tokens !== null) await this.#post('/auth/logout', { refresh_token: tokens.refreshToken }, true)
    })
  }

  /** A session may be in a cookie. */
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

  close(): void {
    this.#stopWatching?.()
  }

  #notify(reason: SignedOut['reason']): void {
    if (!this.#isSignedIn) return
    this.#isSignedIn = false
    for (const listener of this.#listeners) listener({ reason })
  }

  async #read(): Promise<Tokens | null> {
    const tokens = await this.#storage.read()
    if (tokens !== null) this.#isSignedIn = true
    return tokens
  }

  /** Returns another token than the refused one; null if signed out. Rejects with SIGNED_OUT. */
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
    if (tokens !== null && holds(tokens.renewAt)) return tokens.accessToken
    // Without stored tokens, only a cookie can renew.
    if (tokens === null && (refusedToken !== null || !this.#isInCookie)) return null
    const body = this.#isInCookie ? {} : { refresh_token: tokens!.refreshToken }
    try {
      const { access_token: token } = await this.#fetchTokens('/auth/refresh', body, false)
      return token
    } catch (error) {
      if (!(error instanceof DuetError)) throw error
      if (error.status === 401) {
        await this.#end(error.code)
        throw signedOut(error)
      }
      if (tokens !== null && holds(tokens.expiresAt)) return tokens.accessToken
      throw error
    }
  }

  /** Lifetimes count from before the request, independent of the clocks. */
  async #fetchTokens(path: string, body: object, isRepeatable: boolean): Promise<TokenAnswer> {
    const sentAt = this.#now()
    const answer = await this.#post(path, body, isRepeatable)
    const tokens = answer.body as TokenAnswer
    const { access_token, refresh_token = null, expires_in } = tokens
    if (typeof access_token !== 'string') throw errorOf(answer)
    await this.#storage.write({ accessToken: access_token, refreshToken: refresh_token, ...lifeOf(expires_in, sentAt) })
    this.#isSignedIn = true
    return tokens
  }

  /**
   * A renewal is sent once per try of the waiting calls: repeating it would be a reuse. Signing in or out twice is harmless.
   */
  #post(path: string, body: object, isRepeatable: boolean): Promise<Answer> {
    return this.#send({ method: 'POST', path, body, isRepeatable, keepalive: true }, anonymous)
  }

  async #end(reason: SignedOut['reason']): Promise<void> {
    await this.#storage.write(null, reason)
    this.#notify(reason)
  }
}

function lifeOf(seconds: number, sentAt: number): { readonly renewAt: number; readonly expiresAt: number } {
  const lifeMs = seconds * 1000
  const expiresAt = sentAt + lifeMs
  return { renewAt: expiresAt - Math.min(renewBeforeMs, lifeMs / 10), expiresAt }
}

const signedOut = (cause?: DuetError): DuetError =>
  new DuetError('SIGNED_OUT', 'The session has ended: sign in again.', { status: 401, cause })
