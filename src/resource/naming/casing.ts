// Spellings of one name in the definition, REST, GraphQL and SQL. No other file converts names.

import { plural as pluralNoun } from './plural.ts'

export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '')
export const words = (name: string): string => snake(name).replaceAll('_', ' ')
export const kebab = (name: string): string => snake(name).replaceAll('_', '-')
/** `author_id` for a relation, `password_hash` for a hashed value. */
export const columnName = (field: string, kind: string): string =>
  kind === 'one'
    ? `${snake(field)}_id`
    : kind === 'password' || kind === 'token'
      ? `${snake(field)}_hash`
      : snake(field)
/** Of a part of an object, such as `address.city`; a field has no dot in its name. */
export const isPart = (field: string): boolean => field.includes('.')
export const usesField = (token: string): string => `${token}Uses`
/** The column of the folded form; no field can have such a name. */
export const foldedName = (column: string): string => `${column}__folded`
export const wordsName = (column: string): string => `${column}__words`
export const partsName = (column: string): string => `${column}__parts`
export const isFoldedName = (column: string): boolean => /__(?:folded|words|parts)$/.test(column)
export const countField = (name: string): string => `${name}Count`
/** The column of a kept number or a stored value; a changed definition gets a new one. No field can have such a name. */
export const keptName = (column: string, definition: string): string =>
  `${column.replaceAll('.', '_').slice(0, keptLengthMax)}_${definition}__kept`
/** PostgreSQL cuts names after 63 characters. */
const keptLengthMax = 63 - '_01234567__kept'.length
export const tallyName = 'tally__kept'
export const linkTable = (table: string, field: string): string => `${table}_${snake(field).replaceAll(' ', '_')}`
export const aboveList = (parent: string): string => `above ${parent}`
export const isAboveList = (list: string): boolean => list.startsWith('above ')
export const timedNames = (move: string) => {
  const name = snake(move)
  return { made: `${name}__made`, parked: `${name}__parked`, copy: `${name}__copy` }
}
export const isKeptName = (column: string): boolean => /__(?:kept|made|parked|copy)$/.test(column)
/** A column whose values the service computes from others. */
export const isComputedName = (column: string): boolean =>
  isFoldedName(column) || /(?:_[0-9a-f]{8}__kept|__copy)$/.test(column)
export const pluralOf = ({ name, plural }: { readonly name: string; readonly plural?: string }): string =>
  plural ?? pluralNoun(uncapitalised(name))
interface NamedResource {
  readonly name: string
  readonly plural?: string
  readonly graphql?: string
}
export const graphqlNameOf = ({ name, graphql = name }: NamedResource): string => graphql
export const graphqlPluralOf = (of: NamedResource): string =>
  of.graphql === undefined ? pluralOf(of) : pluralNoun(uncapitalised(of.graphql))
/** A value of a choice in GraphQL, whose names have neither dots nor dashes: `past_due`. */
export const enumName = (value: string): string => value.replaceAll(/[.-]/g, '_')
export const constant = (name: string): string => snake(name).toUpperCase()
export const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
export const uncapitalised = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)
