// Reads a question that is written as text, by the grammar of Google's AIP-160 with IN, some and none, and without what is easily
// misread: AND beside OR, bare words, a missing AND, `-` for NOT and `*`. (contract 12.1.6)

import type { Detail } from '../../failure/failure.ts'
import type { WhereTest } from '../../resource/language/filter.ts'
import type { WhereBranch, WhereStep, WhereValue } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { WhereOperand, WhereTree } from '../../resource/model/where.ts'
import { type WhereLimits, WhereMeter } from './meter.ts'
import { type WhereNames, whereNames } from './name.ts'
import { prefixed, type ReadWhere } from './read-tree.ts'
import { readOperand } from './text-operand.ts'
import { type Token, TokenReader, WhereSyntaxError } from './token.ts'

type Written = WhereTree<WhereOperand>
interface TextContext {
  readonly vocabulary: Vocabulary
  readonly limits: WhereLimits
  /** What the parameter is called. */
  readonly parameter: string
}

/** Adds to `problems` the first thing that is wrong, with its column; null where there is one. */
export function readWhereText(
  text: string,
  branch: WhereBranch,
  { vocabulary, limits, parameter }: TextContext,
  problems: Detail[],
): ReadWhere | null {
  const problem = (message: string) => {
    problems.push({ field: parameter, message })
    return null
  }
  if (text.length > limits.whereChars) return problem(`At most ${limits.whereChars} characters.`)
  try {
    const reader = new TextReader(text, vocabulary, new WhereMeter(limits))
    return { tree: reader.whole(branch), points: reader.meter.points }
  } catch (error) {
    if (error instanceof WhereSyntaxError) return problem(error.message)
    throw error
  }
}

const comparisons: Readonly<Record<string, { readonly test: WhereTest; readonly isNot?: true }>> = {
  '=': { test: 'is' },
  '!=': { test: 'is', isNot: true },
  '<': { test: 'before' },
  '<=': { test: 'atMost' },
  '>': { test: 'after' },
  '>=': { test: 'atLeast' },
}

/** Of whose records something is asked, how many lists lead to them, and how deep within parentheses it stands. */
interface Place {
  readonly branch: WhereBranch
  readonly lists: number
  readonly nesting: number
}
/** A part, and how many levels there are in it. */
interface Part {
  readonly tree: Written
  readonly height: number
}
/** The relations that lead on from where a path begins, and its last name. */
interface Path {
  readonly steps: readonly WhereStep[]
  readonly end: WhereBranch
  readonly last: Token
  readonly column: number
}

/** Parentheses that mean nothing are no level, and still are read within each other. */
const nestingMax = 50

class TextReader {
  readonly meter: WhereMeter
  readonly #tokens: TokenReader
  readonly #vocabulary: Vocabulary

  constructor(text: string, vocabulary: Vocabulary, meter: WhereMeter) {
    this.#tokens = new TokenReader(text)
    this.#vocabulary = vocabulary
    this.meter = meter
  }

  whole(branch: WhereBranch): Written {
    const { tree } = this.#expression({ branch, lists: 0, nesting: 0 })
    const { is, text } = this.#tokens.next
    if (is !== 'end')
      this.#tokens.fail(text === ')' ? 'this parenthesis was not opened.' : 'expected AND, OR or the end.')
    return tree
  }

