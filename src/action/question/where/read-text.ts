// Parses conditions as text: AIP-160 with IN, some and none, without what is easily misread: AND next to OR, bare words, a
// missing AND, `-` for NOT, and `*`. (contract 12.1.16)

import type { Detail } from '../../../failure/failure.ts'
import type { TextTest, WhereTest } from '../../../resource/language/rule/filter.ts'
import type { ResourceModel, WhereBranch, WhereStep, WhereValue } from '../../../resource/model/model.ts'
import { isBelow, type WhereOperand, type WhereTree } from '../../../resource/model/rule/where.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import { WhereMeter } from './meter.ts'
import { hasParts, type WhereNames, whereNames } from './name.ts'
import { prefixed, type ReadWhere, type SentContext } from './read-tree.ts'
import { isComparable, readOperand } from './text-operand.ts'
import { type Token, TokenReader, WhereSyntaxError } from './token.ts'

type Written = WhereTree<WhereOperand>

/** Adds the first problem, with its column, and returns null. */
export function readWhereText(
  text: string,
  branch: WhereBranch,
  { vocabulary, limits, parameter }: SentContext,
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

export interface WhereName {
  /** As written, from the records of the list. */
  readonly path: readonly string[]
  readonly resource: ResourceModel
  readonly field: string
  readonly value?: unknown
}

/** What a condition names, up to the first mistake. (contract 9.4.1) */
export function namesInText(
  text: string,
  branch: WhereBranch,
  { vocabulary, limits }: Pick<SentContext, 'vocabulary' | 'limits'>,
): readonly WhereName[] {
  if (text.length > limits.whereChars) return []
  const names: WhereName[] = []
  try {
    new TextReader(text, vocabulary, new WhereMeter(limits), names).whole(branch)
  } catch (error) {
    // The request is refused elsewhere.
    if (!(error instanceof WhereSyntaxError)) throw error
  }
  return names
}

const comparisons: Readonly<Record<string, { readonly test: WhereTest; readonly isNot?: true }>> = {
  '=': { test: 'is' },
  '!=': { test: 'is', isNot: true },
  '<': { test: 'before' },
  '<=': { test: 'atMost' },
  '>': { test: 'after' },
  '>=': { test: 'atLeast' },
}

const textTests: ReadonlyMap<string, TextTest> = new Map([
  ['startsWith', 'startsWith'],
  ['endsWith', 'endsWith'],
  ['contains', 'includes'],
])

interface Place {
  readonly branch: WhereBranch
  readonly names: readonly string[]
  readonly lists: number
  readonly nesting: number
}
interface Part {
  readonly tree: Written
  readonly height: number
}
interface Path {
  readonly steps: readonly WhereStep[]
  readonly end: WhereBranch
  readonly last: Token
  readonly names: readonly string[]
  readonly column: number
}

/** Redundant parentheses are no level, but the parser still recurses. */
const nestingMax = 50

class TextReader {
  readonly meter: WhereMeter
  readonly #tokens: TokenReader
  readonly #vocabulary: Vocabulary
  readonly #found: WhereName[]

  constructor(text: string, vocabulary: Vocabulary, meter: WhereMeter, found: WhereName[] = []) {
    this.#tokens = new TokenReader(text)
    this.#vocabulary = vocabulary
    this.meter = meter
    this.#found = found
  }

  whole(branch: WhereBranch): Written {
    const { tree } = this.#expression({ branch, names: [], lists: 0, nesting: 0 })
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
    if (this.#tokens.sees('AND') || this.#tokens.sees('OR')) this.#tokens.fail('AND next to OR needs parentheses.')
    const tree: Written = { is: word === 'AND' ? 'all' : 'any', of: parts.map((each) => each.tree) }
    return this.#above(tree, parts, column)
  }

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

  /** `some(messages, …)`, `none(messages, …)`, `startsWith(name, "A")`, `endsWith`, `contains`, `below(parent, "fld_…")`. */
  #call(place: Place): Part {
    const tokens = this.#tokens
    const name = tokens.take()
    tokens.expect('(')
    const textTest = textTests.get(name.text)
    if (textTest !== undefined) return { tree: this.#ofText(place, textTest, name.column), height: 0 }
    if (name.text === 'below') return { tree: this.#below(place, name.column), height: 0 }
    if (name.text !== 'some' && name.text !== 'none')
      tokens.fail(
        `there is no ${name.text}(…); only startsWith, endsWith, contains, below, some and none.`,
        name.column,
      )
    const path = this.#path(place)
    const step = this.#names(path.end).steps.get(path.last.text)
    if (step === undefined || step.relation.kind === 'one') this.#unknown(path, isList)
    this.#find(path, step.relation.field)
    tokens.expect(',')
    const steps = [...path.steps, step]
    const { names } = path
    const part = this.#expression({ ...place, branch: step.of, names, lists: place.lists + listsIn(steps) })
    tokens.expect(')')
    const some = followed(steps, part.tree)
    return this.#above(name.text === 'some' ? some : { is: 'not', of: some }, [part], name.column)
  }

  #ofText(place: Place, test: TextTest, column: number): Written {
    const path = this.#path(place)
    const value = this.#value(path)
    this.#requireTest(value, test, column)
    this.#tokens.expect(',')
    const operand = readOperand(this.#tokens, value, test, this.#vocabulary)
    this.#tokens.expect(')')
    return this.#tested(path, { is: 'test', value, test, operand }, place)
  }

  #below(place: Place, column: number): Written {
    const path = this.#path(place)
    const { tree } = this.#value(path)
    if (tree === undefined) this.#tokens.fail('this is no tree.', column)
    this.#tokens.expect(',')
    const operand = readOperand(this.#tokens, tree.id, 'is', this.#vocabulary)
    this.#tokens.expect(')')
    if (operand.from !== 'value') this.#tokens.fail('expected an id in quotes.', column)
    return this.#tested(path, isBelow(tree, operand.value), { ...place, lists: place.lists + 1 })
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
    const tree =
      this.#isNull(value, test) ??
      this.#withField(path, value, test, place) ??
      this.#compared(path, value, test, operator.column)
    const tested = this.#tested(path, tree, place)
    return isNot ? { is: 'not', of: tested } : tested
  }

  #isNull(value: WhereValue, test: WhereTest): Written | null {
    const { column } = this.#tokens.next
    if (test !== 'is' || !this.#tokens.skips('null')) return null
    if (!value.nullable) this.#tokens.fail('this is never null.', column)
    return { is: 'not', of: { is: 'present', value } }
  }

  #compared(path: Path, value: WhereValue, test: WhereTest, column: number): Written {
    this.#requireTest(value, test, column)
    return { is: 'test', value, test, operand: this.#operand(path, value, test) }
  }

  /** Another value of the same record: `paid < total`, `order.paid < order.total`. */
  #withField(path: Path, value: WhereValue, test: WhereTest, place: Place): Written | null {
    const tokens = this.#tokens
    const { is, text, column } = tokens.next
    const { values, relations, steps } = this.#names(place.branch)
    const isKnown = values.has(text) || relations.has(text) || steps.has(text)
    if (is !== 'name' || tokens.isCall || operandWords.has(text) || !isKnown) return null
    const other = this.#path(place)
    const isSameRecord =
      other.steps.length === path.steps.length && other.steps.every((each, at) => each === path.steps[at])
    if (!isSameRecord) tokens.fail('a comparison is between values of one record.', column)
    const operand = this.#value(other)
    if (operand.column === value.column) tokens.fail('this compares a value with itself.', column)
    this.#requireTest(value, test, column)
    if (!isComparable(value, operand, test)) tokens.fail(`${other.last.text} is a value of another kind.`, column)
    return { is: 'test', value, test, operand: { from: 'field', value: operand } }
  }

  #operand(path: Path, value: WhereValue, test: WhereTest): WhereOperand {
    const operand = readOperand(this.#tokens, value, test, this.#vocabulary)
    if (operand.from === 'value') this.#find(path, value.column.field, operand.value)
    return operand
  }

  /** `:` tests elements of a list. */
  #has(path: Path, value: WhereValue, place: Place, column: number): Written {
    const test = value.tests.has('contains') ? 'contains' : 'is'
    if (test === 'is' && listsIn(path.steps) === 0) this.#tokens.fail(': tests the values of a list; write =.', column)
    return this.#tested(path, this.#compared(path, value, test, column), place, true)
  }

  #among(path: Path, value: WhereValue, place: Place, column: number): Written {
    const tokens = this.#tokens
    this.#requireTest(value, 'oneOf', column)
    tokens.expect('(')
    const values: unknown[] = []
    do {
      if (['me', 'now', 'startOf'].some((each) => tokens.sees(each)))
        tokens.fail('a list holds values alone; compare with = instead.')
      const operand = this.#operand(path, value, 'oneOf')
      values.push((operand as Extract<WhereOperand, { from: 'value' }>).value)
    } while (tokens.skips(','))
    const wrong = this.meter.values(values.length)
    if (wrong !== null) tokens.fail(wrong, column)
    tokens.expect(')')
    return this.#tested(path, { is: 'test', value, test: 'oneOf', operand: { from: 'value', value: values } }, place)
  }

  /** Through a list, only `:` states how many records must match. */
  #tested(path: Path, tree: Written, place: Place, has = false): Written {
    const lists = listsIn(path.steps)
    const wrong = this.meter.test(place.lists + lists)
    if (wrong !== null) this.#tokens.fail(wrong, path.column)
    if (lists > 0 && !has)
      this.#tokens.fail('this leads through a list; use some(…) or none(…), or : for a value.', path.column)
    return followed(path.steps, tree)
  }

  #path({ branch, names: before }: Place): Path {
    const { column } = this.#tokens.next
    const steps: WhereStep[] = []
    let names = before
    let within = ''
    for (let end = branch; ; ) {
      const token = this.#tokens.take()
      if (token.is !== 'name') this.#tokens.fail('expected a condition, such as created_at > now - 7d.', token.column)
      names = [...names, token.text]
      const last = { ...token, text: `${within}${token.text}` }
      const path = { steps, end, last, names, column }
      if (!this.#tokens.skips('.')) return path
      const { values, steps: further } = this.#names(end)
      if (hasParts(values, last.text)) {
        within = `${last.text}.`
        continue
      }
      const step = further.get(last.text) ?? this.#unknown(path, isStep)
      this.#find(path, step.relation.field)
      steps.push(step)
      end = step.of
      within = ''
    }
  }

  #find({ names, end: { resource } }: Path, field: string, value?: unknown): void {
    this.#found.push({ path: names, resource, field, value })
  }

  #value(path: Path): WhereValue {
    const { end, last } = path
    const { values, relations } = this.#names(end)
    const value = values.get(last.text) ?? relations.get(last.text) ?? this.#unknown(path, isValue)
    this.#find(path, value.either?.field ?? value.column.field)
    return value
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
    this.#tokens.fail(`there is no ${last.text} to compare here${only}.`, last.column)
  }
}

/** These never name a field. */
const operandWords: ReadonlySet<string> = new Set(['now', 'me', 'startOf', 'true', 'false', 'null'])

interface NameKind {
  readonly values: boolean
  readonly steps: (step: WhereStep) => boolean
}
const isValue: NameKind = { values: true, steps: () => true }
const isStep: NameKind = { values: false, steps: () => true }
const isList: NameKind = { values: false, steps: ({ relation }) => relation.kind !== 'one' }

const listsIn = (steps: readonly WhereStep[]): number => steps.filter(({ relation }) => relation.kind !== 'one').length

/** Follows these relations in order. */
const followed = (steps: readonly WhereStep[], tree: Written): Written =>
  steps.reduceRight<Written>(
    (of, step) => (step.relation.kind === 'one' ? prefixed(step, of) : { is: 'some', step, of }),
    tree,
  )
