// The words of authorization: `posts:publish`, `users:manage`, `comments:edit_own`.

/** `<resource>:<verb>`, the resource by its path name, such as `api-keys:read`. (contract 2.6) */
export type Permission = `${string}:${string}`

export const permission = (resource: string, verb: string): Permission => `${resource}:${verb}`
