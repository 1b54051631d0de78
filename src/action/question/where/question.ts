// Normalizes conditions: equal ones have one shape, under which the statement is cached, and one text, which cursors are bound to.
// (contract 12.1)

import type { BoundValue } from '../../../read-plan/page.ts'
import { charsMaxOf, columnTypeOf, writeValue } from '../../../resource/field/registry.ts'
import { momentKey } from '../../../resource/language/placeholder.ts'
import type { WhereValue } from '../../../resource/model/model.ts'
import type { WhereOperand, WhereTree } from '../../../resource/model/rule/where.ts'
import { partsWithin } from '../../../resource/model/search/search-text.ts'
import { partsQueryOf } from '../../../store/sql/condition/search.ts'
import { encodeValue } from '../../../store/sql/text/column-value.ts'
import type { Dialect } from '../../../store/sql/text/dialect.ts'

/** Independent of the caller. */
export interface WhereQuestion {
  readonly tree: WhereTree
  /** Equal for conditions with the same statement. */
  readonly shape: string
  /** With values; `now` and `me` stay symbolic. (contract 12.1.11) */
  readonly text: string
  readonly values: readonly BoundValue[]
  /** 1 per comparison, 10 through a list. */
  readonly points: number
}

type Written = WhereTree<WhereOperand>
/** With its sort key. */
interface Part {
  readonly tree: Written
  readonly shape: string
  readonly text: string
}

export function questionOf(written: Written, points: number, dialect: Dialect): WhereQuestion {
  const { tree, shape, text } = sorted(written)
  const binder = new Binder(dialect)
  return { tree: binder.bind(tree), shape, text, values: binder.values, points }
}

function sorted(tree: Written): Part {
  switch (tree.is) {
    case 'test':
      return testPart(tree)
    case 'present':
      return { tree, shape: `${tree.value.column.field}?`, text: `${tree.value.column.field}?` }
    case 'not': {
      if (tree.of.is === 'not') return sorted(tree.of.of)
      const of = sorted(tree.of)
      return { tree: { is: 'not', of: of.tree }, shape: `!${of.shape}`, text: `!${of.text}` }
    }
    case 'some': {
      const of = sorted(tree.of)
      const { field } = tree.step.relation
      return { tree: { ...tree, of: of.tree }, shape: `${field}{${of.shape}}`, text: `${field}{${of.text}}` }
    }
    case 'any':
    case 'all':
      return sortedGroup(tree.is, tree.of)
  }
}

/** Flattens groups and drops duplicates. */
function sortedGroup(is: 'any' | 'all', of: readonly Written[]): Part {
  const flat = (each: Written): readonly Written[] => (each.is === is ? each.of.flatMap(flat) : [each])
  const parts = new Map(of.flatMap(flat).map((each) => [sorted(each).text, sorted(each)]))
  const all = [...parts.values()].sort(
    (one, other) => compareTexts(one.shape, other.shape) || compareTexts(one.text, other.text),
  )
  if (all.length === 1) return all[0]!
  const word = is === 'any' ? '|' : '&'
  const joined = (aspect: 'shape' | 'text') => `(${all.map((each) => each[aspect]).join(word)})`
  return { tree: { is, of: all.map((each) => each.tree) }, shape: joined('shape'), text: joined('text') }
}
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function testPart(tree: Extract<Written, { is: 'test' }>): Part {
  const { value, test, operand } = tree
  const { field } = value.column
  switch (operand.from) {
    case 'me': {
      const text = `${field} ${test} me.${operand.column?.field ?? ''}`
      return { tree, shape: text, text }
    }
    case 'field': {
      const text = `${field} ${test} =${operand.value.column.field}`
      return { tree, shape: text, text }
    }
    case 'now':
      return { tree, shape: `${field} ${test}`, text: `${field} ${test} now${momentKey(operand)}` }
    case 'value': {
      if (test !== 'oneOf')
        return {
          tree,
          shape: `${field} ${test}${partsOf(tree).length > 0 ? ' in index' : ''}`,
          text: `${field} ${test} ${jsonOf(value, operand.value)}`,
        }
      const each = new Map((operand.value as readonly unknown[]).map((one) => [jsonOf(value, one), one]))
      if (each.size === 1)
        return testPart({ ...tree, test: 'is', operand: { from: 'value', value: [...each.values()][0] } })
      const texts = [...each.keys()].sort(compareTexts)
      const values = texts.map((text) => each.get(text))
      return {
        tree: { ...tree, operand: { from: 'value', value: values } },
        shape: `${field} oneOf`,
        text: `${field} oneOf [${texts.join()}]`,
      }
    }
  }
}
const jsonOf = ({ spec }: WhereValue, value: unknown): string => JSON.stringify(writeValue(spec, value))

/** What an index of parts finds, of a text that is contained; empty if there is none for it. (contract 12.1.22) */
const partsOf = ({ value, test, operand }: Extract<Written, { is: 'test' }>): readonly string[] =>
  value.parts !== undefined && (test === 'endsWith' || test === 'includes') && operand.from === 'value'
    ? partsWithin(operand.value as string)
    : []

/** Collects values in order. */
class Binder {
  readonly values: BoundValue[] = []
  readonly #dialect: Dialect

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** `isDirect`: it is about the list's own records, and is not negated. */
  bind(tree: Written, isDirect = true): WhereTree {
    switch (tree.is) {
      case 'test': {
        const { operand } = tree
        if (operand.from === 'me' || operand.from === 'field') return { ...tree, operand }
        const parts = isDirect ? partsOf(tree) : []
        const index = this.#add(tree)
        if (parts.length === 0) return { ...tree, operand: { from: 'bound', index } }
        this.values.push({ value: partsQueryOf(parts, this.#dialect) })
        return { ...tree, operand: { from: 'bound', index, isNarrowed: true } }
      }
      case 'present':
        return tree
      case 'any':
      case 'all':
        return { ...tree, of: tree.of.map((each) => this.bind(each, isDirect)) }
      default:
        return { ...tree, of: this.bind(tree.of, false) }
    }
  }

  #add({ value, test, operand }: Extract<Written, { is: 'test' }>): number {
    const { column, spec } = value
    const index = this.values.length
    if (operand.from === 'now') {
      const { from, ...moment } = operand
      this.values.push({ ...moment, type: column.type as 'timestamp' | 'date' })
    }
    if (operand.from !== 'value') return index
    // `contains` compares with one element.
    const type = test === 'contains' ? columnTypeOf(spec)! : column.type
    const encoded = (each: unknown) => encodeValue({ spec, type }, each, this.#dialect)
    if (test === 'oneOf') {
      this.values.push({ value: this.#dialect.keys([...new Set((operand.value as readonly unknown[]).map(encoded))]) })
      return index
    }
    this.values.push({ value: encoded(operand.value) })
    if (test === 'startsWith') this.values.push({ value: endOf(operand.value as string, charsMaxOf(spec)) })
    return index
  }
}

/** The least text greater than all that begin with this one, in code points, as databases compare. */
export function endOf(prefix: string, charsMax: number): string {
  const points = Array.from(prefix)
  const at = points.findLastIndex((each) => each.codePointAt(0)! < 0x10ffff)
  // Longer than any value of the column.
  if (at === -1) return '\u{10ffff}'.repeat(Math.min(charsMax, mostChars) + 1)
  const next = points[at]!.codePointAt(0)! + 1
  return points.slice(0, at).join('') + String.fromCodePoint(next >= 0xd800 && next < 0xe000 ? 0xe000 : next)
}
const mostChars = 1_000_000
