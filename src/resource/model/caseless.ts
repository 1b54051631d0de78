// The one form in which texts are compared whatever their case: NFKC, then the default case folding of Unicode. (contract 11.2.5)

import { hash } from 'node:crypto'

const ascii = /^[\x20-\x7e]*$/

/** The folded form: `Straße`, `STRASSE` and `ｓｔｒａｓｓｅ` have the same one. */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  let folded = ''
  // Character by character, so that no letter depends on its neighbours, as the final sigma would.
  for (const character of text.normalize('NFKC')) folded += foldCharacter(character)
  return folded.normalize('NFKC')
}

/** The mappings C and F of CaseFolding.txt, but that Cherokee folds to its small letters: what is alike is the same. */
const foldCharacter = (character: string): string =>
  character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase()

/** The folded form as a column of its own holds it: at most `bytesMax`, so that an index can. A longer one is its hash. */
export function foldedValue(text: string, bytesMax: number): string {
  const folded = foldCase(text)
  return Buffer.byteLength(folded) <= bytesMax ? folded : hash('sha256', folded, 'base64url')
}
