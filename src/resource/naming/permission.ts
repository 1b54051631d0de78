/** `<resource>:<verb>`, the resource by its path name, such as `posts:publish` or `comments:edit_own`. (contract 2.6) */
export type Permission = `${string}:${string}`

export const permission = (resource: string, verb: string): Permission => `${resource}:${verb}`
