// Converts names between TypeScript and the wire: object keys at any depth, except inside JSON fields.

import { snake } from '../../resource/naming/casing.ts'

/** `avatar_url` → `avatarUrl`; also in paths such as `items[0].product_id`. */
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** TypeScript names of fields whose values are not renamed. */
export type JsonFields = { readonly [name: string]: true }

/** Undefined is omitted, as in JSON. */
export const toWire = (value: unknown, json: JsonFields): unknown => renamed(value, snake, (name) => name in json)
export const fromWire = (value: unknown, json: JsonFields): unknown =>
  renamed(value, camel, (name) => camel(name) in json)

function renamed(value: unknown, rename: (name: string) => string, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, rename, isKept))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [rename(name), isKept(name) ? each : renamed(each, rename, isKept)]),
  )
}
