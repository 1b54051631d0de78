// Compares the rights of two definitions: for each rule that differs, for which callers, and for how many records.

import type { Actor } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { always, type Condition, fold, never } from '../../resource/model/rule/condition.ts'
import type { Permission } from '../../resource/naming/permission.ts'
import { conditionSql } from '../../store/sql/condition/condition.ts'
import { type Dialect, literal, quote } from '../../store/sql/text/dialect.ts'
import { SqlText } from '../../store/sql/text/sql-text.ts'
import { query, rowsOf, type Store } from '../../store/store.ts'
import { type RecordedRule, type Rights, rightsOf } from '../start/recorded-definition.ts'

export interface RightsChange {
  /** `Post.update`, or `Post.note (read)`. */
  readonly right: string
  readonly direction: 'widens' | 'narrows' | 'may widen'
  /** `anonymous`, or roles. */
  readonly callers: readonly string[]
  /** Null if it concerns no stored record, or could not be counted. */
  readonly records: number | null
  /** False: at most so many, as it depends on the caller. */
  readonly isExact: boolean
  /** More than so many: counting ended early. */
  readonly isMore: boolean
  /** Null: there was no such rule. */
  readonly before: string | null
  readonly now: string | null
}

const recordsMax = 100_000
const countingMs = 5_000
/** In one statement. */
const rowsMax = 20_000

/** Code of checks and effects is not compared. Records are counted for five seconds in all. */
export async function compareRights(
  former: Rights,
  model: Model,
  {
    store,
    dialect,
    now = () => performance.now(),
  }: { readonly store: Store; readonly dialect: Dialect; readonly now?: () => number },
): Promise<readonly RightsChange[]> {
  const current = rightsOf(model)
  const changes: RightsChange[] = []
  const endsAt = now() + countingMs
  const isLate = () => now() > endsAt
  const isIn = (rights: Rights, name: string) => Object.values(rights.rules).some(({ resource }) => resource === name)
  for (const right of new Set([...Object.keys(former.rules), ...Object.keys(current.rules)])) {
    const [before, now] = [former.rules[right] ?? null, current.rules[right] ?? null]
    const { resource: name } = (before ?? now)!
    const resource = model.byName.get(name)
    if (resource === undefined || !isIn(former, name)) continue
    const found: RightsChange[] = []
    for (const [caller, actor] of callersOf(former, current))
      for (const each of await compareFor(actor, { before, now, resource, store, dialect, isLate }))
        found.push({ ...each, right, callers: [caller], before: before?.sentence ?? null, now: now?.sentence ?? null })
    changes.push(...joined(found))
  }
  return changes
}

type Caller = readonly [before: Actor | null, now: Actor | null]

function callersOf(former: Rights, current: Rights): readonly (readonly [string, Caller])[] {
  const actorOf = (role: string, { roles }: Rights): Actor => ({
    id: '',
    role,
    permissions: new Set((roles[role] ?? []) as Permission[]),
    scopes: null,
    credential: { kind: 'apiKey', keyId: '' },
  })
  const roles = Object.keys(current.roles).map(
    (role) => [role, [actorOf(role, former), actorOf(role, current)]] as const,
  )
  return [['anonymous', [null, null]], ...roles]
}

interface Compared {
  readonly before: RecordedRule | null
  readonly now: RecordedRule | null
  readonly resource: ResourceModel
  readonly store: Store
  readonly dialect: Dialect
  /** No further statement counts. */
  readonly isLate: () => boolean
}
type Found = Pick<RightsChange, 'direction' | 'records' | 'isExact' | 'isMore'>

async function compareFor([former, current]: Caller, compared: Compared): Promise<readonly Found[]> {
  const { before, now, resource } = compared
  // Without a rule, no caller may run an action, and a field is visible with its record.
  const missing = (now ?? before)!.isOfField ? always : never
  const to = now === null ? missing : fold(now.rule, resource, current)
  const from = before === null ? missing : folded(before.rule, resource, former)
  // Its names mean nothing in this definition.
  if (from === null) return [{ direction: 'may widen', records: null, isExact: false, isMore: false }]
  const [widened, narrowed] = [gained(from, to), gained(to, from)]
  return [
    ...(widened.length === 0 ? [] : [await counted('widens', widened, from, compared)]),
    ...(narrowed.length === 0 ? [] : [await counted('narrows', narrowed, to, compared)]),
  ]
}

