// The one way JSON comes in: REST and GraphQL bodies, WebSocket frames, GET `variables`. Stricter than JSON.parse, nearly
// as fast: JSON.parse reads, a scan counts the names in the text, a walk counts the members that came out of it. What these
// three do not find good, `readJsonSlowly` reads.

import { Failure, invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Json } from './exchange.ts'
import { readJsonSlowly } from './slow-json.ts'

export type JsonLimits = Pick<Limits, 'jsonDepth'>

/**
 * Reads a JSON document from bytes, which must be UTF-8 without a byte order mark. A member named `__proto__` becomes an
 * own property like any other. `subject` begins the sentences of failures.
 * VALIDATION_ERROR where the bytes are not UTF-8, and for all that `readJsonText` refuses. (contract 7.2.5)
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits, subject = 'The body'): Json {
  return readStrictly(decodeUtf8(bytes, subject), bytes, limits, subject)
}

/**
 * Reads a JSON document from text that was decoded already.
 * VALIDATION_ERROR for malformed JSON, a leading byte order mark, a name that appears twice in one object (however it is
 * escaped), nesting over `jsonDepth`, NUL or a lone surrogate in any string or name, and numbers beyond a double; all
 * problems that are not of syntax are in `details`. (contract 7.2.4)
 */
export function readJsonText(text: string, limits: JsonLimits, subject = 'The body'): Json {
  return readStrictly(text, Buffer.from(text), limits, subject)
}

function readStrictly(text: string, bytes: Uint8Array, limits: JsonLimits, subject: string): Json {
  if (text.charCodeAt(0) === 0xfeff) refuse(`${subject} begins with a byte order mark; send UTF-8 without one.`)
  const value = parse(text)
  if (value !== undefined && isStrict(text, bytes, value, limits.jsonDepth)) return value
  const result = readJsonSlowly(text, limits.jsonDepth)
  if ('value' in result) return result.value
  if (result.syntax !== null) return refuse(`${subject} ${result.syntax}`)
  throw new Failure('VALIDATION_ERROR', { details: result.details })
}

// `ignoreBOM` leaves a byte order mark in the text, where it can be refused.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    // The decoder has no other way to say it, and its own sentence is about its own encoding names.
    return refuse(`${subject} is not valid UTF-8.`)
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // What JSON.parse says quotes the input and differs between engines; `readJsonSlowly` says it for us.
    return undefined
  }
}

function isStrict(text: string, bytes: Uint8Array, value: Json, depthMax: number): boolean {
  // Escapes are the only way for NUL and lone surrogates into text that is well formed: most texts need no look at strings.
  const walk: Walk = { members: 0, looksAtStrings: text.includes('\\u') || !text.isWellFormed() }
  // A name that appears twice leaves one member less, and takes the members of its first value with it: never one more.
  return isSound(value, depthMax, walk) && walk.members === countNames(bytes, text.includes('\\'))
}

interface Walk {
  members: number
  readonly looksAtStrings: boolean
}

function isSound(value: Json, depthLeft: number, walk: Walk): boolean {
  if (typeof value !== 'object' || value === null) return isSoundScalar(value, walk.looksAtStrings)
  if (depthLeft === 0) return false
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isSound(value[index], depthLeft - 1, walk)) return false
    return true
  }
  const members = value as { readonly [name: string]: Json }
  for (const name in members) {
    walk.members++
    if (walk.looksAtStrings && !isText(name)) return false
    if (!isSound(members[name]!, depthLeft - 1, walk)) return false
  }
  return true
}

function isSoundScalar(value: Json, looksAtStrings: boolean): boolean {
  if (typeof value === 'number') return value !== Infinity && value !== -Infinity
  return !looksAtStrings || typeof value !== 'string' || isText(value)
}

const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\0')

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

// Beyond this many bytes a native search for the closing quote beats looking at each byte. Measured.
const longString = 24

/**
 * Counts the strings that are followed by a colon; null where one of them is written with an escape, since V8 14 may read
 * another name for it, `\` for `\n`, if earlier texts had that one at its place (https://github.com/nodejs/node/issues/63785).
 * The bytes must be valid JSON: it says where each string ends.
 */
function countNames(bytes: Uint8Array, hasEscapes: boolean): number | null {
  let names = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== quote) continue
    const start = at + 1
    const end = closingQuote(bytes, start)
    at = end + 1
    while (isSpace(bytes[at])) at++
    if (bytes[at] !== colon) continue
    if (hasEscapes && bytes.subarray(start, end).includes(backslash)) return null
    names++
  }
  return names
}

function closingQuote(bytes: Uint8Array, start: number): number {
  let at = start
  for (const near = start + longString; at < near; at++) {
    const byte = bytes[at]
    if (byte === quote) return at
    if (byte === backslash) at++
  }
  at = bytes.indexOf(quote, at)
  while (isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1)
  invariant(at > start, 'a string in valid JSON has an end')
  return at
}

/** A quote ends its string unless an odd number of backslashes stands before it. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at
  while (bytes[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function refuse(message: string): never {
  throw new Failure('VALIDATION_ERROR', { message })
}
