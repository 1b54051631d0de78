// The path of a host below which everything of ours is served: taken off requests, put before the paths that answers name.

import type { Reply } from '../message/exchange.ts'

/**
 * Checks a base path: empty, or segments of letters, digits and `-._~` such as `/backend`, without a slash at the end.
 * Throws an Error with one sentence where it is anything else.
 */
export function requireBasePath(basePath: string): string {
  if (basePath === '' || (/^(?:\/[\w.~-]+)+$/.test(basePath) && !/\/\.{1,2}(?:\/|$)/.test(basePath))) return basePath
  throw new Error(`basePath: "${basePath}" is not a path such as /backend, without a slash at the end.`)
}

/** The target as if there were no base path; null where it is not below it. */
export function targetBelow(basePath: string, target: string): string | null {
  if (basePath === '') return target
  if (!target.startsWith(basePath)) return null
  const rest = target.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : null
}

/** The reply with the base path before every path that its headers name. A whole URL stays as it is. */
export function withBasePath<T extends Reply>(reply: T, basePath: string): T {
  const { Location, Link } = reply.headers
  if (basePath === '' || (Location === undefined && Link === undefined)) return reply
  const headers = { ...reply.headers }
  if (typeof Location === 'string' && isPath(Location)) headers['Location'] = basePath + Location
  if (typeof Link === 'string') headers['Link'] = Link.replaceAll(/<(\/(?!\/)[^>]*)>/g, `<${basePath}$1>`)
  return { ...reply, headers }
}

/** `//example.com` is another host. */
const isPath = (text: string): boolean => text.startsWith('/') && !text.startsWith('//')
