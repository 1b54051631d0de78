// Parses operands: quoted texts, choices, ids, days and moments; bare numbers, true, false, now and me. (contract 12.1.6)

import type { Problem, SpecBase } from '../../../resource/field/field.ts'
import { comparesOf, kindOf, valueOfText } from '../../../resource/field/registry.ts'
import type { OneSpec } from '../../../resource/field/relation.ts'
import type { WhereTest } from '../../../resource/language/rule/filter.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { WhereValue } from '../../../resource/model/model.ts'
import type { WhereOperand } from '../../../resource/model/rule/where.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import type { TokenReader } from './token.ts'
import { readWhereValue } from './value.ts'

export function readOperand(
  tokens: TokenReader,
  value: WhereValue,
  test: WhereTest,
  vocabulary: Vocabulary,
): WhereOperand {
  if (tokens.sees('now') && isTimed(value) && test !== 'startsWith') return readNow(tokens)
  if (tokens.sees('me') && test !== 'startsWith') return readMe(tokens, value, vocabulary)
  return { from: 'value', value: readLiteral(tokens, value, test, vocabulary) }
}

const isTimed = ({ spec }: WhereValue): boolean => comparesOf(spec) === 'in time'

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `now`, `now - 7d`. */
function readNow(tokens: TokenReader): WhereOperand {
  tokens.expect('now')
  const sign = tokens.skips('-') ? -1 : tokens.skips('+') ? 1 : 0
  if (sign === 0) return { from: 'now', shiftMs: 0 }
  const span = tokens.take()
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(span.is === 'span' ? span.text : '') ?? []
  if (count === undefined) tokens.fail('expected a span such as 7d, in s, m, h, d or w.', span.column)
  return { from: 'now', shiftMs: sign * Number(count) * unitsMs[unit!]! }
}

/** `me` is the account; `me.email` a value of it. */
function readMe(tokens: TokenReader, value: WhereValue, vocabulary: Vocabulary): WhereOperand {
  const { column } = tokens.take()
  const { resource: account } = value.resource.account
  const isAccount = isIdOf(value, account.name)
  if (!tokens.skips('.')) {
    if (!isAccount) tokens.fail('me is an account, and this names none.', column)
    return { from: 'me', column: null }
  }
  const name = tokens.take()
  const field = account.fields.has(vocabulary.field(account, name.text) ?? '')
    ? vocabulary.field(account, name.text)!
    : ''
  const mine = account.column.get(field)
  if (mine === undefined) tokens.fail(`your account has no ${name.text}.`, name.column)
  if (!isAlike(value, mine)) tokens.fail(`me.${name.text} is a value of another kind.`, name.column)
  return { from: 'me', column: mine }
}

const isIdOf = ({ column, resource, spec }: WhereValue, name: string): boolean =>
  column.field === 'id' ? resource.name === name : spec.kind === 'one' && (spec as OneSpec).target === name

/** Whether a value of the account is comparable. */
function isAlike(value: WhereValue, { spec, type }: Column): boolean {
  if (spec.kind === 'one') return isIdOf(value, (spec as OneSpec).target)
  const isWord = (each: SpecBase) => ['text', 'choice', 'state'].includes(each.kind)
  return value.column.type === type && (value.spec.kind === spec.kind || (isWord(value.spec) && isWord(spec)))
}

function readLiteral(tokens: TokenReader, value: WhereValue, test: WhereTest, vocabulary: Vocabulary): unknown {
  const { column } = tokens.next
  const refuse: Problem = (_, message) => tokens.fail(inSentence(message), column)
  return readWhereValue(value, test, readJson(tokens, value.spec, refuse), refuse, vocabulary.part)
}
/** It follows the column. */
const inSentence = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)

/** As JSON, in which exact numbers are strings. */
function readJson(tokens: TokenReader, spec: SpecBase, problem: Problem): unknown {
  const isNegative = tokens.sees('-')
  const start = tokens.next
  if (isNegative) tokens.take()
  const { is, text } = tokens.take()
  if (is === 'number' && isNumeric(spec)) return valueOfText(`${isNegative ? '-' : ''}${text}`, spec, problem)
  if (is === 'number' && !isNegative) tokens.fail('expected no number here; texts stand in quotes.', start.column)
  if (isNegative) tokens.fail('- stands before numbers alone; NOT turns a condition round.', start.column)
  if (is === 'text') return text
  if (is === 'name' && spec.kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  tokens.fail(expectation(spec, text), start.column)
}

const exactKinds = ['decimal', 'bigint']
const isNumeric = (spec: SpecBase): boolean =>
  exactKinds.includes(spec.kind) || ['Int', 'Float'].includes(kindOf(spec).graphql as string)

function expectation(spec: SpecBase, text: string): string {
  if (text === '*') return '* is no wildcard; use startsWith(…) for the beginning of a text.'
  if (text === 'null') return 'null is compared by = and != alone.'
  if (spec.kind === 'boolean') return 'expected true or false.'
  if (isNumeric(spec)) return 'expected a number.'
  if (text === 'now') return 'now is a moment, and this is none.'
  return comparesOf(spec) === 'in time' ? 'expected a text in quotes, or now.' : 'expected a text in quotes.'
}
