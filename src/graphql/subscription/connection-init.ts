// What `connection_init` says of a client: its credential and its name, which over HTTP are headers. (contract 6.2.2)

/** The headers that hold a credential, as a request would have them. */
export interface CredentialHeaders {
  readonly authorization?: string
  readonly 'x-api-key'?: string
  readonly 'x-access-code'?: string
}

/**
 * `Authorization` or `X-API-Key`, in any case, as headers are, and `accessCode`, which may be written as the header. One that is no
 * text, or there twice, is no good one.
 */
export function credentialOf(payload: Readonly<Record<string, unknown>>): CredentialHeaders {
  const entries = Object.entries(payload).map(([name, value]) => [headerOf(name), value] as const)
  const headers = entries.filter(([name, value]) => credentialNames.has(name) && value !== undefined && value !== null)
  const isTwice = new Set(headers.map(([name]) => name)).size < headers.length
  return Object.fromEntries(headers.map(([name, value]) => [name, typeof value === 'string' && !isTwice ? value : '']))
}

const credentialNames: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-access-code'])
const headerOf = (name: string): string => (name === 'accessCode' ? 'x-access-code' : name.toLowerCase())

/** As the header `X-Client-Name`, which browsers cannot send with an upgrade. */
export function clientNameOf(payload: Readonly<Record<string, unknown>>): string | undefined {
  const value = Object.entries(payload).find(([name]) => name.toLowerCase() === 'x-client-name')?.[1]
  return typeof value === 'string' ? value : undefined
}
