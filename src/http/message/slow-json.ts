// Reads JSON character by character: says everything that is wrong with a text, and reads the names that V8 misreads.

import type { Detail } from '../../failure/failure.ts'
import type { Json } from './exchange.ts'

export type SlowJson =
  | { readonly value: Json }
  | {
      /** The predicate of a sentence, such as `is not valid JSON: a value is missing at line 1, column 9.` */
      readonly syntax: string | null
      /** Everything that is well formed and not allowed, each at its path; empty where `syntax` is not null. */
      readonly details: readonly Detail[]
    }

/** Reads a text, or finds its problems: the one of syntax or depth, or all others. (contract 7.2.5) */
export function readJsonSlowly(text: string, depthMax: number): SlowJson {
  const reader: Reader = { text, at: 0, depthMax, path: [], details: [] }
  let value: Json
  try {
    skipSpace(reader)
    if (reader.at === text.length) stop('is empty; send a JSON document.')
    value = readValue(reader)
    skipSpace(reader)
    if (reader.at < text.length) unexpected(reader, 'something follows the end of the document')
  } catch (thrown) {
    // Thrown by `stop` below: the quickest way up from any depth.
    if (thrown instanceof Stop) return { syntax: thrown.message, details: [] }
    throw thrown
  }
  if (reader.details.length === 0) return { value }
  const outermost = reader.details.find(({ field }) => field === '')
  return outermost === undefined
    ? { syntax: null, details: reader.details }
    : { syntax: `is not acceptable: ${outermost.message}`, details: [] }
}

interface Reader {
  readonly text: string
  at: number
  readonly depthMax: number
  /** Names and indexes on the way to the value being read. */
  readonly path: (string | number)[]
  readonly details: Detail[]
}

class Stop extends Error {}

function readValue(reader: Reader): Json {
  const character = reader.text[reader.at]
  if (character === '{') return readObject(reader)
  if (character === '[') return readArray(reader)
  if (character === '"') return readText(reader)
  return readNumber(reader) ?? readWord(reader)
}

function readObject(reader: Reader): Json {
  open(reader)
  const members = new Map<string, Json>()
  for (let first = true; !closes(reader, '}', first); first = false) {
    if (reader.text[reader.at] !== '"') unexpected(reader, 'a name in double quotes is missing')
    const name = readString(reader)
    reader.path.push(name)
    if (members.has(name)) report(reader, 'This name appears more than once in its object.')
    else reportText(reader, name)
    skipSpace(reader)
    if (reader.text[reader.at] !== ':') unexpected(reader, 'a colon is missing')
    reader.at++
    skipSpace(reader)
    members.set(name, readValue(reader))
    reader.path.pop()
  }
  // Makes `__proto__` an own property, as JSON.parse does.
  return Object.fromEntries(members)
}

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

/** The path is as long as the nesting is deep. */
function open(reader: Reader): void {
  if (reader.path.length === reader.depthMax) stop(`is nested deeper than ${reader.depthMax} levels.`)
  reader.at++
}

/** True after the closing bracket; otherwise the comma, where one belongs, has been read. */
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

const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function readString(reader: Reader): string {
  const { text } = reader
  const start = reader.at++
  for (; text[reader.at] !== '"'; reader.at++) {
    if (reader.at >= text.length) unexpected(reader, 'a string has no end')
    if (text.charCodeAt(reader.at) < 0x20) unexpected(reader, 'a control character is not escaped')
    if (text[reader.at] !== '\\') continue
    escapes.lastIndex = reader.at
    if (!escapes.test(text)) unexpected(reader, 'an escape is unknown')
    reader.at = escapes.lastIndex - 1
  }
  reader.at++
  return JSON.parse(text.slice(start, reader.at)) as string
}

const numbers = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

function readNumber(reader: Reader): number | null {
  numbers.lastIndex = reader.at
  const match = numbers.exec(reader.text)
  if (match === null) return null
  const value = Number(match[0])
  if (!Number.isFinite(value)) report(reader, 'This number is too large.')
  reader.at = numbers.lastIndex
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
  spaces.lastIndex = reader.at
  spaces.test(reader.text)
  reader.at = spaces.lastIndex
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
  return stop(`is not valid JSON: ${what} at line ${line}, column ${column}.`)
}

function stop(predicate: string): never {
  throw new Stop(predicate)
}
