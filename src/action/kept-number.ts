// Keeps the numbers that records have of their lists: every statement that changes a list notes by how much, and before its end
// a transaction adds all of it, once for each resource, in the order of the ids. (contract 13.2)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure, invariant } from '../failure/failure.ts'
import { isTrue } from '../read-plan/print.ts'
import { writeValue } from '../resource/field/registry.ts'
import type { Column } from '../resource/model/column.ts'
import { holds, isPlain } from '../resource/model/condition.ts'
import { contributingColumns, countedCondition, numbersOfLink } from '../resource/model/kept-number.ts'
import type { KeptNumber, LinkRelation, ResourceModel } from '../resource/model/model.ts'
import { words } from '../resource/naming/casing.ts'
import { decodeValue, encodeValue } from '../store/sql/column-value.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { amountValue, isSum, unitLimits, valuesOfMany } from '../store/sql/kept-number.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import { candidateColumns } from '../store/sql/write.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import { bind, type Program, type StoredRow } from '../store/store.ts'

/** By how much the numbers of each holder change, in units of their last digit. */
export type NumberChanges = Map<ResourceModel, Map<string, Map<KeptNumber, bigint>>>
/** What it takes to keep them; without `numbers`, nothing that is counted can be written. */
interface NumberScope {
  readonly statements: WriteStatements
  readonly dialect: Dialect
  readonly numbers?: NumberChanges
}
type Values = Readonly<Record<string, unknown>>

/** Notes what a record was, null where there was none, and what it is now. */
export function* noteRecord(
  { contributions }: ResourceModel,
  before: Values | null,
  after: Values | null,
  scope: NumberScope,
): Program<void> {
  for (const number of contributions) {
    if (before !== null) yield* noteImage(number, before, -1n, scope)
    if (after !== null) yield* noteImage(number, after, 1n, scope)
  }
}

function* noteImage(number: KeptNumber, record: Values, sign: bigint, scope: NumberScope): Program<void> {
  const { relation } = number
  if (relation.kind !== 'many') return
  const holder = record[relation.by.field]
  if (typeof holder !== 'string' || !(yield* counts(number, record, scope))) return
  note(number, holder, sign * unitsOf(number, record), scope)
}

/** Whether the record is one of those that the number is about. */
function* counts(number: KeptNumber, record: Values, { statements, dialect }: NumberScope): Program<boolean> {
  const condition = countedCondition(number)
  if (condition === null) return true
  if (isPlain(condition)) return holds(condition, ({ field }) => record[field] ?? null, null)
  const { target } = number.relation
  const input = candidateColumns(target).map((column) => encodeValue(column, record[column.field] ?? null, dialect))
  const [row] = yield boundTo(statements.candidate(target, condition), { actor: null, input })
  return isTrue(row![0]!)
}

/** One for what is counted; what is added up in units of its last digit, and nothing where there is no value. */
function unitsOf({ of }: KeptNumber, record: Values): bigint {
  if (of === null) return 1n
  const value = record[of.field] ?? null
  return value === null ? 0n : BigInt(String(writeValue(of.spec, value)).replace('.', ''))
}

function note(number: KeptNumber, holder: string, units: bigint, { numbers }: NumberScope): void {
  if (units === 0n) return
  invariant(numbers !== undefined, 'whoever writes records that are counted keeps the numbers')
  const ofResource = getOrInsert(numbers, number.holder, () => new Map<string, Map<KeptNumber, bigint>>())
  const ofHolder = getOrInsert(ofResource, holder, () => new Map<KeptNumber, bigint>())
  ofHolder.set(number, (ofHolder.get(number) ?? 0n) + units)
}

