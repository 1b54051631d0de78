// What users do with their own account besides signing in: proofs of addresses, password, magic links and issuers. (contract 5.10 – 5.16)

import type { Answer } from './answer.ts'
import { makeVerifier } from './login.ts'
import type { DevicePasskeys } from './passkey.ts'
import { anonymous, type CredentialSource, type Send } from './send.ts'
import type { Session } from './session.ts'

export interface AccountMethods {
  /**
   * Proves an address with the token of a mail: in a session, with the password, or with `startOver`, which removes whatever
   * could sign in before, and signs in.
   */
  verify(proof: { readonly token: string; readonly password?: string; readonly startOver?: true }): Promise<void>
  /** Requests a mail that proves the address of an account. */
  sendVerification(email: string): Promise<void>
  /** Needs a recent sign-in. Ends all other sessions. */
  changePassword(password: string): Promise<void>
  /** Needs a recent sign-in. The new address gets a mail, whose token goes to `verify`. */
  changeEmail(email: string): Promise<void>
  /** Returns the verifier to keep until the link is opened, for `signIn({ token, codeVerifier })`. */
  requestMagicLink(email: string): Promise<{ readonly codeVerifier: string }>
  /**
   * Where the browser signs in, and the verifier to keep until it is back at `returnTo`, for `signIn({ code, codeVerifier })`
   * or, with `link`, for `linkIssuer`.
   */
  signInUrl(
    issuer: string,
    options: { readonly returnTo: string; readonly link?: boolean },
  ): Promise<{ readonly url: string; readonly codeVerifier: string }>
  /** The same for the service's own pages. (contract 5.17) */
  signInPageUrl(options: {
    readonly returnTo: string
  }): Promise<{ readonly url: string; readonly codeVerifier: string }>
  /** Links the person of an issuer to the signed-in account. Needs a recent sign-in. Returns the id of the `SignInMethod`. */
  linkIssuer(person: { readonly code: string; readonly codeVerifier: string }): Promise<string>
  /** Makes a passkey on this device and registers it. With a challenge, signs in. Returns the id of its `SignInMethod`. */
  addPasskey(passkey: { readonly name: string } & Setup): Promise<string>
  /** Begins to set up an authenticator app, which reads the `url` as a QR code; a code of it goes to `confirmTotp`. */
  setUpTotp(setup?: Setup): Promise<{ readonly secret: string; readonly url: string }>
  /** Returns ten recovery codes. With a challenge, signs in. */
  confirmTotp(confirmation: { readonly code: string } & Setup): Promise<readonly string[]>
  /** Makes ten recovery codes, which end the former ones. Needs a recent sign-in. */
  renewRecoveryCodes(): Promise<readonly string[]>
}

/** Of `error.challenge` if its methods have `setup`; without it, a recent sign-in is needed. */
interface Setup {
  readonly challenge?: string
}
export interface AccountDependencies {
  readonly baseUrl: string
  readonly session: Session
  readonly passkeys: DevicePasskeys
  readonly credential: CredentialSource
  readonly send: Send
}

export function accountMethods({ baseUrl, session, passkeys, credential, send }: AccountDependencies): AccountMethods {
  const post = (path: string, body: object, by: CredentialSource, isRepeatable = true): Promise<Answer> =>
    send({ method: 'POST', path: `/auth/${path}`, body, isRepeatable }, by)
  async function flowUrl(path: string, returnTo: string, more: Readonly<Record<string, string>> = {}) {
    const { verifier, challenge } = await makeVerifier()
    const query = new URLSearchParams({ return_to: returnTo, code_challenge: challenge, ...more })
    return { url: `${baseUrl}/auth/${path}?${query}`, codeVerifier: verifier }
  }
  /** As the session, or with a challenge, whose answer opens one. */
  const add = async (path: string, body: object, { challenge }: Setup): Promise<unknown> =>
    challenge === undefined
      ? (await post(path, body, credential, false)).body
      : session.openWith(`/auth/${path}`, { ...body, challenge })
  const begin = async (path: string, body: object, { challenge }: Setup): Promise<object> =>
    (challenge === undefined ? await post(path, body, credential) : await post(path, { ...body, challenge }, anonymous))
      .body as object
  return {
    async verify({ token, password, startOver }) {
      if (startOver) await session.openWith('/auth/verify', { token, start_over: true })
      else if (password !== undefined) await post('verify', { token, password }, anonymous, false)
      else await post('verify', { token }, credential, false)
    },
    async sendVerification(email) {
      await post('send-verification', { email }, anonymous)
    },
    async changePassword(password) {
      await post('change-password', { password }, credential)
    },
    async changeEmail(email) {
      await post('change-email', { email }, credential)
    },
    async requestMagicLink(email) {
      const { verifier, challenge } = await makeVerifier()
      await post('magic-link', { email, code_challenge: challenge }, anonymous)
      return { codeVerifier: verifier }
    },
    signInUrl: (issuer, { returnTo, link = false }) =>
      flowUrl(`issuers/${encodeURIComponent(issuer)}`, returnTo, link ? { for: 'link' } : {}),
    signInPageUrl: ({ returnTo }) => flowUrl('pages/sign-in', returnTo),
    async linkIssuer({ code, codeVerifier }) {
      const { body } = await post('issuers', { ticket: code, code_verifier: codeVerifier }, credential, false)
      return (body as { readonly id: string }).id
    },
    async addPasskey({ name, ...setup }) {
      const registration = await passkeys.create(await begin('passkeys/options', { for: 'register' }, setup))
      return ((await add('passkeys', { registration, name }, setup)) as { readonly id: string }).id
    },
    setUpTotp: async (setup = {}) =>
      (await begin('totp', {}, setup)) as { readonly secret: string; readonly url: string },
    confirmTotp: async ({ code, ...setup }) => codesIn(await add('totp', { code }, setup)),
    renewRecoveryCodes: async () => codesIn((await post('recovery-codes', {}, credential)).body),
  }
}

const codesIn = (body: unknown) => (body as { readonly recovery_codes: readonly string[] }).recovery_codes
