// Credential and client name in `connection_init`, as in HTTP headers. (contract 6.2.2)

export interface CredentialHeaders {
  readonly authorization?: string
  readonly 'x-api-key'?: string
  readonly 'x-access-code'?: string
}

/**
 * `Authorization` or `X-API-Key` in any case, and `accessCode`, also in its header's spelling. Not text or given twice: invalid.
 */
export function credentialOf(payload: Readonly<Record<string, unknown>>): CredentialHeaders {
  const entries = Object.entries(payload).map(([name, value]) => [headerOf(name), value] as const)
  const headers = entries.filter(([name, value]) => credentialNames.has(name) && value !== undefined && value !== null)
  const isTwice = new Set(headers.map(([name]) => name)).size < headers.length
  return Object.fromEntries(headers.map(([name, value]) => [name, typeof value === 'string' && !isTwice ? value : '']))
}

const credentialNames: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-access-code'])
const headerOf = (name: string): string => (name === 'accessCode' ? 'x-access-code' : name.toLowerCase())

/** A client that apparently tried to authenticate: something like a token under an unread name. (contract 6.2.12) */
export function misplacesCredential(payload: Readonly<Record<string, unknown>>): boolean {
  const { authorization, 'x-api-key': apiKey } = credentialOf(payload)
  return authorization === undefined && apiKey === undefined && Object.entries(payload).some(holdsCredential)
}

function holdsCredential([name, value]: readonly [string, unknown]): boolean {
  if (typeof value === 'object' && value !== null) return Object.entries(value).some(holdsCredential)
  if (typeof value !== 'string' || value === '') return false
  return tokenNames.has(name.toLowerCase().replaceAll(/[-_]/g, '')) || /^bearer /i.test(value)
}
/** In lower case, without dashes. */
const tokenNames: ReadonlySet<string> = new Set([
  'authorization',
  'xapikey',
  'apikey',
  'auth',
  'authtoken',
  'accesstoken',
  'bearer',
  'bearertoken',
  'credential',
  'idtoken',
  'jwt',
  'token',
])

/** Browsers cannot send this header with an upgrade. */
export function clientNameOf(payload: Readonly<Record<string, unknown>>): string | undefined {
  const value = Object.entries(payload).find(([name]) => name.toLowerCase() === 'x-client-name')?.[1]
  return typeof value === 'string' ? value : undefined
}
