// SQL for comparisons in rules: with a column, the time of the request or the actor's account.

import type { Test } from '../../../resource/model/rule/comparison.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import { encodeValue } from '../text/column-value.ts'
import { quote } from '../text/dialect.ts'
import { scaleOf } from '../text/exact-sum.ts'
import { placeSql } from '../text/place.ts'
import type { SqlText } from '../text/sql-text.ts'
import { foundSql } from './search.ts'

export const operators = { is: '=', atLeast: '>=', atMost: '<=', before: '<', after: '>' } as const
type Comparing = Extract<Condition, { is: 'compare' }>

/** Passed in, because conditions contain comparisons. */
type ToSql = (condition: Condition, alias: string, sql: SqlText) => string

/** Never SQL null: comparing with a missing value is false. */
export function comparisonSql(comparing: Comparing, alias: string, sql: SqlText, toSql: ToSql): string {
  const { column, operand } = comparing
  const left = `${alias}.${quote(column.name)}`
  const isNull = (of: string, nullable: boolean) => (nullable ? [`${of} is not null`] : [])
  if (operand.from === 'bound') {
    const tests = [boundSql(comparing, operand, left, sql), ...isNull(left, column.nullable)]
    if (operand.parts !== undefined) {
      const query = sql.parameter({ from: 'where', index: operand.index + 1 })
      tests.push(foundSql(operand.parts, alias, query, sql))
    }
    return tests.length === 1 ? tests[0]! : `(${tests.join(' and ')})`
  }
  const { test } = comparing as Comparing & { readonly test: Test }
  const right = operandSql(comparing, alias, sql, toSql)
  const place = (expression: string) => (test === 'is' ? expression : placeSql(column, expression))
  const compared =
    test === 'contains'
      ? sql.dialect.listHolds(left, right)
      : (scaledSql(comparing, operators[test], [left, right], sql) ??
        `${place(left)} ${operators[test]} ${place(right)}`)
  const tests = [compared, ...isNull(left, column.nullable), ...isNull(right, isNullable(operand))]
  return tests.length === 1 ? compared : `(${tests.join(' and ')})`
}

/**
 * Decimals with another number of digits, which SQLite stores in units of the last digit: exact, as whole units and the rest. Null if
 * they compare as they are stored.
 */
function scaledSql(
  { column, operand }: Comparing,
  operator: string,
  [left, right]: readonly [string, string],
  { dialect: { engine } }: SqlText,
): string | null {
  if (engine !== 'sqlite' || (operand.from !== 'field' && operand.from !== 'me')) return null
  const [mine, theirs] = [scaleOf(column.type), scaleOf(operand.column.type)]
  if (mine === theirs) return null
  const unit = `1${'0'.repeat(Math.abs(mine - theirs))}`
  const parts = (of: string) => `(${of} / ${unit}, ${of} % ${unit})`
  return mine < theirs ? `(${left}, 0) ${operator} ${parts(right)}` : `${parts(left)} ${operator} (${right}, 0)`
}

/** A prefix lies between two values. */
function boundSql({ column, test }: Comparing, { index, table }: Bound, left: string, sql: SqlText): string {
  const value = (at = index) => sql.parameter({ from: 'where', index: at })
  switch (test) {
    case 'contains':
      return table === null
        ? sql.dialect.listHolds(left, value())
        : sql.dialect.listContains(left, null, value(), table)
    case 'oneOf':
      return sql.dialect.amongValues(left, value(), column.type)
    case 'startsWith':
      return `(${left} >= ${value()} and ${left} < ${value(index + 1)})`
    case 'endsWith':
      return sql.dialect.endsWith(left, value())
    case 'includes':
      return sql.dialect.includes(left, value())
    case 'is':
      return `${left} = ${value()}`
    default:
      return `${placeSql(column, left)} ${operators[test]} ${placeSql({ ...column, nullable: false }, value())}`
  }
}
type Bound = Extract<Comparing['operand'], { from: 'bound' }>

type Operand = Comparing['operand']
const isNullable = (operand: Operand): boolean =>
  operand.from === 'me' || (operand.from === 'field' && operand.column.nullable)

function operandSql(
  { column, test, operand, ofAccount }: Comparing,
  alias: string,
  sql: SqlText,
  toSql: ToSql,
): string {
  switch (operand.from) {
    case 'constant': {
      const { dialect } = sql
      const value =
        test === 'contains' ? dialect.encode(operand.value, 'text') : encodeValue(column, operand.value, dialect)
      return sql.parameter({ from: 'constant', value })
    }
    case 'now':
      return sql.parameter({ ...operand, from: 'requestTime', type: column.type })
    case 'field':
      return `${alias}.${quote(operand.column.name)}`
    case 'me':
      return accountSql(
        operand,
        (account) => (ofAccount === undefined ? '' : ` and ${toSql(ofAccount, account, sql)}`),
        sql,
      )
    case 'bound':
      throw new Error('What a request brings is no one value.')
  }
}

/** Evaluated once per statement. */
function accountSql({ column, account }: Me, visible: (account: string) => string, sql: SqlText): string {
  const { resource, login, verified } = account
  const alias = sql.alias()
  const ofActor = `${alias}."id" = ${sql.parameter({ from: 'actor' })} and ${alias}."deleted_at" is null`
  const isVerified = column === login && verified !== null ? ` and ${alias}.${quote(verified.name)}` : ''
  return `(select ${alias}.${quote(column.name)} from ${quote(resource.table)} ${alias} where ${ofActor}${isVerified}${visible(alias)})`
}
type Me = Extract<Operand, { from: 'me' }>
