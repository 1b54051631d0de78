// Between the names of TypeScript and those of the wire: keys of objects, at any depth, but never inside JSON of your own.

import { snake } from '../resource/naming/casing.ts'

/** `avatar_url` → `avatarUrl`; also in a path such as `items[0].product_id`. */
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Names, as TypeScript writes them, of fields whose values are nobody's to rename. */
export type JsonFields = { readonly [name: string]: true }

/** As the service reads it. What is undefined is left out, as JSON does. */
export const toWire = (value: unknown, json: JsonFields): unknown => renamed(value, snake, (name) => name in json)
/** As TypeScript reads it. */
export const fromWire = (value: unknown, json: JsonFields): unknown =>
  renamed(value, camel, (name) => camel(name) in json)

function renamed(value: unknown, rename: (name: string) => string, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, rename, isKept))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [rename(name), isKept(name) ? each : renamed(each, rename, isKept)]),
  )
}
