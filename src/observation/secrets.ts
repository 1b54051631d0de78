// Redacts secrets from log lines: error messages of drivers and author's code may quote input.

const replacement = '[secret]'
// Shorter secrets would match parts of ordinary words.
const leastLength = 6
const exactMax = 1_000

/** Redacts these secrets, also URL- or JSON-escaped, and texts that look like credentials. */
export function createCleaner(secrets: readonly string[]): (text: string) => string {
  const spellings = new Set(
    secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  )
  const exact = [...spellings].filter((each) => each.length >= leastLength)
  // Each is searched in each text, and clients choose their number.
  if (exact.length > exactMax) return () => replacement
  return (text) => {
    let result = text
    for (const secret of exact) result = result.replaceAll(secret, replacement)
    for (const [form, instead] of forms) result = result.replace(form, instead)
    return result
  }
}

export function passwordsIn(...urls: readonly (string | null)[]): readonly string[] {
  return urls.flatMap((url) => {
    const password = url === null ? '' : (URL.parse(url)?.password ?? '')
    return password === '' ? [] : [password, decodeURIComponent(password)]
  })
}

/** Values whose names are those of secrets, at any depth, and in GraphQL literals. */
export function secretValuesIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return isSecretName(name) ? [value] : name === 'query' ? literalsIn(value) : []
  if (typeof value !== 'object' || value === null) return []
  const members = Array.isArray(value) ? value.map((each) => [name, each]) : Object.entries(value)
  return members.flatMap(([inner, each]) => secretValuesIn(each, inner))
}

const literalsIn = (document: string): readonly string[] =>
  [...document.matchAll(literal)]
    .filter(([, name]) => isSecretName(name!))
    .map(([, , text]) => text!.replaceAll(/\\(.)/g, '$1'))

export const isSecretName = (name: string): boolean =>
  name.toLowerCase() === 'key' || (secretName.test(name) && /^[\w-]*$/.test(name))

const names = 'password|passwd|secret|token|api[_-]?key|access[_-]?code|authorization|cookie|credential'
// Adjacent repeated parts never match the same text, so matching takes linear time. (contract 8.5.6)
const secretName = new RegExp(names, 'i')
const literal = /\b(\w+)\s*:\s*"((?:[^"\\]|\\.)*)"/g

const forms: readonly (readonly [form: RegExp, instead: string])[] = [
  // user:password@host
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#"'@:]{0,200}):[^\s/?#"'@]{1,1000}@/gi, `$1:${replacement}@`],
  // Opaque tokens, and JSON Web Tokens with or without signature.
  [/\b[a-z][a-z0-9]{0,20}_[\w-]{40,}/g, replacement],
  [/(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?/g, `$1${replacement}`],
  [/\b(Bearer|Basic|Digest) +[^\s"',\\]+/gi, `$1 ${replacement}`],
  // "password": "…", password='…', token=…
  [
    new RegExp(
      `((?:${names})[\\w-]{0,40}["'\`]?\\s{0,3}[:=]\\s{0,3})(?:(["'\`])(?:\\\\.|(?!\\2)[^\\\\])*(?:\\2|$)|[^\\s,;&"'\`})\\]]+)`,
      'gis',
    ),
    `$1${replacement}`,
  ],
]
