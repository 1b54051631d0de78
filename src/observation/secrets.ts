// Takes secrets out of what goes to the log when something fails: the words of others, such as a driver's or an author's,
// may quote what was sent.

const replacement = '[secret]'
// Shorter ones would be found in the middle of innocent words.
const leastLength = 6

/** Cleans a text of these secrets, in any spelling of a URL, and of whatever looks like a credential. */
export function createCleaner(known: readonly string[]): (text: string) => string {
  const spellings = new Set(
    known.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  )
  const exact = [...spellings].filter((each) => each.length >= leastLength)
  return (text) => {
    let cleaned = text
    for (const secret of exact) cleaned = cleaned.replaceAll(secret, replacement)
    for (const [form, instead] of forms) cleaned = cleaned.replace(form, instead)
    return cleaned
  }
}

/** The passwords in these URLs, as they are written and as they are meant. */
export function passwordsIn(...urls: readonly (string | null)[]): readonly string[] {
  return urls.flatMap((url) => {
    const password = url === null ? '' : (URL.parse(url)?.password ?? '')
    return password === '' ? [] : [password, decodeURIComponent(password)]
  })
}

/** What a request says under the name of a secret, at any depth, and in the text of a GraphQL document. */
export function secretsSaid(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return isSecretName(name) ? [value] : name === 'query' ? literalsIn(value) : []
  if (typeof value !== 'object' || value === null) return []
  const members = Array.isArray(value) ? value.map((each) => [name, each]) : Object.entries(value)
  return members.flatMap(([inner, each]) => secretsSaid(each, inner))
}

const literalsIn = (document: string): readonly string[] =>
  Array.from(document.matchAll(literal), ([, , text]) => text!.replaceAll(/\\(.)/g, '$1'))

/** True for the name of a field whose value is nobody's business. */
export const isSecretName = (name: string): boolean => secretName.test(name)

const names = 'password|passwd|secret|token|api[_-]?key|authorization|cookie|credential'
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
