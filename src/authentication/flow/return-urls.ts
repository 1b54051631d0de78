// Where browsers may be sent after a sign-in: exact addresses, compared after parsing. (contract 5.16.2)

/** The address in the form in which browsers are sent there; null if it is not allowed. */
export type FindReturnUrl = (text: string) => string | null

/**
 * Separated by commas. By default, addresses of the service's own origin. Throws an Error that names the variable for an
 * invalid one.
 */
export function parseReturnUrls(text: string | null, baseUrl: string): FindReturnUrl {
  if (text === null) {
    const { origin } = new URL(baseUrl)
    return (sent) => {
      const url = readReturnUrl(sent)
      return url !== null && url.origin === origin ? url.href : null
    }
  }
  const allowed = new Set(text.split(',').map((each) => keyOf(requireReturnUrl(each.trim()))))
  return (sent) => {
    const url = readReturnUrl(sent)
    return url !== null && allowed.has(keyOf(url)) ? url.href : null
  }
}

function requireReturnUrl(text: string): URL {
  const url = readReturnUrl(text)
  if (url !== null) return url
  throw new Error(
    `RETURN_URLS: "${text}" is not an address such as https://app.example.com/signed-in or com.example.app:/signed-in, without a query.`,
  )
}

/** Null unless it is https, http on this machine, or a private scheme with a dot, and has no user, query or fragment. */
function readReturnUrl(text: string): URL | null {
  // Parsers drop control characters, and read backslashes as slashes.
  if (/[\s\\]/.test(text)) return null
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return null
  if (url.protocol === 'https:') return url
  if (url.protocol === 'http:') return isLoopback(url) || url.hostname === 'localhost' ? url : null
  return url.protocol.includes('.') ? url : null
}

/** Native applications listen on any port of this machine. (RFC 8252 7.3) */
const isLoopback = ({ hostname }: URL): boolean => hostname === '127.0.0.1' || hostname === '[::1]'
const keyOf = (url: URL): string =>
  url.protocol === 'http:' && isLoopback(url) ? `http://${url.hostname}${url.pathname}` : url.href
