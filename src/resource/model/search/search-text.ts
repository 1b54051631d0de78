// The tokenizer of searches. Both databases index the same stored words, without case and accents. Scripts without spaces are
// split into pairs of characters. (contract 12.2.11, 12.2.12)

import { normalForm } from '../normal-form.ts'
import { foldCase } from './caseless.ts'

/** Accents, and vowel points that readers of the script omit. Marks of other scripts, such as Thai and Devanagari, are letters. */
const accents =
  /[[\p{Mn}&&[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}]]--[\u3099\u309a]]/gv
const invisible = /\p{Default_Ignorable_Code_Point}/gu
const word = /[\p{L}\p{N}\p{M}]+/gu
const other = /[^\p{L}\p{N}\p{M}]+/gu
const dense =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu

/** Longer words with the same prefix are equal. */
const wordLengthMax = 64

/** Precedes indexed parts of words; it occurs in no word. */
export const partMark = '\ue000'

/** NFKC, without case and accents. */
export function foldForSearch(text: string): string {
  const folded = foldCase(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has neither accents nor invisible characters
  if (/^[\x00-\x7f]*$/.test(folded)) return folded
  return normalForm(normalForm(folded.replace(invisible, ''), 'NFD').replace(accents, ''), 'NFC')
}

export interface Run {
  readonly tokens: readonly string[]
  readonly isDense: boolean
}

export function* runsOf(folded: string): Generator<Run> {
  for (const [letters] of folded.matchAll(word)) {
    let end = 0
    for (const { 0: run, index } of letters.matchAll(dense)) {
      if (index > end) yield { tokens: [cut(letters.slice(end, index))], isDense: false }
      yield { tokens: pairs(run), isDense: true }
      end = index + run.length
    }
    if (end < letters.length) yield { tokens: [cut(letters.slice(end))], isDense: false }
  }
}

function pairs(run: string): readonly string[] {
  const characters = [...run]
  return characters.map((character, at) => character + (characters[at + 1] ?? ''))
}

const cut = (text: string): string => (text.length <= wordLengthMax ? text : [...text].slice(0, wordLengthMax).join(''))

/** Folds only a prefix that can fit. A character may become up to 18 others. */
const foldBeginning = (text: string, bytesMax: number): string => foldForSearch(text.slice(0, bytesMax))

/** The stored form for word search, ` one two `, cut at `bytesMax`. */
export function storedWords(text: string, bytesMax: number): string {
  let stored = ''
  let bytes = 1
  for (const { tokens } of runsOf(foldBeginning(text, bytesMax))) {
    for (const token of tokens) {
      bytes += Buffer.byteLength(token) + 1
      if (bytes > bytesMax) return stored
      stored += stored === '' ? ` ${token} ` : `${token} `
    }
  }
  return stored
}

/** Parts between spaces, reduced to letters and digits. */
export const solidWords = (folded: string): readonly string[] =>
  folded
    .split(/\s+/u)
    .map((each) => each.replace(other, ''))
    .filter((each) => each !== '')

export function storedParts(text: string, bytesMax: number): string {
  const trigrams = new Set<string>()
  let stored = ''
  let bytes = 1
  for (const solid of solidWords(foldBeginning(text, bytesMax))) {
    bytes += Buffer.byteLength(solid) + 1
    const added = trigramsOf(solid).filter((each) => !trigrams.has(each))
    for (const each of added) {
      trigrams.add(each)
      bytes += Buffer.byteLength(each) + Buffer.byteLength(partMark) + 1
    }
    if (bytes > bytesMax) {
      for (const each of added) trigrams.delete(each)
      break
    }
    stored += stored === '' ? ` ${solid} ` : `${solid} `
  }
  return stored + [...trigrams].map((each) => `${partMark}${each} `).join('')
}

/**
 * Parts that every text has stored that has this text in it, letter by letter; empty if that cannot be known. Only letters and
 * digits of ASCII: whatever stands next to them, they fold to themselves.
 */
export const partsWithin = (text: string): readonly string[] => [
  ...new Set(
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
      .split(/[^\x00-\x7f]+/)
      .flatMap((each) => solidWords(each.toLowerCase()))
      .flatMap(trigramsOf),
  ),
]

export function trigramsOf(solid: string): readonly string[] {
  const characters = [...solid]
  return characters.slice(2).map((third, at) => `${characters[at]}${characters[at + 1]}${third}`)
}
