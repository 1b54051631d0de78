// Speaks OpenID Connect with an issuer, through `openid-client`: authorization code with PKCE, state, nonce and `iss`. (contract 5.16.3)

import type { Configuration, CustomFetch } from 'openid-client'
import { loadOptional } from '../../dependency/optional-package.ts'
import type { Limits } from '../../limits.ts'
import type { FlowSecrets } from '../flow/flow-cookie.ts'
import type { Members } from '../token/signed-text.ts'
import type { OidcOptions } from './oidc.ts'
import { readBounded } from './outside-key-set.ts'

export interface ProvedPerson {
  readonly issuer: string
  readonly subject: string
  /** Of the ID token, and of `userinfo` where it has more. */
  readonly claims: Members
}
export interface IssuerClient {
  /** Where the browser signs in. Rejects if the issuer does not respond. */
  authorizationUrl(secrets: FlowSecrets): Promise<URL>
  /** Exchanges the code in this query. Null if the person did not agree; rejects for anything that does not fit the flow. */
  exchange(query: string, secrets: FlowSecrets): Promise<ProvedPerson | null>
}
export interface IssuerClientOptions {
  readonly issuer: OidcOptions
  readonly callback: string
  readonly fetch: typeof globalThis.fetch
  readonly limits: Pick<Limits, 'outsideKeySetBytes' | 'outsideTimeoutMs' | 'outsideMaxAgeSeconds'>
}
type Library = typeof import('openid-client')

export function createIssuerClient({ issuer, callback, fetch, limits }: IssuerClientOptions): IssuerClient {
  let current: { readonly until: number; readonly configuration: Promise<Configuration> } | null = null
  const library = (): Promise<Library> =>
    loadOptional('openid-client', 'accounts.methods names issuers', () => import('openid-client'))

  async function discover(): Promise<Configuration> {
    const { discovery, enableNonRepudiationChecks, allowInsecureRequests, customFetch } = await library()
    const isLocal = issuer.url.startsWith('http:')
    return discovery(new URL(issuer.url), issuer.clientId, {}, await authenticationOf(issuer, library), {
      // Signatures of ID tokens are verified, although they come directly from the issuer.
      execute: [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])],
      timeout: limits.outsideTimeoutMs / 1000,
      [customFetch]: bounded(fetch, limits.outsideKeySetBytes),
    })
  }
  function configuration(): Promise<Configuration> {
    const now = performance.now()
    if (current !== null && now < current.until) return current.configuration
    const attempt = { until: now + limits.outsideMaxAgeSeconds * 1000, configuration: discover() }
    current = attempt
    attempt.configuration.catch(() => {
      if (current === attempt) current = null
    })
    return attempt.configuration
  }

  return {
    async authorizationUrl({ state, nonce, verifier }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
      return buildAuthorizationUrl(await configuration(), {
        redirect_uri: callback,
        scope: ['openid', ...(issuer.scopes ?? ['profile', 'email'])].join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
    },
    async exchange(query, { state, nonce, verifier }) {
      const { authorizationCodeGrant, fetchUserInfo, AuthorizationResponseError } = await library()
      const found = await configuration()
      try {
        const tokens = await authorizationCodeGrant(found, new URL(`${callback}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        const hasMore = found.serverMetadata().userinfo_endpoint !== undefined
        const more = hasMore ? await fetchUserInfo(found, tokens.access_token, claims.sub) : {}
        return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } as Members }
      } catch (error) {
        if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return null
        throw error
      }
    },
  }
}

/** The body of the request, if the issuer accepts that; otherwise Basic, which all accept. */
async function authenticationOf({ clientSecret }: OidcOptions, library: () => Promise<Library>) {
  const { ClientSecretBasic, ClientSecretPost, None } = await library()
  if (clientSecret === undefined) return None()
  const [post, basic] = [ClientSecretPost(clientSecret), ClientSecretBasic(clientSecret)]
  return (...sent: Parameters<typeof post>) => {
    const [{ token_endpoint_auth_methods_supported: ways = [] }] = sent
    return ways.includes('client_secret_post') ? post(...sent) : basic(...sent)
  }
}

/** Follows no redirects, and reads no more than so many bytes. */
const bounded =
  (fetch: typeof globalThis.fetch, bytesMax: number): CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual' })
    const body = await readBounded(response, bytesMax, `The answer of ${new URL(url).origin}`)
    const { status, headers } = response
    return new Response(body.length === 0 ? null : body, { status, headers })
  }
