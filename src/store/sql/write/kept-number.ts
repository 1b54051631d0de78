// Writes kept numbers as increments, so that concurrent transactions do not overwrite each other. (contract 13.2)

import type { KeptNumber } from '../../../resource/model/model.ts'
import { summedNumber } from '../../../resource/model/number/kept-number.ts'
import { tallyName } from '../../../resource/naming/casing.ts'
import { type Batching, command, query, type Statement } from '../../store.ts'
import { recordCondition } from '../condition/condition.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { pointed, scaleOf } from '../text/exact-sum.ts'
import { timedSets } from './due.ts'

/** The id of one holder, then the amounts; for many, from `valuesOfMany`. Of sums, returns the holders whose sums fit. */
export interface AddStatements {
  readonly one: Statement
  readonly many: Statement
}

export function addStatements(numbers: readonly KeptNumber[], dialect: Dialect): AddStatements {
  const many = manySql(numbers, dialect)
  if (numbers.some(isSum)) return { one: query(oneSql(numbers, dialect)), many: query(many) }
  const manyStatement = command(many)
  return { one: command(oneSql(numbers, dialect), together(manyStatement, dialect)), many: manyStatement }
}

export const isSum = ({ of }: KeptNumber): boolean => of !== null

function oneSql(numbers: readonly KeptNumber[], dialect: Dialect): string {
  const amount = (_: KeptNumber, index: number) => amountSql(dialect.parameter(index + 2), numbers[index]!, dialect)
  return `${updateSql(numbers, amount)} where "id" = ${dialect.parameter(1)}${guardSql(numbers, amount, dialect)}`
}

function manySql(numbers: readonly KeptNumber[], dialect: Dialect): string {
  const { table } = numbers[0]!.holder
  const amount = (_: KeptNumber, index: number) => `k.amount${index}`
  const guard = guardSql(numbers, amount, dialect)
  const end = ` where ${quote(table)}."id" = k.id${guard}`
  return `${updateSql(numbers, amount)} from ${holdersSql(table, numbers, dialect)} k${end}`
}

type Amount = (number: KeptNumber, index: number) => string
const updateSql = (numbers: readonly KeptNumber[], amount: Amount): string => {
  const { table } = numbers[0]!.holder
  const sets = numbers.map((each, index) => `${quote(each.column.name)} = ${placeSql(each)} + ${amount(each, index)}`)
  const tally = `${quote(tallyName)} = ${quote(table)}.${quote(tallyName)} + 1`
  return `update ${quote(table)} set ${[...sets, ...timedSets(numbers[0]!.holder.timedMoves, []), tally].join(', ')}`
}
const placeSql = ({ holder, column }: KeptNumber): string => `${quote(holder.table)}.${quote(column.name)}`

/** Excludes overflow of the column; computed in a larger type. */
function guardSql(numbers: readonly KeptNumber[], amount: Amount, dialect: Dialect): string {
  if (!numbers.some(isSum)) return ''
  const wide = (sql: string) => (dialect.engine === 'postgres' ? `${sql}::numeric` : sql)
  const tests = numbers.map((each, index) => {
    if (!isSum(each)) return ''
    const [least, most] = limitsOf(each, dialect)
    return ` and ${wide(placeSql(each))} + ${amount(each, index)} between ${least} and ${most}`
  })
  return `${tests.join('')} returning ${quote(numbers[0]!.holder.table)}."id"`
}

function limitsOf({ column }: KeptNumber, { engine }: Dialect): readonly [least: string, most: string] {
  const [least, most] = unitLimits(column)
  if (column.spec.kind !== 'decimal' || engine === 'sqlite') return [String(least), String(most)]
  return [withPoint(least, column), withPoint(most, column)]
}

type NumberColumn = KeptNumber['column']
export function unitLimits({ spec }: NumberColumn): readonly [least: bigint, most: bigint] {
  const bits = spec.kind === 'bigint' ? 63n : 31n
  if (spec.kind !== 'decimal') return [-(2n ** bits), 2n ** bits - 1n]
  const most = 10n ** BigInt((spec as typeof spec & { readonly precision: number }).precision) - 1n
  return [-most, most]
}

