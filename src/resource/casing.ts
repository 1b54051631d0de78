// The only place that knows how one name is written in the definition, on the REST wire, in GraphQL and in SQL.

/** `avatarUrl` → `avatar_url`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '')
/** `apiKeys` → `api-keys`. */
export const kebab = (name: string): string => snake(name).replaceAll('_', '-')
/** `publishedAt` → `PUBLISHED_AT`. */
export const constant = (name: string): string => snake(name).toUpperCase()
export const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
export const uncapitalised = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)
