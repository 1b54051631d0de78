// What a request asks for, in whichever form its target is written. (RFC 9112 3.2)

// Every visible ASCII character but # and %.
const hasUnusual = /[^!"$&-~]/
const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is
// A name or IPv4 address, or an IPv6 address in brackets, and perhaps a port. (RFC 9110 7.2)
const hostForm = /^(?:[\w.~-]*|\[[0-9a-fA-F:.]+\])(?::\d{0,5})?$/
let lastHost = ''

/** Nearly all requests name the host that the request before them named. */
export function isHost(host: string): boolean {
  if (host === lastHost) return true
  if (!hostForm.test(host)) return false
  lastHost = host
  return true
}

/**
 * The target without the scheme and host that it may begin with, and that host, which then counts instead of the header
 * Host; null where it begins with none.
 */
export function originForm(method: string, target: string): { readonly target: string; readonly host: string | null } {
  const absolute = target.charCodeAt(0) === 0x2f ? null : absoluteForm.exec(target)
  if (absolute === null) return { target, host: null }
  const [, host, rest] = absolute as unknown as [string, string, string]
  if (rest === '' && method === 'OPTIONS') return { target: '*', host }
  return { target: rest.startsWith('/') ? rest : `/${rest}`, host }
}

/**
 * Why this is no target: a path, whose percent-encoding is that of text without control characters, and perhaps a query,
 * behind the scheme and host of an absolute URL or alone; or `OPTIONS *`. What the query's escapes say is judged by who
 * reads it, who can name the parameter. (contract 4.10.12)
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
    // The one way to ask whether escapes are complete and are UTF-8.
    return false
  }
}
