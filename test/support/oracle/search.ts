// What a search should find, worked out in memory from the texts themselves: no index, no SQL, nothing of the tokenizer.

/** A document: what it holds, in the order of the definition. */
export interface SearchedField {
  readonly place: number
  readonly form: 'words' | 'parts'
  readonly text: string | null
}
export type SearchedDocument = readonly SearchedField[]

interface Term {
  readonly isExcluded: boolean
  readonly isQuoted: boolean
  readonly text: string
}

const isLetter = (character: string): boolean => /[\p{L}\p{N}\p{M}]/u.test(character)
/** Written without spaces between words. */
const isDense = (character: string): boolean =>
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u.test(character)

/** Without case and accents. */
export function plain(text: string): string {
  const folded = [...text.normalize('NFKC')].map((each) => each.toLowerCase().toUpperCase().toLowerCase()).join('')
  const bare = [...folded.normalize('NFD')].filter(
    (each) => !/[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u00ad]/u.test(each),
  )
  return bare.join('').normalize('NFC')
}

/** A text as letters: each with whether a word begins at it, and whether one ends behind it. */
interface Letter {
  readonly character: string
  /** Whether it and the one before stand side by side in a script without spaces. */
  readonly isJoined: boolean
  readonly begins: boolean
  readonly ends: boolean
}
function lettersOf(text: string): readonly Letter[] {
  const characters = [...plain(text)]
  const letters: Letter[] = []
  for (const [at, character] of characters.entries()) {
    if (!isLetter(character)) continue
    const [before, after] = [characters[at - 1] ?? ' ', characters[at + 1] ?? ' ']
    const differs = (other: string) => !isLetter(other) || isDense(other) !== isDense(character)
    const isFree = isDense(character)
    const isJoined = isDense(character) && isLetter(before) && isDense(before)
    letters.push({ character, isJoined, begins: isFree || differs(before), ends: isFree || differs(after) })
  }
  return letters
}

/** Whether the letters of the term stand in the text, with words that begin and end where those of the term do. */
function standsIn(text: string | null, term: string, mayGoOn: boolean): boolean {
  const needle = lettersOf(term)
  const hay = lettersOf(text ?? '')
  return hay.some((_, start) =>
    needle.every((letter, at) => {
      const other = hay[start + at]
      if (other?.character !== letter.character) return false
      if (letter.begins !== other.begins) return false
      if (at > 0 && letter.isJoined !== other.isJoined) return false
      return letter.ends === other.ends || (mayGoOn && at === needle.length - 1)
    }),
  )
}

const solid = (text: string): string =>
  plain(text)
    .split(/\s+/u)
    .map((each) => [...each].filter(isLetter).join(''))
    .filter((each) => each !== '')
    .join(' ')

function partStands(text: string | null, term: string, isWhole: boolean): boolean {
  const part = solid(term)
  // A short one is found where words begin.
  const isShort = !part.split(' ').some((each) => [...each].length >= 3)
  if (isShort && !isWhole) return ` ${solid(text ?? '')} `.includes(` ${part}`)
  return isWhole ? ` ${solid(text ?? '')} `.includes(` ${part} `) : solid(text ?? '').includes(part)
}

function termsOf(question: string): readonly Term[] {
  const terms: Term[] = []
  for (const [, minus, quoted, bare] of question.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/gu))
    terms.push({ isExcluded: minus === '-', isQuoted: quoted !== undefined, text: quoted ?? bare! })
  return terms
}

/** How well the best of the documents answers; null where none does. */
export function bestOf(question: string, documents: readonly SearchedDocument[], size: number): number | null {
  const found = documents.map((each) => relevanceOf(question, each, size)).filter((each) => each !== null)
  return found.length === 0 ? null : Math.max(...found)
}

function relevanceOf(question: string, document: SearchedDocument, size: number): number | null {
  const all = termsOf(question)
  const spoken = all.filter(({ text }) => lettersOf(text).length > 0)
  const final = spoken.findLast(({ isExcluded }) => !isExcluded)
  const goesOn = (term: Term) => term === final && !term.isQuoted
  const occurs = ({ form, text }: SearchedField, term: Term, mayGoOn = goesOn(term)): boolean =>
    form === 'words' ? standsIn(text, term.text, mayGoOn) : partStands(text, term.text, false)
  const holds = (term: Term) => document.some((field) => occurs(field, term))
  if (!spoken.every((term) => holds(term) !== term.isExcluded)) return null
  const needed = spoken.filter(({ isExcluded }) => !isExcluded)
  const last = needed.at(-1)!
  for (const field of document.toSorted((one, other) => one.place - other.place)) {
    if (!needed.every((term) => occurs(field, term))) continue
    return (size - field.place) * 4 + levelOf(field)
  }
  return 0

  function levelOf(field: SearchedField): number {
    if (field.form === 'parts') return Number(needed.every(({ text }) => partStands(field.text, text, true)))
    const row = needed.map(({ text }) => text).join(' ')
    if (needed.length > 1 && standsInRow(field.text, row, false)) return 3
    if (needed.length > 1 && standsInRow(field.text, row, goesOn(last))) return 2
    return Number(occurs(field, last, false))
  }
}

/** Words side by side: what is no letter between them does not count. */
const standsInRow = (text: string | null, row: string, mayGoOn: boolean): boolean => standsIn(text, row, mayGoOn)
