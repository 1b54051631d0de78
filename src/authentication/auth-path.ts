// The paths of authentication: `/auth`, and `/api/auth`, which never uses cookies. (contract 4.12, 4.14.3)

/** The endpoint's name, such as `login`; null for other paths. */
export function authEndpointOf(path: string): { readonly name: string; readonly isApi: boolean } | null {
  if (!path.startsWith('/auth') && !path.startsWith('/api/auth')) return null
  const [isWhole, api, name = ''] = /^(\/api)?\/auth(?:\/(.*))?$/.exec(path) ?? []
  return isWhole === undefined ? null : { name, isApi: api !== undefined }
}

/** Proving who one is, and beginning to, have rate limits of their own; null for other requests. (contract 8.3, 5.10.4) */
export function signInKind(method: string, path: string): 'login' | 'flow' | null {
  const name = authEndpointOf(path)?.name
  if (name === undefined) return null
  if (method === 'POST' && ['login', 'reauthenticate'].includes(name)) return 'login'
  const begins = method === 'GET' ? /^(issuers\/[^/]+|pages\/sign-in)$/.test(name) : name === 'passkeys/options'
  return begins ? 'flow' : null
}
