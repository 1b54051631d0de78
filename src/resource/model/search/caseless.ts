// The folded form in which texts are compared ignoring case: NFKC, then Unicode default case folding. (contract 11.2.5)

import { hash } from 'node:crypto'
import { normalForm } from '../normal-form.ts'

const ascii = /^[\x20-\x7e]*$/

/** Equal for `Straße`, `STRASSE` and `ｓｔｒａｓｓｅ`. */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  const folded = normalForm(text, 'NFKC').split('ı').map(foldLetters).join('ı')
  return normalForm(folded, 'NFKC')
}

/**
 * Mappings C and F of CaseFolding.txt, except that Cherokee folds to small letters, which compares equally. Only final sigma
 * depends on its neighbours.
 */
const foldLetters = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')

/** The folded form as stored: at most `bytesMax` to fit an index; a longer one is hashed. */
export function foldedValue(text: string, bytesMax: number): string {
  const folded = foldCase(text)
  return Buffer.byteLength(folded) <= bytesMax ? folded : hash('sha256', folded, 'base64url')
}
