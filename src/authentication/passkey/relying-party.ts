// The domain that passkeys belong to, and the origins below it that may use them. (contract 5.15.2)

import { isIP } from 'node:net'

export interface RelyingParty {
  readonly domain: string
  readonly origins: readonly string[]
}
export interface RelyingPartyOptions {
  readonly baseUrl: string
  /** `PASSKEY_DOMAIN`; null: the host of `baseUrl`. */
  readonly domain: string | null
  /** Of browsers, besides that of `baseUrl`. */
  readonly allowedOrigins: Iterable<string>
  /** Of native apps, such as `android:apk-key-hash:…`. */
  readonly appOrigins: readonly string[]
}

/** Throws an Error that names the variable if no browser could use a passkey. */
export function relyingParty({
  baseUrl,
  domain: named,
  allowedOrigins,
  appOrigins,
}: RelyingPartyOptions): RelyingParty {
  const own = new URL(baseUrl)
  // Browsers have passkeys for domains only, and developers open the service at localhost as well.
  const local = /^(127\.0\.0\.1|\[::1\])$/.test(own.hostname) ? [`${own.protocol}//localhost:${own.port}`] : []
  const domain = named ?? (local.length > 0 ? 'localhost' : own.hostname)
  if (isIP(domain.replace(/^\[(.*)\]$/, '$1')) !== 0)
    throw new Error(`PASSKEY_DOMAIN must be a domain, since browsers have no passkeys for addresses such as ${domain}.`)
  const isBelow = (origin: string): boolean => {
    const { hostname } = new URL(origin)
    return hostname === domain || hostname.endsWith(`.${domain}`)
  }
  const origins = [...new Set([own.origin, ...local, ...allowedOrigins].filter(isBelow)), ...appOrigins]
  if (origins.length === 0)
    throw new Error(`PASSKEY_DOMAIN is ${domain}, and neither BASE_URL nor an origin of ALLOWED_ORIGINS is below it.`)
  return { domain, origins }
}
