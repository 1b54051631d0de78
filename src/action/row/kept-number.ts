// Maintains the numbers that records keep of their lists, and their stored values. Statements note differences and changes; the
// transaction writes both at its end, once per resource, in the order of ids. (contract 13.2)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure, invariant } from '../../failure/failure.ts'
import { isTrue } from '../../read-plan/print.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { Column, StoredValue } from '../../resource/model/column.ts'
import type { KeptNumber, LinkRelation, ResourceModel } from '../../resource/model/model.ts'
import {
  contributingColumns,
  countedCondition,
  numbersOfLink,
  summedNumber,
} from '../../resource/model/number/kept-number.ts'
import { storedColumns, storedValueOf } from '../../resource/model/number/stored-value.ts'
import { holds, isPlain } from '../../resource/model/rule/condition.ts'
import { foldedForm } from '../../resource/model/search/folded.ts'
import { words } from '../../resource/naming/casing.ts'
import { executeTogether } from '../../store/combine.ts'
import { decodeValue, encodeValue } from '../../store/sql/text/column-value.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { boundTo, noCaller } from '../../store/sql/text/sql-text.ts'
import { amountValue, isSum, unitLimits, valuesOfMany } from '../../store/sql/write/kept-number.ts'
import { candidateColumns } from '../../store/sql/write/write.ts'
import { bind, type Program, type StoredRow } from '../../store/store.ts'
import type { HolderChange, RowScope } from '../write-scope.ts'
import { lockRecords } from './lock.ts'

/** Without `numbers`, writing what is counted is a bug. */
type NumberScope = Pick<RowScope, 'statements' | 'dialect' | 'numbers' | 'locks' | 'attempt'>
type Values = Readonly<Record<string, unknown>>

interface RecordImages {
  readonly before: Values | null
  readonly after: Values | null
}

/** A condition that only the database can decide takes one statement for many records. */
export function* noteRecords(
  { contributions }: ResourceModel,
  changes: readonly RecordImages[],
  scope: NumberScope,
): Program<void> {
  for (const number of contributions)
    for (const [image, sign] of signs) {
      const records = changes.map((each) => each[image]).filter((each) => each !== null)
      yield* noteUnits(number, records, (record) => sign * unitsOf(number, record), scope)
    }
}
const signs = [
  ['before', -1n],
  ['after', 1n],
] as const

function* noteUnits(
  number: KeptNumber,
  records: readonly Values[],
  units: (record: Values) => bigint,
  scope: NumberScope,
): Program<void> {
  const { relation } = number
  if (relation.kind !== 'many') return
  const { field } = relation.by
  const held = records.filter((each) => typeof each[field] === 'string')
  const areCounted = yield* counted(number, held, scope)
  for (const [at, record] of held.entries())
    if (areCounted[at]!) note(number, record[field] as string, units(record), scope)
}

function* counted(
  number: KeptNumber,
  records: readonly Values[],
  { statements, dialect }: NumberScope,
): Program<readonly boolean[]> {
  const condition = countedCondition(number)
  if (condition === null) return records.map(() => true)
  if (isPlain(condition)) return records.map((record) => holds(condition, ({ field }) => record[field] ?? null, null))
  const { target } = number.relation
  const columns = candidateColumns(target)
  const bounds = records.map((record) => {
    const input = columns.map((column) => encodeValue(column, record[column.field] ?? null, dialect))
    return boundTo(statements.candidate(target, condition), { actor: null, input })
  })
  return (yield* executeTogether(bounds)).map(([row]) => isTrue(row![0]!))
}

/** One for a count; for a sum, units of the last digit, or 0 without a value. */
function unitsOf({ of }: KeptNumber, record: Values): bigint {
  if (of === null) return 1n
  return unitsIn(record[of.field] ?? null, of)
}

/** In units of the last digit. */
const unitsIn = (value: unknown, { spec }: Pick<Column, 'spec'>): bigint =>
  value === null ? 0n : BigInt(String(writeValue(spec, value)).replace('.', ''))

function note(number: KeptNumber, holder: string, units: bigint, { numbers }: NumberScope): void {
  if (units === 0n) return
  invariant(numbers !== undefined, 'a write of counted records keeps their numbers')
  const ofResource = getOrInsert(numbers, number.holder, () => new Map<string, HolderChange>())
  const ofHolder = getOrInsert(ofResource, holder, (): HolderChange => new Map())
  ofHolder.set(number, (ofHolder.get(number) ?? 0n) + units)
}