/** Of records that are about to change, what each is now, where numbers follow from the fields; null where none does. */
export function* imagesBefore(
  resource: ResourceModel,
  changes: readonly { readonly id: string; readonly changed: Iterable<string> }[],
  { statements, dialect }: NumberScope,
): Program<readonly (Values | null)[]> {
  const columns = contributingColumns(resource)
  const isCounted = (changed: ReadonlySet<string>) => columns.some(({ field }) => changed.has(field))
  const ids = changes.flatMap(({ id, changed }) => (isCounted(new Set(changed)) ? id : []))
  if (ids.length === 0) return changes.map(() => null)
  const load = { resource, conditions: [], columns, lock: 'update' } as const
  const rows = yield statements.load(load, { actor: null }, ids)
  const byId = new Map(rows.map((row) => [row[0], recordIn(row, 2, columns, dialect)]))
  return changes.map(({ id }) => byId.get(id) ?? null)
}

/** The records whose `column` is among the keys of these ids, where numbers follow from it. They are locked. */
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

/** Notes deleted records, whose contributing columns stand in these rows behind the id. */
export function* noteDeleted(resource: ResourceModel, rows: readonly StoredRow[], scope: NumberScope): Program<void> {
  const columns = contributingColumns(resource)
  if (columns.length === 0) return
  for (const row of rows) yield* noteRecord(resource, recordIn(row, 1, columns, scope.dialect), null, scope)
}

const recordIn = (row: StoredRow, first: number, columns: readonly Column[], dialect: Dialect): Values =>
  Object.fromEntries(columns.map((each, index) => [each.field, decodeValue(each, row[first + index]!, dialect)]))

type LinkEnds = Pick<LinkRelation, 'link'>
/** Notes links that were made or undone, each with the ids of its source and of its target. */
export function noteLinks({ link }: LinkEnds, rows: readonly StoredRow[], sign: 1n | -1n, scope: NumberScope): void {
  for (const number of numbersOfLink(link)) {
    const place = (number.relation as LinkRelation).side === 'source' ? 0 : 1
    for (const row of rows) note(number, row[place] as string, sign, scope)
  }
}

/**
 * Writes what was noted. It is the last thing that may wait for another transaction: nothing follows but the answer. Fails with
 * BUSINESS_RULE_VIOLATION where a sum has more digits than are kept.
 */
export function* writeNumbers(scope: NumberScope): Program<void> {
  const { numbers } = scope
  if (numbers === undefined || numbers.size === 0) return
  const resources = [...numbers].toSorted(([one], [other]) => (one.table < other.table ? -1 : 1))
  numbers.clear()
  for (const [resource, holders] of resources) yield* writeHolders(resource, holders, scope)
}

function* writeHolders(
  resource: ResourceModel,
  holders: ReadonlyMap<string, ReadonlyMap<KeptNumber, bigint>>,
  { statements, dialect }: NumberScope,
): Program<void> {
  const changes = [...holders].filter(([, amounts]) => [...amounts.values()].some((each) => each !== 0n))
  if (changes.length === 0) return
  const numbers = resource.keptNumbers.filter((each) => changes.some(([, amounts]) => (amounts.get(each) ?? 0n) !== 0n))
  const rows = changes.map(([id, amounts]) => [
    id,
    ...numbers.map((each) => amountValue(requireAmount(amounts.get(each) ?? 0n, each), each, dialect)),
  ])
  const { one, many } = statements.add(numbers)
  const answered = rows.length === 1 ? yield bind(one, ...rows[0]!) : yield bind(many, ...valuesOfMany(rows, dialect))
  if (numbers.some(isSum) && answered.length < rows.length) throw tooLarge(numbers)
}

/** What both databases add at once. */
const amountMax = 2n ** 63n - 1n
/** What is more than the whole range fits no number, and no parameter either. */
function requireAmount(units: bigint, number: KeptNumber): bigint {
  const [least, most] = unitLimits(number.column)
  const range = most - least < amountMax ? most - least : amountMax
  if (units > range || -units > range) throw tooLarge([number])
  return units
}

const tooLarge = (numbers: readonly KeptNumber[]): Failure => {
  const [{ column, holder }] = numbers.filter(isSum) as [KeptNumber]
  return new Failure('BUSINESS_RULE_VIOLATION', {
    message: `The ${words(column.field)} of the ${words(holder.name)} would be larger than it can be.`,
  })
}
