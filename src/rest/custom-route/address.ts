// The addresses of an author's own: found after those of resources, which they never shadow.

import type { Version } from '../version.ts'
import type { RouteDefinition } from './definition.ts'

export interface AuthorAddress {
  /** `/reports/{name}`, below the version's prefix. */
  readonly template: string
  /** `/api/v2`; empty for what is in no version. */
  readonly prefix: string
  /** The same with the prefix. */
  readonly pattern: string
  /** Whose names it has: the current one's where it is in none. */
  readonly version: Version
  /** By method; HEAD does what GET does. */
  readonly endpoints: ReadonlyMap<string, RouteDefinition>
  readonly allow: string
}
export interface AuthorAddressMatch {
  readonly address: AuthorAddress
  /** What stands in the path, by the names of the template; not decoded. */
  readonly parts: ReadonlyMap<string, string>
}

/** One address for each path that routes name, in the order in which they win. Expects routes without contradictions. */
export function authorAddresses(
  routes: readonly RouteDefinition[],
  versions: readonly Version[],
): readonly AuthorAddress[] {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const addresses = [...byPath].map(([path, definitions]) => makeAddress(path, definitions, versions))
  return addresses.toSorted((left, right) => (order(left) < order(right) ? -1 : 1))
}

/** `/reports/sales` comes before `/reports/{name}`: `~` is behind all that words are made of. */
const order = ({ template }: AuthorAddress): string => template.replaceAll(/\{[^}]*\}/g, '~')

function makeAddress(
  path: string,
  definitions: readonly RouteDefinition[],
  versions: readonly Version[],
): AuthorAddress {
  const own = versions.find(({ prefix }) => path.startsWith(`${prefix}/`))
  const version = own ?? versions.at(-1)!
  const prefix = own?.prefix ?? ''
  const endpoints = new Map<string, RouteDefinition>()
  for (const definition of definitions) {
    endpoints.set(definition.method, definition)
    if (definition.method === 'GET') endpoints.set('HEAD', definition)
  }
  const allow = [...endpoints.keys(), 'OPTIONS'].join(', ')
  return { template: path.slice(prefix.length), prefix, pattern: path, version, endpoints, allow }
}

/** The address of a path as it was sent; null where there is none. */
export function findAuthorAddress(path: string, addresses: readonly AuthorAddress[]): AuthorAddressMatch | null {
  for (const address of addresses) {
    const { prefix } = address
    const parts = path.startsWith(`${prefix}/`) ? partsOf(path.slice(prefix.length), address.template) : null
    if (parts !== null) return { address, parts }
  }
  return null
}

function partsOf(path: string, template: string): ReadonlyMap<string, string> | null {
  const [segments, pattern] = [path.split('/'), template.split('/')]
  if (segments.length !== pattern.length) return null
  const parts = new Map<string, string>()
  for (const [index, part] of pattern.entries()) {
    const text = segments[index]!
    if (part.startsWith('{') && text !== '') parts.set(part.slice(1, -1), text)
    else if (part !== text) return null
  }
  return parts
}
