// The only reader of incoming JSON. Stricter than JSON.parse, and reports every problem with its path.

import type { Detail } from '../failure/failure.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import { isRounded, losesDigits } from './exact-number.ts'
import type { Json } from './json.ts'

export interface JsonLimits extends Pick<Limits, 'jsonDepth'> {
  /** Accepts numbers that lose digits, in documents with free-form members. */
  readonly roundsNumbers?: boolean
}

/**
 * Reads UTF-8 without byte order mark. A member `__proto__` becomes an own property. Messages begin with `subject`.
 * VALIDATION_ERROR as `readJsonText`. (contract 7.2.5)
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits, subject = 'The body'): Json {
  return readJsonText(decodeUtf8(bytes, subject), limits, subject)
}

/**
 * VALIDATION_ERROR for malformed JSON, a byte order mark, a repeated name, nesting over `jsonDepth`, NUL or a lone surrogate,
 * and numbers that a double cannot hold; problems other than syntax are in `details`. (contract 7.2.4, 7.2.9)
 */
export function readJsonText(
  text: string,
  { jsonDepth: depthMax, roundsNumbers = false }: JsonLimits,
  subject = 'The body',
): Json {
  if (text.charCodeAt(0) === 0xfeff) refuse(`${subject} begins with a byte order mark; send UTF-8 without one.`)
  const reader: Reader = { text, subject, at: 0, depthMax, roundsNumbers, path: [], details: [] }
  skipSpace(reader)
  if (reader.at === text.length) stop(reader, 'is empty; send a JSON document.')
  const value = readValue(reader)
  skipSpace(reader)
  if (reader.at < text.length) unexpected(reader, 'something follows the end of the document')
  const { details } = reader
  if (details.length === 0) return value
  const outermost = details.find(({ field }) => field === '')
  if (outermost !== undefined) stop(reader, `is not acceptable: ${outermost.message}`)
  throw new Failure('VALIDATION_ERROR', { details })
}

// `ignoreBOM` keeps a byte order mark, to be refused.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    // The decoder's message concerns its own encoding names.
    return refuse(`${subject} is not valid UTF-8.`)
  }
}

interface Reader {
  readonly text: string
  readonly subject: string
  at: number
  readonly depthMax: number
  readonly roundsNumbers: boolean
  readonly path: (string | number)[]
  readonly details: Detail[]
}

function readValue(reader: Reader): Json {
  const character = reader.text[reader.at]
  if (character === '{') return readObject(reader)
  if (character === '[') return readArray(reader)
  if (character === '"') return readText(reader)
  return readNumber(reader) ?? readWord(reader)
}

function readObject(reader: Reader): Json {
  open(reader)
  const members: Record<string, Json> = {}
  for (let first = true; !closes(reader, '}', first); first = false) {
    if (reader.text[reader.at] !== '"') unexpected(reader, 'a name in double quotes is missing')
    const name = readString(reader)
    reader.path.push(name)
    if (Object.hasOwn(members, name)) report(reader, 'This name appears more than once in its object.')
    else reportText(reader, name)
    skipSpace(reader)
    if (reader.text[reader.at] !== ':') unexpected(reader, 'a colon is missing')
    reader.at++
    skipSpace(reader)
    const value = readValue(reader)
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(members, name, { ...ownMember, value })
    else members[name] = value
    reader.path.pop()
  }
  return members
}
const ownMember = { writable: true, enumerable: true, configurable: true }

function readArray(reader: Reader): Json {
  open(reader)
  const elements: Json[] = []
  for (let index = 0; !closes(reader, ']', index === 0); index++) {
    reader.path.push(index)
    elements.push(readValue(reader))
    reader.path.pop()
  }
  return elements
}

function open(reader: Reader): void {
  if (reader.path.length === reader.depthMax) stop(reader, `is nested deeper than ${reader.depthMax} levels.`)
  reader.at++
}

function closes(reader: Reader, bracket: '}' | ']', first: boolean): boolean {
  skipSpace(reader)
  const character = reader.text[reader.at]
  if (character === bracket) {
    reader.at++
    return true
  }
  if (first) return false
  if (character !== ',') unexpected(reader, `a comma or ${bracket} is missing`)
  reader.at++
  skipSpace(reader)
  return false
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON forbids in a string.
const plain = /[^"\\\0-\x1f]*/y
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function readString(reader: Reader): string {
  const { text } = reader
  const start = reader.at
  skip(reader, plain, start + 1)
  while (text[reader.at] !== '"') {
    if (reader.at >= text.length) unexpected(reader, 'a string has no end')
    if (text[reader.at] !== '\\') unexpected(reader, 'a control character is not escaped')
    if (!skip(reader, escapes)) unexpected(reader, 'an escape is unknown')
    skip(reader, plain)
  }
  reader.at++
  // A slice would keep all of the text in memory.
  return JSON.parse(text.slice(start, reader.at)) as string
}

function skip(reader: Reader, pattern: RegExp, at = reader.at): boolean {
  pattern.lastIndex = at
  const matches = pattern.test(reader.text)
  if (matches) reader.at = pattern.lastIndex
  return matches
}

const numbers = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

function readNumber(reader: Reader): number | null {
  const start = reader.at
  if (!skip(reader, numbers)) return null
  const text = reader.text.slice(start, reader.at)
  const value = Number(text)
  if (!Number.isFinite(value)) report(reader, 'This number is too large.')
  else if (!reader.roundsNumbers && isRounded(text)) report(reader, losesDigits)
  return value
}

const words: readonly [word: string, value: Json][] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

function readWord(reader: Reader): Json {
  for (const [word, value] of words) {
    if (!reader.text.startsWith(word, reader.at)) continue
    reader.at += word.length
    return value
  }
  return unexpected(reader, 'a value is missing')
}

const spaces = /[ \t\r\n]*/y

function skipSpace(reader: Reader): void {
  if (reader.text.charCodeAt(reader.at) <= 0x20) skip(reader, spaces)
}

function readText(reader: Reader): string {
  const value = readString(reader)
  reportText(reader, value)
  return value
}

function reportText(reader: Reader, value: string): void {
  if (value.includes('\0')) report(reader, 'NUL is not allowed.')
  else if (!value.isWellFormed()) report(reader, 'Half of a surrogate pair is not a character.')
}

const detailsMax = 100
const fieldLengthMax = 200

function report(reader: Reader, message: string): void {
  if (reader.details.length < detailsMax) reader.details.push({ field: fieldAt(reader.path), message })
}

/** `posts[3].title`, in characters that every log and client can show. */
function fieldAt(path: readonly (string | number)[]): string {
  let field = ''
  for (const step of path) {
    if (typeof step === 'number') field += `[${step}]`
    else field += field === '' ? step : `.${step}`
  }
  const start = field.length > fieldLengthMax ? `${field.slice(0, fieldLengthMax)}…` : field
  return start.toWellFormed().replaceAll('\0', '\ufffd')
}

function unexpected(reader: Reader, what: string): never {
  const before = reader.text.slice(0, reader.at)
  const line = before.split('\n').length
  const column = reader.at - before.lastIndexOf('\n')
  return stop(reader, `is not valid JSON: ${what} at line ${line}, column ${column}.`)
}

function stop({ subject }: Reader, predicate: string): never {
  return refuse(`${subject} ${predicate}`)
}

function refuse(message: string): never {
  throw new Failure('VALIDATION_ERROR', { message })
}
