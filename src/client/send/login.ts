// How users prove who they are: the forms of login and reauthenticate. (contract 5.13.1)

import type { PasskeyRequest } from './passkey.ts'

/** By a passkey of this device. */
export interface PasskeyLogin extends PasskeyRequest {
  readonly passkey: true
  /** Of `error.challenge`, if it is the second factor. */
  readonly challenge?: string
}
/** How a user signs in. */
export type Login =
  | { readonly email: string; readonly password: string }
  /** Of a magic link, with the verifier that `requestMagicLink` returned. */
  | { readonly token: string; readonly codeVerifier: string }
  /** Of the address to which an issuer's sign-in returned, with the verifier that `signInUrl` returned. */
  | { readonly code: string; readonly codeVerifier: string }
  /** A code of an authenticator app or a recovery code, as the second factor: `challenge` is that of `error.challenge`. */
  | { readonly challenge: string; readonly code: string }
  | PasskeyLogin

export const isPasskeyLogin = (login: Login): login is PasskeyLogin => 'passkey' in login

export const bodyOf = (login: Exclude<Login, PasskeyLogin>): object => {
  if ('password' in login) return { email: login.email, password: login.password }
  if ('token' in login) return { token: login.token, code_verifier: login.codeVerifier }
  return 'challenge' in login
    ? { challenge: login.challenge, code: login.code }
    : { code: login.code, code_verifier: login.codeVerifier }
}

/** A code verifier and its challenge. (RFC 7636) */
export async function makeVerifier(): Promise<{ readonly verifier: string; readonly challenge: string }> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64url(new Uint8Array(digest)) }
}
const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