const withPoint = (units: bigint, { type }: NumberColumn): string => pointed(units, scaleOf(type))

export const amountValue = (units: bigint, { column }: KeptNumber, { engine }: Dialect): string =>
  engine === 'postgres' ? withPoint(units, column) : String(units)

/** SQLite stores decimals in units of the last digit. */
const amountType = ({ column }: KeptNumber): string => (column.spec.kind === 'decimal' ? 'numeric' : 'bigint')
const amountSql = (parameter: string, number: KeptNumber, { engine }: Dialect): string =>
  engine === 'postgres' ? `${parameter}::${amountType(number)}` : `cast(${parameter} as integer)`

function holdersSql(table: string, numbers: readonly KeptNumber[], { engine, parameter }: Dialect): string {
  if (engine === 'sqlite') {
    const amounts = numbers.map((_, index) => `cast(value ->> ${index + 1} as integer) as amount${index}`)
    return `(select value ->> 0 as id, ${amounts.join(', ')} from json_each(${parameter(1)}))`
  }
  const names = numbers.map((_, index) => `amount${index}`).join(', ')
  const arrays = numbers.map((each, index) => `${parameter(index + 2)}::${amountType(each)}[]`).join(', ')
  const rows = `unnest(${parameter(1)}::text[], ${arrays}) as a(id, ${names})`
  return `(select a.* from ${rows} join ${quote(table)} h on h."id" = a.id order by a.id for no key update of h)`
}

export function valuesOfMany(holders: readonly (readonly string[])[], dialect: Dialect): readonly string[] {
  const sorted = holders.toSorted(([one], [other]) => (one! < other! ? -1 : 1))
  if (dialect.engine === 'sqlite') return [JSON.stringify(sorted)]
  return sorted[0]!.map((_, place) => dialect.keys(sorted.map((each) => each[place]!)) as string)
}

function together(many: Statement, dialect: Dialect): Batching {
  return {
    key: () => [],
    maxSize: (count) => count,
    combine(all) {
      const byId = new Map<string, bigint[]>()
      for (const [id, ...amounts] of all as readonly (readonly string[])[]) {
        const sums = byId.get(id!)
        if (sums === undefined) byId.set(id!, amounts.map(BigInt))
        else for (const [place, each] of amounts.entries()) sums[place]! += BigInt(each)
      }
      const holders = [...byId].map(([id, amounts]) => [id, ...amounts.map(String)])
      return { statement: many, values: valuesOfMany(holders, dialect) }
    },
    split: (_, all) => all.map(() => []),
  }
}

export interface Recount {
  readonly sql: string
  /** A condition for values that do not fit; null if the database rejects them. */
  readonly excess: string | null
  /** How many kept numbers it adds up, one over the other; these are computed first. */
  readonly depth: number
}
export function recountOf(number: KeptNumber, dialect: Dialect): Recount {
  const [least, most] = limitsOf(number, dialect)
  const excess = `${quote(number.column.name)} not between ${least} and ${most}`
  return {
    sql: recountSql(number, dialect),
    excess: dialect.engine === 'sqlite' ? excess : null,
    depth: depthOf(number),
  }
}

function depthOf(number: KeptNumber): number {
  const summed = summedNumber(number)
  return summed === null ? 0 : 1 + depthOf(summed)
}

function recountSql(number: KeptNumber, dialect: Dialect): string {
  const { relation, of, holder } = number
  const id = `${quote(holder.table)}."id"`
  if (relation.kind === 'manyToMany') {
    const end = quote(`${relation.side}_id`)
    return `(select count(*) from ${quote(relation.link.table)} r where r.${end} = ${id})`
  }
  const tests = recordCondition(number.where, relation.target, 'r', dialect).map((each) => ` and ${each}`)
  const what = of === null ? 'count(*)' : `coalesce(sum(r.${quote(of.name)}), 0)`
  const notDeleted = `r.${quote(relation.by.column.name)} = ${id} and r."deleted_at" is null`
  return `(select ${what} from ${quote(relation.target.table)} r where ${notDeleted}${tests.join('')})`
}
