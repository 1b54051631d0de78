// Redacts secrets from log lines: error messages of a driver or of an author's code may quote what a client sent.

const replacement = '[secret]'
// Shorter secrets would match parts of ordinary words.
const leastLength = 6

/** Redacts these secrets, also URL- or JSON-escaped, and whatever looks like a credential. */
export function createCleaner(secrets: readonly string[]): (text: string) => string {
  const spellings = new Set(
    secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  )
  const exact = [...spellings].filter((each) => each.length >= leastLength)
  return (text) => {
    let result = text
    for (const secret of exact) result = result.replaceAll(secret, replacement)
    for (const [form, instead] of forms) result = result.replace(form, instead)
    return result
  }
}

/** The passwords in these URLs, percent-encoded and decoded. */
export function passwordsIn(...urls: readonly (string | null)[]): readonly string[] {
  return urls.flatMap((url) => {
    const password = url === null ? '' : (URL.parse(url)?.password ?? '')
    return password === '' ? [] : [password, decodeURIComponent(password)]
  })
}

/** The values in a request whose names are those of secrets, at any depth, and in the text of a GraphQL document. */
export function secretValuesIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return isSecretName(name) ? [value] : name === 'query' ? literalsIn(value) : []
  if (typeof value !== 'object' || value === null) return []
  const members = Array.isArray(value) ? value.map((each) => [name, each]) : Object.entries(value)
  return members.flatMap(([inner, each]) => secretValuesIn(each, inner))
}

const literalsIn = (document: string): readonly string[] =>
  Array.from(document.matchAll(literal), ([, , text]) => text!.replaceAll(/\\(.)/g, '$1'))

/** True for the name of a field whose value must not be logged. */
export const isSecretName = (name: string): boolean => secretName.test(name)

const names = 'password|passwd|secret|token|api[_-]?key|access[_-]?code|authorization|cookie|credential'
const secretName = new RegExp(`^(?:key|[\\w-]*(?:${names})[\\w-]*)$`, 'i')

const literal = new RegExp(`\\b(\\w*(?:${names})\\w*)\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`, 'gi')

const forms: readonly (readonly [form: RegExp, instead: string])[] = [
  // user:password@host
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#"'@:]{0,200}):[^\s/?#"'@]{1,1000}@/gi, `$1:${replacement}@`],
  // Our opaque tokens and an author's own, and JSON Web Tokens, whole or without their signature.
  [/\b[a-z][a-z0-9]{0,20}_[\w-]{40,}/g, replacement],
  [/\beyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?/g, replacement],
  [/\b(Bearer|Basic|Digest) +[^\s"',\\]+/gi, `$1 ${replacement}`],
  // "password": "…", password='…', token=…
  [
    new RegExp(
      `(\\b[\\w-]{0,40}(?:${names})[\\w-]{0,40}["'\`]?\\s{0,3}[:=]\\s{0,3})(?:(["'\`])(?:\\\\.|(?!\\2)[^\\\\])*(?:\\2|$)|[^\\s,;&"'\`})\\]]+)`,
      'gis',
    ),
    `$1${replacement}`,
  ],
]
