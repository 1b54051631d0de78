// The only place that knows how one name is written in the definition, on the REST wire, in GraphQL and in SQL.

/** `avatarUrl` → `avatar_url`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '')
/** `apiKeys` → `api keys`: for sentences. */
export const words = (name: string): string => snake(name).replaceAll('_', ' ')
/** `apiKeys` → `api-keys`. */
export const kebab = (name: string): string => snake(name).replaceAll('_', '-')
/** The column of a field: `author_id` for a relation, `password_hash` for what is stored as a hash. */
export const columnName = (field: string, kind: string): string =>
  kind === 'one'
    ? `${snake(field)}_id`
    : kind === 'password' || kind === 'token'
      ? `${snake(field)}_hash`
      : snake(field)
/** The field that counts the uses of a token with a limit of them. */
export const usesField = (token: string): string => `${token}Uses`
/** Where the folded form of a text is kept: no field has such a name. */
export const foldedName = (column: string): string => `${column}__folded`
/** Where its words are kept for searches, and the parts of its words. */
export const wordsName = (column: string): string => `${column}__words`
export const partsName = (column: string): string => `${column}__parts`
/** True for names that these make: what follows from the column beside it. */
export const isFoldedName = (column: string): boolean => /__(?:folded|words|parts)$/.test(column)
/** The field of a kept count: `likes` is `likesCount`. */
export const countField = (name: string): string => `${name}Count`
/** Where a number is kept that follows from other records: another definition has another name. No field has such a name. */
export const keptName = (column: string, definition: string): string => `${column}_${definition}__kept`
/** The column that is raised whenever a kept number of a record changes. */
export const tallyName = 'tally__kept'
/** True for names that `keptName` makes, and for that one. */
export const isKeptName = (column: string): boolean => column.endsWith('__kept')
/** The join table of a many-to-many relation: `users_followers`. */
export const linkTable = (table: string, field: string): string => `${table}_${snake(field)}`
/** What a resource is called in paths and tables, where its definition does not say. */
export const pluralOf = ({ name, plural }: { readonly name: string; readonly plural?: string }): string =>
  plural ?? `${uncapitalised(name)}s`
/** `publishedAt` → `PUBLISHED_AT`. */
export const constant = (name: string): string => snake(name).toUpperCase()
export const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
export const uncapitalised = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** `OrderItems` → `OrderItem`: what one of a list is called. */
export const singular = (name: string): string =>
  name.endsWith('ies') ? `${name.slice(0, -3)}y` : /[^s]s$/.test(name) ? name.slice(0, -1) : name
