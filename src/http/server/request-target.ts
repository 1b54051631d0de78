// Parses request targets in all their forms. (RFC 9112 3.2)

const hasUnusual = /[^!"$&-~]/
const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is
// A name or IPv4 address, or an IPv6 address in brackets, optionally with a port. (RFC 9110 7.2)
const hostForm = /^(?:[\w.~-]*|\[[0-9a-fA-F:.]+\])(?::\d{0,5})?$/
let lastHost = ''

/** Caches the last host, which most requests share. */
export function isHost(host: string): boolean {
  if (host === lastHost) return true
  if (!hostForm.test(host)) return false
  lastHost = host
  return true
}

/** Splits an absolute URL into target and host, which then overrides the Host header; otherwise host is null. */
export function originForm(method: string, target: string): { readonly target: string; readonly host: string | null } {
  const absolute = target.charCodeAt(0) === 0x2f ? null : absoluteForm.exec(target)
  if (absolute === null) return { target, host: null }
  const [, host, rest] = absolute as unknown as [string, string, string]
  if (rest === '' && method === 'OPTIONS') return { target: '*', host }
  return { target: rest.startsWith('/') ? rest : `/${rest}`, host }
}

/**
 * Valid are a path, whose percent-encoding is text without control characters, with an optional query, alone or in an absolute
 * URL; and `OPTIONS *`. The query's escapes are checked later, when the parameter can be named. (contract 4.10.12)
 */
export function findTargetFault(method: string, sent: string): string | null {
  const { target, host } = originForm(method, sent)
  if (host !== null && (!isHost(host) || /^(?::|$)/.test(host))) return 'The host of the request target is malformed.'
  if (target.charCodeAt(0) !== 0x2f && !(method === 'OPTIONS' && target === '*'))
    return 'The request target is not a path.'
  if (!hasUnusual.test(target)) return null
  if (/[^!-~]/.test(target)) return 'The request target holds a character that must be percent-encoded.'
  if (target.includes('#')) return 'The request target holds a fragment.'
  const path = target.split('?', 1)[0]!
  if (/%[01][0-9a-f]|%7f/i.test(path)) return 'The path holds a control character.'
  return isPercentEncoding(path) ? null : 'The percent-encoding of the path is malformed.'
}

function isPercentEncoding(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    // Decoding is the only way to test the escapes.
    return false
  }
}