  #expression(outer: Place): Part {
    const place = { ...outer, nesting: outer.nesting + 1 }
    if (place.nesting > nestingMax) this.#tokens.fail('too many parentheses.')
    const { column } = this.#tokens.next
    const parts = [this.#clause(place)]
    const word = ['AND', 'OR'].find((each) => this.#tokens.sees(each))
    if (word === undefined) return parts[0]!
    while (this.#tokens.skips(word)) parts.push(this.#clause(place))
    if (this.#tokens.sees('AND') || this.#tokens.sees('OR'))
      this.#tokens.fail('AND beside OR needs parentheses, to say which is meant.')
    const tree: Written = { is: word === 'AND' ? 'all' : 'any', of: parts.map((each) => each.tree) }
    return this.#above(tree, parts, column)
  }

  /** One level more. */
  #above(tree: Written, parts: readonly Part[], column: number): Part {
    const height = 1 + Math.max(...parts.map((each) => each.height))
    const wrong = this.meter.depth(height)
    if (wrong !== null) this.#tokens.fail(wrong, column)
    return { tree, height }
  }

  #clause(place: Place): Part {
    const tokens = this.#tokens
    const { column } = tokens.next
    if (tokens.skips('NOT')) {
      if (place.nesting > nestingMax) tokens.fail('too many times NOT.')
      const part = this.#clause({ ...place, nesting: place.nesting + 1 })
      return this.#above({ is: 'not', of: part.tree }, [part], column)
    }
    if (tokens.sees('-')) tokens.fail('- is no negation; write NOT.')
    if (tokens.skips('(')) {
      const part = this.#expression(place)
      tokens.expect(')')
      return part
    }
    return tokens.isCall ? this.#call(place) : { tree: this.#comparison(place), height: 0 }
  }

  /** `some(messages, …)`, `none(messages, …)`, `startsWith(name, "A")`. */
  #call(place: Place): Part {
    const tokens = this.#tokens
    const name = tokens.take()
    tokens.expect('(')
    if (name.text === 'startsWith') return { tree: this.#startsWith(place, name.column), height: 0 }
    if (name.text !== 'some' && name.text !== 'none')
      tokens.fail(`there is no ${name.text}(…); only startsWith, some and none.`, name.column)
    const path = this.#path(place)
    const step = this.#names(path.end).steps.get(path.last.text)
    if (step === undefined || step.relation.kind === 'one') this.#unknown(path, isList)
    tokens.expect(',')
    const steps = [...path.steps, step]
    const part = this.#expression({ ...place, branch: step.of, lists: place.lists + listsIn(steps) })
    tokens.expect(')')
    const some = followed(steps, part.tree)
    return this.#above(name.text === 'some' ? some : { is: 'not', of: some }, [part], name.column)
  }

  #startsWith(place: Place, column: number): Written {
    const path = this.#path(place)
    const value = this.#value(path)
    this.#requireTest(value, 'startsWith', column)
    this.#tokens.expect(',')
    const operand = readOperand(this.#tokens, value, 'startsWith', this.#vocabulary)
    this.#tokens.expect(')')
    return this.#tested(path, { is: 'test', value, test: 'startsWith', operand }, place)
  }

  #comparison(place: Place): Written {
    const tokens = this.#tokens
    const path = this.#path(place)
    const value = this.#value(path)
    const operator = tokens.next
    if (tokens.skips(':')) return this.#has(path, value, place, operator.column)
    if (tokens.skips('IN')) return this.#among(path, value, place, operator.column)
    const { test, isNot } =
      (operator.is === 'mark' ? comparisons[operator.text] : undefined) ??
      tokens.fail('expected an operator: =, !=, <, <=, >, >=, IN or :.')
    tokens.take()
    const tree = this.#isNull(value, test) ?? this.#compared(value, test, operator.column)
    const tested = this.#tested(path, tree, place)
    return isNot ? { is: 'not', of: tested } : tested
  }

  /** `= null`, where there may be none. */
  #isNull(value: WhereValue, test: WhereTest): Written | null {
    const { column } = this.#tokens.next
    if (test !== 'is' || !this.#tokens.skips('null')) return null
    if (!value.nullable) this.#tokens.fail('this is never null.', column)
    return { is: 'not', of: { is: 'present', value } }
  }

