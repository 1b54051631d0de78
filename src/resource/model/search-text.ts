// The one tokenizer of searches: what is stored of a text so that both databases index the same words, whatever their case and
// accents. Scripts without spaces between words are pairs of characters. (contract 12.2.11, 12.2.12)

import { foldCase } from './caseless.ts'

/** Accents, and points of vowels that readers of the script leave out. Others, as in Thai and Devanagari, are letters. */
const accents =
  /[[\p{Mn}&&[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}]]--[\u3099\u309a]]/gv
const invisible = /\p{Default_Ignorable_Code_Point}/gu
const word = /[\p{L}\p{N}\p{M}]+/gu
const other = /[^\p{L}\p{N}\p{M}]+/gu
const dense =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu

/** The longest beginning of a word, in characters, that is told from others. */
const wordLengthMax = 64

/** Stands before what is indexed of parts of words: no word has such a character. */
export const partMark = '\ue000'

/** The form in which texts are compared: NFKC, without case and accents. */
export function foldForSearch(text: string): string {
  const folded = foldCase(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has neither accents nor what is not seen
  if (/^[\x00-\x7f]*$/.test(folded)) return folded
  return folded.replace(invisible, '').normalize('NFD').replace(accents, '').normalize('NFC')
}

/** A word as it is indexed, or what a run of a script without spaces is cut into. */
export interface Run {
  readonly tokens: readonly string[]
  readonly isDense: boolean
}

/** The words of a folded text, in its order. */
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

/** Each character with the next one, and the last one alone. */
function pairs(run: string): readonly string[] {
  const characters = [...run]
  return characters.map((character, at) => character + (characters[at + 1] ?? ''))
}

const cut = (text: string): string => (text.length <= wordLengthMax ? text : [...text].slice(0, wordLengthMax).join(''))

/** What is stored of a text whose words are searched: ` one two `, as far as it fits. */
export function storedWords(text: string, bytesMax: number): string {
  let stored = ''
  let bytes = 1
  for (const { tokens } of runsOf(foldForSearch(text))) {
    for (const token of tokens) {
      bytes += Buffer.byteLength(token) + 1
      if (bytes > bytesMax) return stored
      stored += stored === '' ? ` ${token} ` : `${token} `
    }
  }
  return stored
}

/** What is between spaces, with nothing but its letters and digits. */
export const solidWords = (folded: string): readonly string[] =>
  folded
    .split(/\s+/u)
    .map((each) => each.replace(other, ''))
    .filter((each) => each !== '')

/** The same where parts of words are searched: the words, and behind them each three characters that stand in one. */
export function storedParts(text: string, bytesMax: number): string {
  const trigrams = new Set<string>()
  let stored = ''
  let bytes = 1
  for (const solid of solidWords(foldForSearch(text))) {
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

/** Each three characters that stand side by side. */
export function trigramsOf(solid: string): readonly string[] {
  const characters = [...solid]
  return characters.slice(2).map((third, at) => `${characters[at]}${characters[at + 1]}${third}`)
}
