// The values of folded columns.

import type { FoldedColumn } from '../column.ts'
import { foldedValue } from './caseless.ts'
import { storedParts, storedWords } from './search-text.ts'

/** Empty without a text. */
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
