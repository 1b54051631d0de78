// The paths of authentication: `/auth`, and `/api/auth`, which never uses cookies. (contract 4.12, 4.14.3)

/** The endpoint's name, such as `login`; null for other paths. */
export function authEndpointOf(path: string): { readonly name: string; readonly isApi: boolean } | null {
  if (!path.startsWith('/auth') && !path.startsWith('/api/auth')) return null
  const [isWhole, api, name = ''] = /^(\/api)?\/auth(?:\/(.*))?$/.exec(path) ?? []
  return isWhole === undefined ? null : { name, isApi: api !== undefined }
}

/** Proving who one is has its own rate limit. (contract 8.3, 5.10.4) */
export const isLogin = (method: string, path: string): boolean =>
  method === 'POST' && ['login', 'reauthenticate'].includes(authEndpointOf(path)?.name ?? '')
