// Addresses of custom routes. Resources are found first.

import type { RouteDefinition } from '../../custom-route/definition.ts'
import type { Address } from '../route/routes.ts'
import type { Version } from '../route/version.ts'

/** Outside the versions, its version is the current one. */
export interface AuthorAddress extends Address<RouteDefinition> {
  /** `/api/v2`; empty outside the versions. */
  readonly prefix: string
}
export interface AuthorAddressMatch {
  readonly address: AuthorAddress
  /** By name, not decoded. */
  readonly parts: ReadonlyMap<string, string>
}

/** By descending precedence. Expects routes without contradictions. */
export function authorAddresses(
  routes: readonly RouteDefinition[],
  versions: readonly Version[],
): readonly AuthorAddress[] {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const addresses = [...byPath].map(([path, definitions]) => makeAddress(path, definitions, versions))
  return addresses.toSorted((left, right) => (order(left) < order(right) ? -1 : 1))
}

/** Puts `/reports/sales` before `/reports/{name}`: `~` sorts after all characters of words. */
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

/** By the path as sent; null if none. */
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