  #compared(value: WhereValue, test: WhereTest, column: number): Written {
    this.#requireTest(value, test, column)
    return { is: 'test', value, test, operand: readOperand(this.#tokens, value, test, this.#vocabulary) }
  }

  /** What a list holds: texts, or records that have this value. */
  #has(path: Path, value: WhereValue, place: Place, column: number): Written {
    const test = value.tests.has('contains') ? 'contains' : 'is'
    if (test === 'is' && listsIn(path.steps) === 0) this.#tokens.fail(': asks what a list holds; write =.', column)
    return this.#tested(path, this.#compared(value, test, column), place, true)
  }

  #among(path: Path, value: WhereValue, place: Place, column: number): Written {
    const tokens = this.#tokens
    this.#requireTest(value, 'oneOf', column)
    tokens.expect('(')
    const values: unknown[] = []
    do {
      if (['me', 'now'].some((each) => tokens.sees(each)))
        tokens.fail('a list holds values alone; compare with = instead.')
      const operand = readOperand(tokens, value, 'oneOf', this.#vocabulary)
      values.push((operand as Extract<WhereOperand, { from: 'value' }>).value)
    } while (tokens.skips(','))
    const wrong = this.meter.values(values.length)
    if (wrong !== null) tokens.fail(wrong, column)
    tokens.expect(')')
    return this.#tested(path, { is: 'test', value, test: 'oneOf', operand: { from: 'value', value: values } }, place)
  }

  /** Counts it, and says of whom it is asked. Through a list only `:` asks, and what says of how many of its records. */
  #tested(path: Path, tree: Written, place: Place, has = false): Written {
    const lists = listsIn(path.steps)
    const wrong = this.meter.test(place.lists + lists)
    if (wrong !== null) this.#tokens.fail(wrong, path.column)
    if (lists > 0 && !has)
      this.#tokens.fail('this leads through a list; ask some(…) or none(…) of it, or by : for a value.', path.column)
    return followed(path.steps, tree)
  }

  #path({ branch }: Place): Path {
    const { column } = this.#tokens.next
    const steps: WhereStep[] = []
    for (let end = branch; ; end = steps.at(-1)!.of) {
      const last = this.#tokens.take()
      if (last.is !== 'name') this.#tokens.fail('expected a condition, such as created_at > now - 7d.', last.column)
      const path = { steps, end, last, column }
      if (!this.#tokens.skips('.')) return path
      steps.push(this.#names(end).steps.get(last.text) ?? this.#unknown(path, isStep))
    }
  }

  #value(path: Path): WhereValue {
    const { end, last } = path
    const { values, relations } = this.#names(end)
    return values.get(last.text) ?? relations.get(last.text) ?? this.#unknown(path, isValue)
  }

  #names(branch: WhereBranch): WhereNames {
    return whereNames(branch, this.#vocabulary)
  }

  #requireTest({ tests }: WhereValue, test: WhereTest, column: number): void {
    if (!tests.has(test)) this.#tokens.fail('this operator is none of its kind.', column)
  }

  #unknown({ end, last }: Path, kind: NameKind): never {
    const { values, steps } = this.#names(end)
    const names = [
      ...(kind.values ? values.keys() : []),
      ...[...steps].filter(([, step]) => kind.steps(step)).map(([name]) => name),
    ]
    const only = names.length === 0 ? '' : `; only ${[...new Set(names)].join(', ')}`
    this.#tokens.fail(`there is no ${last.text} to ask for here${only}.`, last.column)
  }
}

interface NameKind {
  readonly values: boolean
  readonly steps: (step: WhereStep) => boolean
}
const isValue: NameKind = { values: true, steps: () => true }
const isStep: NameKind = { values: false, steps: () => true }
const isList: NameKind = { values: false, steps: ({ relation }) => relation.kind !== 'one' }

const listsIn = (steps: readonly WhereStep[]): number => steps.filter(({ relation }) => relation.kind !== 'one').length

/** The same of the records that these relations lead to, one after the other. */
const followed = (steps: readonly WhereStep[], tree: Written): Written =>
  steps.reduceRight<Written>(
    (of, step) => (step.relation.kind === 'one' ? prefixed(step, of) : { is: 'some', step, of }),
    tree,
  )
