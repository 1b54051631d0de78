// Which paths belong to signing in: `/auth`, and `/api/auth`, which is the same without cookies. (contract 4.12, 4.14.3)

/** The endpoint that a path names, such as `login`; null where it is not below `/auth` or `/api/auth`. */
export function authEndpointOf(path: string): { readonly name: string; readonly isApi: boolean } | null {
  if (!path.startsWith('/auth') && !path.startsWith('/api/auth')) return null
  const [isWhole, api, name = ''] = /^(\/api)?\/auth(?:\/(.*))?$/.exec(path) ?? []
  return isWhole === undefined ? null : { name, isApi: api !== undefined }
}

/** Whether a request is one to sign in, with its own limit. (contract 8.3) */
export const isLogin = (method: string, path: string): boolean =>
  method === 'POST' && authEndpointOf(path)?.name === 'login'
