// Parses a search: words that must all occur, the last not excluded one as a prefix; "phrases"; -excluded. (contract 12.2.10,
// 12.2.13)

import type { Limits } from '../../../limits.ts'
import type { SearchTerm } from '../rule/condition.ts'
import { foldForSearch, type Run, runsOf, solidWords } from './search-text.ts'

export interface SearchQuestion {
  readonly terms: readonly SearchTerm[]
  /** Equal for searches with the same meaning. */
  readonly text: string
}
type SearchLimits = Pick<Limits, 'searchLength' | 'searchWords'>

/** Returns a message if the text is invalid. */
export function readSearch(text: string, limits: SearchLimits): SearchQuestion | string {
  if ([...text].length > limits.searchLength) return `At most ${limits.searchLength} characters.`
  const pieces = piecesOf(text)
  if (pieces === null) return 'Holds a quotation mark that is not closed.'
  const read = pieces.map((piece) => ({ ...piece, runs: [...runsOf(foldForSearch(piece.text))] }))
  const spoken = read.filter(({ runs }) => runs.length > 0)
  if (spoken.length === 0) return 'Must hold a word: letters or digits.'
  if (spoken.reduce((sum, { runs }) => sum + runs.length, 0) > limits.searchWords)
    return `At most ${limits.searchWords} words.`
  const last = spoken.findLast(({ isExcluded }) => !isExcluded)
  if (last === undefined) return 'Must hold a word that is not excluded.'
  const terms = spoken.map((piece) => termOf(piece, piece === last))
  return { terms, text: JSON.stringify(terms.map(canonical)) }
}

interface Piece {
  readonly text: string
  readonly isExcluded: boolean
  readonly isQuoted: boolean
}
const quotationMarks = /[\u201c-\u201f]/g
const piece = /(-?)(?:"([^"]*)"|([^\s"]+))/gu

/** Null if a quotation mark is not closed. */
function piecesOf(text: string): readonly Piece[] | null {
  const plain = text.replace(quotationMarks, '"')
  if (plain.split('"').length % 2 === 0) return null
  return [...plain.matchAll(piece)].map(([, minus, quoted, bare]) => ({
    text: quoted ?? bare!,
    isExcluded: minus === '-',
    isQuoted: quoted !== undefined,
  }))
}

/** Shorter ones are no part that an index finds. */
const partLengthMin = 3

function termOf(
  { text, isExcluded, isQuoted, runs }: Piece & { readonly runs: readonly Run[] },
  isLast: boolean,
): SearchTerm {
  const last = runs.at(-1)!
  // Scripts without spaces are indexed in pairs of characters; a single one may start a pair.
  const isPair = last.isDense && last.tokens.length > 1
  const mayGoOn = isLast && !isQuoted
  const tokens = runs.flatMap((run) => run.tokens)
  const solid = solidWords(foldForSearch(text))
  return {
    isExcluded,
    tokens: isPair ? tokens.slice(0, -1) : tokens,
    followed: tokens,
    begins: last.isDense ? !isPair : mayGoOn,
    mayGoOn: mayGoOn && !last.isDense,
    part: solid.join(' '),
    isPartShort: solid.every((each) => [...each].length < partLengthMin),
  }
}

const canonical = ({ isExcluded, tokens, begins, part }: SearchTerm) => [isExcluded, begins, part, ...tokens]
