// `oidc(…)`: an OpenID Connect issuer at which accounts sign in. (contract 5.16)

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { SignInIssuer } from '../../resource/language/service.ts'
import type { Provision } from './provision.ts'

/** What the service is at the issuer, and who gets an account. */
export interface OidcOptions {
  /** The issuer's identifier, below which it publishes `/.well-known/openid-configuration`. */
  readonly url: string
  readonly clientId: string
  /** Absent for a client without a secret. */
  readonly clientSecret?: string
  /** Creates an account at the first sign-in of a person. By default, only linked accounts sign in. */
  readonly provision?: Provision
  /** What is requested besides `openid`. Default: `profile` and `email`. */
  readonly scopes?: readonly string[]
  /** True: `mfa` in the issuer's `amr` is a second factor here as well. Default: false. */
  readonly secondFactor?: boolean
}

const definitions = new WeakMap<SignInIssuer, OidcOptions>()

/** For `accounts.methods.issuers`. Needs `openid-client`. */
export function oidc(options: OidcOptions): SignInIssuer {
  // The secret is in nothing that prints a definition.
  const issuer: SignInIssuer = { url: options.url, clientId: options.clientId }
  definitions.set(issuer, options)
  return issuer
}

export type SignInIssuers = Readonly<Record<string, SignInIssuer>>

/** Fails with ServiceDefinitionError. */
export function requireSoundSignIn(issuers: SignInIssuers): void {
  const problems = Object.entries(issuers).flatMap(([name, issuer]) =>
    problemsOf(definitions.get(issuer)).map((problem) => `accounts.methods.issuers.${name}: ${problem}.`),
  )
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
}

function problemsOf(options: OidcOptions | undefined): readonly string[] {
  if (options === undefined) return ['it was not made by oidc; write oidc({ url, clientId, clientSecret })']
  const { url, clientId, clientSecret } = options
  return [
    ...(isSafe(url) ? [] : ['its url is no https address; set it to the issuer, as its metadata spell it']),
    ...(isText(clientId) ? [] : ['its clientId is empty; set it to the one that the issuer gave to this service']),
    ...(clientSecret === undefined || isText(clientSecret)
      ? []
      : ['its clientSecret is empty; set it, or leave it out']),
  ]
}
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
/** `http:` only on this machine. */
function isSafe(text: unknown): boolean {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null || url.search !== '' || url.hash !== '') return false
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
  )
}

export const optionsOf = (issuer: SignInIssuer): OidcOptions => definitions.get(issuer)!
