// The host path of the service: removed from requests, and prefixed to paths in answers.

import type { Reply } from '../message/exchange.ts'

/**
 * Checks a base path: empty, or segments of letters, digits and `-._~` such as `/backend`, without a trailing slash. Otherwise
 * throws an Error.
 */
export function requireBasePath(basePath: string): string {
  if (basePath === '' || (/^(?:\/[\w.~-]+)+$/.test(basePath) && !/\/\.{1,2}(?:\/|$)/.test(basePath))) return basePath
  throw new Error(`basePath: "${basePath}" is not a path such as /backend, without a slash at the end.`)
}

/** Null if the target is not below the base path. */
export function targetBelow(basePath: string, target: string): string | null {
  if (basePath === '') return target
  if (!target.startsWith(basePath)) return null
  const rest = target.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : null
}

/** Prefixes every path in the headers; a whole URL is unchanged. */
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
