// What a rule says of a record, read off it word by word: without folding, without SQL. All readings are held against this.

import { shiftMsOf, type ValueSource } from '../../../src/resource/language/placeholder.ts'
import type { RuleNode } from '../../../src/resource/language/rule/rule.ts'
import { isTest, sourceOf } from '../../../src/resource/model/rule/comparison.ts'
import type { Permission } from '../../../src/resource/naming/permission.ts'
import { beginning, type zones } from './calendar.ts'

/** A living record and the living records around it. */
export interface PlainRecord {
  readonly path: string
  readonly read: RuleNode
  value(field: string): unknown
  one(relation: string): PlainRecord | null
  many(list: string): readonly PlainRecord[]
  /** When its tokens end. */
  readonly tokens?: Readonly<Record<string, { readonly until?: string; readonly maxUses?: number }>>
}
export interface PlainCaller {
  /** Null for nobody. */
  readonly id: unknown
  /** The living account of whoever asks. */
  readonly account: PlainRecord | null
  readonly role?: string
  readonly permissions: ReadonlySet<Permission>
  readonly now: Date
  /** What a token of the record must be. */
  readonly code?: string | null
  /** The field of the account that is nobody's until this other one is true. */
  readonly unverified?: { readonly field: string; readonly verified: string }
}

export function says(rule: RuleNode, record: PlainRecord, caller: PlainCaller): boolean {
  const { id } = caller
  switch (rule.rule) {
    case 'anyone':
      return true
    case 'nobody':
      return false
    case 'signedIn':
    case 'fresh':
      return id !== null
    case 'role':
      return caller.role !== undefined && rule.roles.includes(caller.role)
    case 'self':
      return id !== null && record.value('id') === id
    case 'own':
      return id !== null && record.value(rule.relation) === id
    case 'hasToken':
      return (
        record.value(rule.field) !== null &&
        caller.code?.split(',').includes(record.value(rule.field) as string) === true &&
        lasts(rule.field, record, caller)
      )
    case 'readable': {
      const target = record.one(rule.relation)
      return target !== null && says(target.read, target, caller)
    }
    case 'through': {
      const target = record.one(rule.relation)
      return target !== null && says(rule.of, target, caller)
    }
    case 'some':
      return record.many(rule.list).some((each) => says(rule.of, each, caller))
    case 'confined':
      return says(rule.of, record, caller)
    case 'not':
      return !says(rule.of, record, caller)
    case 'when':
      return Object.entries(rule.values).every(([field, wanted]) => passes(record.value(field), wanted, record, caller))
    case 'may': {
      const has = (verb: string) => caller.permissions.has(`${record.path}:${verb}` as Permission)
      const isMine = rule.mine !== null && id !== null && has(`${rule.verb}_own`) && says(rule.mine, record, caller)
      return id !== null && (has(rule.verb) || has(`${rule.verb}_any`) || isMine)
    }
    case 'anyOf':
      return rule.rules.some((each) => says(each, record, caller))
    case 'allOf':
      return rule.rules.every((each) => says(each, record, caller))
  }
}

function lasts(token: string, record: PlainRecord, { now }: PlainCaller): boolean {
  const { until, maxUses = Number.POSITIVE_INFINITY } = record.tokens?.[token] ?? {}
  const end = until === undefined ? null : record.value(until)
  const second = Math.floor(now.getTime() / 1_000) * 1_000
  return (end === null || (end as Date).getTime() > second) && Number(record.value(`${token}Uses`) ?? 0) < maxUses
}

function passes(value: unknown, wanted: unknown, record: PlainRecord, caller: PlainCaller): boolean {
  if (typeof wanted === 'object' && wanted !== null && 'present' in wanted) return (value !== null) === wanted.present
  if (wanted === null) return value === null
  const other = (on: unknown) => sourceValue(sourceOf(on), record, caller, isDay(value))
  if (!isTest(wanted)) return isSame(value, other(wanted))
  if (wanted.test === 'oneOf') return (wanted.on as readonly unknown[]).some((each) => isSame(value, other(each)))
  const on = other(wanted.on)
  if (value === null || on === null) return false
  const [left, right] = [value, on].map((each) => (isDay(each) ? Date.parse(each) : Number(each))) as [number, number]
  switch (wanted.test) {
    case 'is':
      return isSame(value, on)
    case 'contains':
      return (value as readonly unknown[]).includes(on)
    case 'atLeast':
      return left >= right
    case 'atMost':
      return left <= right
    case 'before':
      return left < right
    case 'after':
      return left > right
  }
}
const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
/** Nothing is the same as nothing; moments and exact numbers are compared by their value. */
const isSame = (left: unknown, right: unknown): boolean =>
  left !== null && right !== null && plainOf(left) === plainOf(right)
const plainOf = (value: unknown): unknown =>
  value instanceof Date || (typeof value === 'string' && /^-?\d+\.\d+$/.test(value)) ? Number(value) : value

function sourceValue(
  source: ValueSource,
  record: PlainRecord,
  { account, now, unverified }: PlainCaller,
  isOfDay: boolean,
): unknown {
  switch (source.from) {
    case 'constant':
      return source.value
    case 'field':
      return record.value(source.name)
    case 'me': {
      const isHidden = source.name === unverified?.field && account?.value(unverified.verified) !== true
      return account === null || isHidden ? null : account.value(source.name)
    }
    case 'now': {
      const second = Math.floor(now.getTime() / 1_000) * 1_000
      const shiftMs = shiftMsOf(source.shifts)
      if (source.start === undefined) return new Date(second + shiftMs)
      const { moment, day } = beginning(source.start.unit, second, source.start.timeZone as keyof typeof zones)
      return isOfDay ? new Date(Date.parse(day) + shiftMs).toISOString().slice(0, 10) : new Date(moment + shiftMs)
    }
    case 'argument':
      throw new Error('rules have no arguments')
  }
}
