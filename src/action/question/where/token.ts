// Splits the text of a condition into tokens, with columns from 1. (contract 12.1.16)

export type Token =
  | { readonly is: 'name' | 'number' | 'span' | 'mark'; readonly text: string; readonly column: number }
  /** Between the quotes. */
  | { readonly is: 'text'; readonly text: string; readonly column: number }
  | { readonly is: 'end'; readonly text: ''; readonly column: number }

export class WhereSyntaxError extends Error {
  constructor(column: number, sentence: string) {
    super(`Column ${column}: ${sentence}`)
  }
}

const kinds = ['name', 'number', 'span', 'text', 'mark', 'end'] as const
// One group per kind, in order. A duration is a number with a unit.
const form =
  /\s*(?:([A-Za-z_][A-Za-z0-9_]*)|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))|(\d+[A-Za-z]+)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(!=|<=|>=|[=<>:().,+*-])|($))/suy

/** Ends with an end token. Throws WhereSyntaxError. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  const reader = new RegExp(form)
  // The end of the last token, and its column.
  let from = 0
  let column = 1
  for (;;) {
    const match = reader.exec(text)
    if (match === null) {
      const start = skipSpace(text, from)
      throw new WhereSyntaxError(column + characters(text, from, start), unreadable(text, from))
    }
    const group = match.findIndex((each, at) => at > 0 && each !== undefined)
    const word = match[group]!
    const start = reader.lastIndex - word.length
    column += characters(text, from, start)
    const is = kinds[group - 1]!
    tokens.push({ is, text: is === 'text' ? unquoted(word, column) : word, column } as Token)
    if (is === 'end') return tokens
    column += characters(text, start, reader.lastIndex)
    from = reader.lastIndex
  }
}

/** As editors count: a surrogate pair is one character. */
function characters(text: string, from: number, to: number): number {
  let count = to - from
  for (let at = from; at < to; at++) if (text.charCodeAt(at) >> 10 === lowSurrogates) count--
  return count
}
const lowSurrogates = 0xdc00 >> 10
const skipSpace = (text: string, from: number): number => from + /^\s*/.exec(text.slice(from))![0].length

function unreadable(text: string, from: number): string {
  const rest = text.slice(skipSpace(text, from))
  return /^["']/.test(rest) ? 'the text has no closing quote.' : `${Array.from(rest)[0]!} means nothing here.`
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' }

function unquoted(word: string, column: number): string {
  if (!word.includes('\\')) return word.slice(1, -1)
  return word.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|.)/gsu, (whole, sign: string) => {
    const meaning = sign.length === 5 ? String.fromCharCode(Number.parseInt(sign.slice(1), 16)) : escapes[sign]
    if (meaning === undefined) throw new WhereSyntaxError(column, `the text has the unknown escape ${whole}.`)
    return meaning
  })
}

export class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  get next(): Token {
    return this.#tokens[this.#at]!
  }

  take(): Token {
    const token = this.next
    if (token.is !== 'end') this.#at++
    return token
  }

  /** False for quoted text. */
  sees(text: string): boolean {
    const { next } = this
    return next.is !== 'text' && next.text === text && text !== ''
  }

  /** Whether a parenthesis follows the next token. */
  get isCall(): boolean {
    const after = this.#tokens[this.#at + 1]
    return this.next.is === 'name' && after?.is === 'mark' && after.text === '('
  }

  /** Consumes the token if it is next. */
  skips(text: string): boolean {
    if (!this.sees(text)) return false
    this.#at++
    return true
  }

  expect(text: string): void {
    if (!this.skips(text)) this.fail(`expected ${text}.`)
  }

  fail(sentence: string, column = this.next.column): never {
    throw new WhereSyntaxError(column, sentence)
  }
}
