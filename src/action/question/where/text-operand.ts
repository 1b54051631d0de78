// Parses operands: quoted texts, choices, ids, days and moments; bare numbers, true, false, now, startOf and me. (contract 12.1.6)

import { timeZone } from '../../../resource/code/time-zone.ts'
import { orderOf } from '../../../resource/field/choice.ts'
import type { Problem, SpecBase } from '../../../resource/field/field.ts'
import { comparesOf, kindOf, valueOfText } from '../../../resource/field/registry.ts'
import type { OneSpec } from '../../../resource/field/relation.ts'
import { calendarUnits } from '../../../resource/language/calendar.ts'
import type { WhereTest } from '../../../resource/language/rule/filter.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { WhereValue } from '../../../resource/model/model.ts'
import { isTextTest, type WhereOperand } from '../../../resource/model/rule/where.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import type { TokenReader } from './token.ts'
import { readWhereValue } from './value.ts'

export function readOperand(
  tokens: TokenReader,
  value: WhereValue,
  test: WhereTest,
  vocabulary: Vocabulary,
): WhereOperand {
  if (isTimed(value)) {
    if (tokens.sees('now')) return readNow(tokens)
    if (tokens.sees('startOf') && tokens.isCall) return readStart(tokens, value)
  }
  if (tokens.sees('me') && !isTextTest(test)) return readMe(tokens, value, vocabulary)
  return { from: 'value', value: readLiteral(tokens, value, test, vocabulary) }
}

const isTimed = ({ spec }: WhereValue): boolean => comparesOf(spec) === 'in time'

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `now`, `now - 7d`. */
function readNow(tokens: TokenReader): WhereOperand {
  tokens.expect('now')
  return { from: 'now', shiftMs: readShift(tokens) }
}

/** `startOf("month")`, `startOf("day", "Europe/Vienna") + 1d`. */
function readStart(tokens: TokenReader, { spec }: WhereValue): WhereOperand {
  tokens.expect('startOf')
  tokens.expect('(')
  const unit = tokens.take()
  const found = calendarUnits.find((each) => unit.is === 'text' && each === unit.text)
  if (found === undefined) tokens.fail(`expected one of ${calendarUnits.join(', ')} in quotes.`, unit.column)
  if (found === 'hour' && spec.kind === 'date') tokens.fail('a day has no hours.', unit.column)
  const zone = tokens.skips(',') ? tokens.take() : null
  if (zone !== null && (zone.is !== 'text' || timeZone(zone.text) === null))
    tokens.fail('expected a time zone in quotes, such as "Europe/Vienna".', zone.column)
  tokens.expect(')')
  return { from: 'now', shiftMs: readShift(tokens), start: { unit: found, timeZone: zone?.text ?? 'UTC' } }
}

/** In milliseconds. */
function readShift(tokens: TokenReader): number {
  const sign = tokens.skips('-') ? -1 : tokens.skips('+') ? 1 : 0
  if (sign === 0) return 0
  const span = tokens.take()
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(span.is === 'span' ? span.text : '') ?? []
  if (count === undefined) tokens.fail('expected a span such as 7d, in s, m, h, d or w.', span.column)
  return sign * Number(count) * unitsMs[unit!]!
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
  const isExact = value.spec.kind === 'decimal' && spec.kind === 'decimal'
  const isSameType =
    value.column.type === type && (value.spec.kind === spec.kind || (isWord(value.spec) && isWord(spec)))
  return isExact || isSameType
}

/** Whether they compare, by `=` alone or by their order. */
export const isComparable = (value: WhereValue, { column, either }: WhereValue, test: WhereTest): boolean =>
  value.either === undefined &&
  either === undefined &&
  column.field !== 'id' &&
  value.column.field !== 'id' &&
  isAlike(value, column) &&
  (test === 'is' || String(orderOf(value.spec)) === String(orderOf(column.spec)))

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