/** Null if no number depends on their fields. */
export function* imagesBefore(
  resource: ResourceModel,
  changes: readonly { readonly id: string; readonly changed: Iterable<string> }[],
  { statements, dialect }: NumberScope,
): Program<readonly (Values | null)[]> {
  const columns = contributingColumns(resource)
  const isCounted = (changed: ReadonlySet<string>) => columns.some(({ field }) => changed.has(field))
  const ids = changes.flatMap(({ id, changed }) => (isCounted(new Set(changed)) ? id : []))
  if (ids.length === 0) return changes.map(() => null)
  const load = { resource, conditions: [], columns, lock: 'no key update' } as const
  const rows = yield statements.load(load, { actor: null }, ids)
  const byId = new Map(rows.map((row) => [row[0], recordIn(row, 2, columns, dialect)]))
  return changes.map(({ id }) => byId.get(id) ?? null)
}

/** Locked; none if no number depends on them. */
export function* recordsBefore(
  resource: ResourceModel,
  column: Column,
  ids: readonly string[],
  { statements, dialect }: NumberScope,
): Program<readonly Values[]> {
  const columns = contributingColumns(resource)
  if (!columns.includes(column)) return []
  const rows = yield boundTo(statements.contributors(resource, column), { actor: null, keys: dialect.keys(ids) })
  return rows.map((row) => recordIn(row, 0, columns, dialect))
}

/** Rows hold the id, then the contributing columns. */
export function* noteDeleted(resource: ResourceModel, rows: readonly StoredRow[], scope: NumberScope): Program<void> {
  const columns = contributingColumns(resource)
  if (columns.length === 0) return
  const changes = rows.map((row) => ({ before: recordIn(row, 1, columns, scope.dialect), after: null }))
  yield* noteRecords(resource, changes, scope)
}

const recordIn = (row: StoredRow, first: number, columns: readonly Column[], dialect: Dialect): Values =>
  Object.fromEntries(columns.map((each, index) => [each.field, decodeValue(each, row[first + index]!, dialect)]))

type LinkEnds = Pick<LinkRelation, 'link'>
/** Rows hold the ids of source and target. */
export function noteLinks({ link }: LinkEnds, rows: readonly StoredRow[], sign: 1n | -1n, scope: NumberScope): void {
  for (const number of numbersOfLink(link)) {
    const place = (number.relation as LinkRelation).side === 'source' ? 0 : 1
    for (const row of rows) note(number, row[place] as string, sign, scope)
  }
}

/** Holders were locked before, as a rule. Fails with BUSINESS_RULE_VIOLATION if a sum exceeds its digits. */
export function* writeNumbers(scope: NumberScope): Program<void> {
  const { numbers } = scope
  if (numbers === undefined || numbers.size === 0) return
  const resources = [...numbers].toSorted(([one], [other]) => (one.table < other.table ? -1 : 1))
  numbers.clear()
  for (const [resource, holders] of resources) {
    yield* writeHolders(resource, holders, scope)
    yield* noteSums(resource, holders, scope)
    // Only records that this transaction has written, and so locked.
    const changed = [...holders].filter(([, change]) => change.has('fields') || isNumberChange(change))
    yield* writeStored(
      resource,
      changed.map(([id]) => id),
      scope,
    )
  }
  yield* writeNumbers(scope)
}

/** The sums over the numbers that have changed. A deleted holder left them with its number as it was. */
function* noteSums(
  resource: ResourceModel,
  holders: ReadonlyMap<string, HolderChange>,
  scope: NumberScope,
): Program<void> {
  const sums = resource.contributions.filter((each) => summedNumber(each) !== null)
  const changed = [...holders].flatMap(([id, change]) =>
    sums.some((each) => (change.get(summedNumber(each)!) ?? 0n) !== 0n) ? id : [],
  )
  if (changed.length === 0) return
  const { statements, dialect } = scope
  const columns = contributingColumns(resource)
  const rows = yield statements.load({ resource, conditions: [], columns, lock: null }, noCaller, changed)
  const idOf = new Map(rows.map((row) => [recordIn(row, 2, columns, dialect), row[0] as string]))
  for (const sum of sums) {
    const units = (record: Values) => holders.get(idOf.get(record)!)!.get(summedNumber(sum)!) ?? 0n
    yield* noteUnits(sum, [...idOf.keys()], units, scope)
  }
}

