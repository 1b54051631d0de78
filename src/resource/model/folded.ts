// What columns hold that follow from a text beside them.

import { foldedValue } from './caseless.ts'
import type { FoldedColumn } from './column.ts'
import { storedParts, storedWords } from './search-text.ts'

/** Nothing where there is no text. */
export function foldedForm({ form, bytesMax }: Pick<FoldedColumn, 'form' | 'bytesMax'>, text: unknown): string {
  if (typeof text !== 'string') return ''
  switch (form) {
    case 'caseless':
      return foldedValue(text, bytesMax)
    case 'words':
      return storedWords(text, bytesMax)
    case 'parts':
      return storedParts(text, bytesMax)
  }
}
