// What a rule compares a column with, as SQL: another column, the moment of the request, the actor's account.

import type { Condition } from '../../resource/model/condition.ts'
import type { Column } from '../../resource/model/model.ts'
import { encodeValue } from './column-value.ts'
import { quote } from './dialect.ts'
import { placeSql } from './place.ts'
import type { SqlText } from './sql-text.ts'

export const operators = { is: '=', atLeast: '>=', atMost: '<=', before: '<', after: '>' } as const
type Comparing = Extract<Condition, { is: 'compare' }>

/** Whether the comparison holds. Never SQL null: what is not there compares with nothing. */
export function comparisonSql({ column, test, operand }: Comparing, alias: string, sql: SqlText): string {
  const left = `${alias}.${quote(column.name)}`
  const right = operandSql({ column, test, operand }, alias, sql)
  const place = (expression: string) => (test === 'is' ? expression : placeSql(column, expression))
  const compared =
    test === 'contains' ? sql.dialect.listHolds(left, right) : `${place(left)} ${operators[test]} ${place(right)}`
  const isNull = (of: string, nullable: boolean) => (nullable ? [`${of} is not null`] : [])
  const tests = [compared, ...isNull(left, column.nullable), ...isNull(right, isNullable(operand))]
  return tests.length === 1 ? compared : `(${tests.join(' and ')})`
}

type Operand = Comparing['operand']
const isNullable = (operand: Operand): boolean =>
  operand.from === 'me' || (operand.from === 'field' && operand.column.nullable)

function operandSql({ column, test, operand }: Omit<Comparing, 'is'>, alias: string, sql: SqlText): string {
  switch (operand.from) {
    case 'constant': {
      const { dialect } = sql
      const value =
        test === 'contains' ? dialect.encode(operand.value, 'text') : encodeValue(column, operand.value, dialect)
      return sql.parameter({ from: 'constant', value })
    }
    case 'now':
      return sql.parameter({ from: 'requestTime', shiftMs: operand.shiftMs })
    case 'field':
      return `${alias}.${quote(operand.column.name)}`
    case 'me':
      return accountSql(operand.column, operand.account, sql)
  }
}

/** One value for the whole statement. */
function accountSql(column: Column, { resource, login, verified }: Account, sql: SqlText): string {
  const alias = sql.alias()
  const ofActor = `${alias}."id" = ${sql.parameter({ from: 'actor' })} and ${alias}."deleted_at" is null`
  const isVerified = column === login && verified !== null ? ` and ${alias}.${quote(verified.name)}` : ''
  return `(select ${alias}.${quote(column.name)} from ${quote(resource.table)} ${alias} where ${ofActor}${isVerified})`
}
type Account = Extract<Operand, { from: 'me' }>['account']