/** Notes which stored values are to be written: those from these fields, without those that the same statement wrote. */
export function noteChanged(
  resource: ResourceModel,
  id: string,
  changed: ReadonlySet<string>,
  { numbers }: Pick<NumberScope, 'numbers'>,
  written: readonly StoredValue[] = [],
): void {
  const isDue = (each: StoredValue) => !written.includes(each) && each.from.some(({ field }) => changed.has(field))
  if (!resource.storedValues.some(isDue)) return
  invariant(numbers !== undefined, 'a write of records with stored values keeps these')
  const ofResource = getOrInsert(numbers, resource, () => new Map<string, HolderChange>())
  getOrInsert(ofResource, id, (): HolderChange => new Map()).set('fields', 1n)
}

const isNumberChange = (change: HolderChange): boolean =>
  [...change].some(([number, amount]) => number !== 'fields' && amount !== 0n)

/** From the records as they are now: other statements of the transaction may have changed them, too. */
function* writeStored(resource: ResourceModel, ids: readonly string[], scope: NumberScope): Program<void> {
  const { storedValues } = resource
  if (storedValues.length === 0 || ids.length === 0) return
  const { statements, dialect } = scope
  const columns = [...new Set(storedValues.flatMap(({ from }) => from))]
  const rows = yield statements.load({ resource, conditions: [], columns, lock: null }, noCaller, ids)
  const written = storedColumns(resource)
  const bounds = rows.map((row) => {
    const record = recordIn(row, 2, columns, dialect)
    const values = new Map(storedValues.map((each) => [each.column, storedValueOf(each, record)]))
    const input = written.map((column) =>
      'of' in column ? foldedForm(column, values.get(column.of)) : encodeValue(column, values.get(column), dialect),
    )
    return boundTo(statements.store(resource, written), { actor: null, input: [row[0]!, ...input] })
  })
  yield* executeTogether(bounds)
}

function* writeHolders(
  resource: ResourceModel,
  holders: ReadonlyMap<string, HolderChange>,
  { statements, dialect, locks, attempt }: NumberScope,
): Program<void> {
  const changes = [...holders].filter(([, change]) => isNumberChange(change))
  if (changes.length === 0) return
  if (locks !== undefined && attempt !== undefined) {
    const ids = changes.map(([id]) => id)
    yield* lockRecords(resource, ids, 'no key update', { statements, dialect, locks, attempt })
  }
  const numbers = resource.keptNumbers.filter((each) => changes.some(([, amounts]) => (amounts.get(each) ?? 0n) !== 0n))
  const rows = changes.map(([id, amounts]) => [
    id,
    ...numbers.map((each) => amountValue(requireAmount(amounts.get(each) ?? 0n, each), each, dialect)),
  ])
  const { one, many } = statements.add(numbers)
  const answered = rows.length === 1 ? yield bind(one, ...rows[0]!) : yield bind(many, ...valuesOfMany(rows, dialect))
  if (!numbers.some(isSum) || answered.length === rows.length) return
  const ids = new Set(answered.map(([id]) => id))
  const [id, amounts] = changes.find(([id]) => !ids.has(id))!
  throw tooLarge(yield* sumsBeyond(id, amounts, numbers, { statements, dialect }))
}

/** Sums that the holder cannot store after adding these amounts. */
function* sumsBeyond(
  id: string,
  amounts: HolderChange,
  numbers: readonly KeptNumber[],
  { statements, dialect }: NumberScope,
): Program<readonly KeptNumber[]> {
  const [{ holder }] = numbers as readonly [KeptNumber]
  const columns = numbers.map(({ column }) => column)
  const load = { resource: holder, conditions: [], columns, lock: null } as const
  const [row] = yield statements.load(load, noCaller, [id])
  invariant(row !== undefined, 'a holder that is written is there')
  return numbers.filter((number, at) => {
    const { column } = number
    const units = unitsIn(decodeValue(column, row[2 + at]!, dialect), column) + (amounts.get(number) ?? 0n)
    const [least, most] = unitLimits(column)
    return isSum(number) && (units < least || units > most)
  })
}

/** The largest amount that both databases add in one statement. */
const amountMax = 2n ** 63n - 1n
/** Beyond it, the amount fits neither a number nor a parameter. */
function requireAmount(units: bigint, number: KeptNumber): bigint {
  const [least, most] = unitLimits(number.column)
  const range = most - least < amountMax ? most - least : amountMax
  if (units > range || -units > range) throw tooLarge([number])
  return units
}

const tooLarge = (sums: readonly KeptNumber[]): Failure => {
  const [{ holder }] = sums as readonly [KeptNumber]
  const names = sums.map(({ column }) => words(column.field)).join(' and the ')
  const message = `The ${names} of the ${words(holder.name)} would be larger than ${sums.length === 1 ? 'it' : 'they'} can be.`
  return new Failure('BUSINESS_RULE_VIOLATION', { message })
}