/** Null for a rule about a field or a relation that is gone. */
function folded(rule: RuleNode, resource: ResourceModel, actor: Actor | null): Condition | null {
  try {
    const condition = fold(rule, resource, actor)
    return isWhole(condition) ? condition : null
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** A column that is missing folds to undefined. */
const isWhole = (condition: Condition): boolean =>
  (!('column' in condition) || condition.column !== undefined) &&
  (!('of' in condition) || [condition.of].flat().every(isWhole)) &&
  (!('condition' in condition) || isWhole(condition.condition))

/** Alternatives of `to` that no alternative of `from` includes. */
function gained(from: Condition, to: Condition): readonly Condition[] {
  const before = alternativesOf(from)
  return alternativesOf(to).filter((each) => each.is !== 'never' && !before.some((other) => implies(each, other)))
}

const alternativesOf = (condition: Condition): readonly Condition[] =>
  condition.is === 'any' ? condition.of.flatMap(alternativesOf) : [condition]

/** Whether every record of the one is one of the other, as far as their form shows. */
function implies(one: Condition, other: Condition): boolean {
  if (other.is === 'always') return true
  const parts = new Set(partsOf(one).map(keyOf))
  return partsOf(other).every((each) => parts.has(keyOf(each)))
}
const partsOf = (condition: Condition): readonly Condition[] =>
  condition.is === 'all' ? condition.of.flatMap(partsOf) : [condition]

const keyOf = (condition: Condition): string =>
  JSON.stringify(condition, (name, value) => {
    if (name === 'column') return (value as { readonly name: string }).name
    if (name === 'relation') return (value as { readonly field: string }).field
    return typeof value === 'bigint' ? String(value) : value
  })

async function counted(
  direction: 'widens' | 'narrows',
  more: readonly Condition[],
  less: Condition,
  { before, now, resource, store, dialect, isLate }: Compared,
): Promise<Found> {
  if ((now ?? before)!.isOfNone) return { direction, records: null, isExact: false, isMore: false }
  const [gain, known] = [sqlOf({ is: 'any', of: more }, dialect), sqlOf(less, dialect)]
  const conditions = [...(gain === null ? [] : [gain]), ...(known === null ? [] : [`not (${known})`])]
  const holds = ['r."deleted_at" is null', ...conditions].join(' and ')
  // The table may not be there yet.
  const found = await count(resource.table, holds, { store, dialect, isLate }).catch(() => null)
  const records = found === null || (found.isMore && found.records === 0) ? null : found.records
  return { direction, records, isExact: gain !== null && known !== null, isMore: records !== null && found!.isMore }
}

/** By primary key, some rows at a time, so that no statement takes long. */
async function count(
  table: string,
  holds: string,
  { store, dialect, isLate }: Pick<Compared, 'store' | 'dialect' | 'isLate'>,
): Promise<{ readonly records: number; readonly isMore: boolean }> {
  const rows = `select * from ${quote(table)} where "id" > ${dialect.parameter(1)} order by "id" limit ${rowsMax}`
  const some = query(`select sum(case when ${holds} then 1 else 0 end), max(r."id"), count(*) from (${rows}) r`)
  for (let records = 0, after = ''; ; ) {
    if (records > recordsMax) return { records: recordsMax, isMore: true }
    if (isLate()) return { records, isMore: true }
    const [[found, last, read]] = (await store.read(rowsOf(some, after))) as unknown as [[unknown, unknown, unknown]]
    records += Number(found ?? 0)
    if (Number(read) < rowsMax)
      return records > recordsMax ? { records: recordsMax, isMore: true } : { records, isMore: false }
    after = String(last)
  }
}

/** Null if it depends on the caller or the time. */
function sqlOf(condition: Condition, dialect: Dialect): string | null {
  const sql = new SqlText(dialect, (source) => (source.from === 'constant' ? literal(source.value) : null))
  const text = conditionSql(condition, 'r', sql)
  return sql.sources.length > 0 ? null : text
}

/** Callers whose rights change alike. */
function joined(changes: readonly RightsChange[]): readonly RightsChange[] {
  const groups = Map.groupBy(changes, ({ direction, records, isExact, isMore }) =>
    [direction, records, isExact, isMore].join(),
  )
  return [...groups.values()].map((group) => ({ ...group[0]!, callers: group.flatMap(({ callers }) => callers) }))
}

/** `Post.read widens for anonymous, VIEWER: 12 records`. */
export function rightsSentence({ right, direction, callers, records, isExact, isMore }: RightsChange): string {
  const most = isExact ? '' : 'at most '
  const number = records === null ? '' : isMore ? `more than ${records}` : `${most}${records}`
  const count = number === '' ? '' : `: ${number} ${number === '1' ? 'record' : 'records'}`
  return `${right} ${direction} for ${callers.join(', ')}${count}`
}
