// What an action changes, besides what was sent: its state, its business rule, `to` and `set`.

import { Failure } from '../failure/failure.ts'
import { writeValue } from '../resource/field/registry.ts'
import type { Column } from '../resource/model/column.ts'
import { isSame } from '../resource/model/condition.ts'
import type { ActionModel, StateTest } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { CallbackActor } from './callback-actor.ts'
import type { EmittedEvent } from './context.ts'
import type { RowValues } from './load.ts'

/** What the callbacks of a definition are given. */
export interface CallbackArguments {
  /** Absent for an action on no record. */
  readonly id?: string
  readonly actor: CallbackActor
  readonly now: Date
  readonly input: Readonly<Record<string, unknown>>
  readonly record: Readonly<RowValues>
  readonly tokens: Readonly<Record<string, string>>
}
/** Fails with CONFLICT, naming the state that the record is in, in the words of whoever asked. (contract 3.1.2) */
export function requireState(
  action: ActionModel,
  record: Readonly<RowValues>,
  vocabulary: Pick<Vocabulary, 'name'>,
): void {
  for (const test of action.from) {
    const value = record[test.column.field]
    if (!passes(test, value)) throw new Failure('CONFLICT', { message: conflict(action, test, value, vocabulary) })
  }
}

/** Whether a record with this value is where an action can begin. */
export const passes = (test: StateTest, value: unknown): boolean =>
  test.values === null
    ? (value !== null) === test.present
    : test.values.some((each) => isSame(test.column, each, value))

function conflict(
  action: ActionModel,
  { column, values, present }: StateTest,
  value: unknown,
  { name }: Pick<Vocabulary, 'name'>,
): string {
  const field = name(action.resource, column.field)
  if (values !== null) {
    const words = [...values, value].map((each) => String(writeValue(column.spec, each)))
    return `To ${action.name} it, ${field} must be ${words.slice(0, -1).join(' or ')}; it is ${words.at(-1)}.`
  }
  return present
    ? `To ${action.name} it, ${field} must be set; it is not.`
    : `To ${action.name} it, ${field} must not be set; it is.`
}

/** Fails with BUSINESS_RULE_VIOLATION and the definition's own sentence. */
export function requireRule(action: ActionModel, callbackArguments: CallbackArguments): void {
  const verdict = action.check?.(callbackArguments) ?? true
  if (verdict === true) return
  if (typeof verdict === 'string') throw refusedBy(verdict)
  const name = `${action.resource.name}.${action.name}.check`
  throw new Error(`${name} answers neither true nor a sentence: one that waits for something is an async function.`)
}

/** What a sentence of a definition is to whoever asked. */
export const refusedBy = (sentence: string, target?: number): Failure =>
  new Failure('BUSINESS_RULE_VIOLATION', { message: sentence, ...(target === undefined ? {} : { target }) })

/** What was sent of the fields that are stored as they are. */
export function storedOf({ accept }: ActionModel, fields: Readonly<RowValues>): RowValues {
  const stored: RowValues = {}
  for (const { field, column } of accept)
    if (column !== null && !column.secret && field in fields) stored[field] = fields[field]
  return stored
}

/** The fields that the action itself writes, but for these. */
export function changesOf(
  action: ActionModel,
  callbackArguments: CallbackArguments,
  but: readonly string[] = [],
): RowValues {
  const changes: RowValues = {}
  if (action.to !== null) changes[action.resource.state!.field] = action.to
  for (const { column, value } of action.set) {
    if (but.includes(column.field)) continue
    changes[column.field] = filledValue(action, column, value, callbackArguments)
  }
  return changes
}

/** What `set` works out. It may rely on an actor where the rule asks for one, and code may run the action for nobody. */
function filledValue(
  { name, resource }: ActionModel,
  { field }: Column,
  set: unknown,
  callbackArguments: CallbackArguments,
): unknown {
  try {
    return typeof set === 'function' ? set(callbackArguments) : set
  } catch (error) {
    // Whoever wrote the code that runs it needs to know what to add, and not which member of null was read.
    if (callbackArguments.actor !== null || !(error instanceof TypeError)) throw error
    const reason = 'whose set asks for an actor, and nobody is signed in to be it'
    throw new Error(`The service's own code runs ${resource.name}.${name} without ${field}, ${reason}.`, {
      cause: error,
    })
  }
}

/** A record that an action wrote: as it was, null where it is new, and as it is. */
interface WrittenValues {
  readonly id: string
  readonly before: Readonly<RowValues> | null
  readonly after: Readonly<RowValues>
}

/** What is told of an action on this record, once it is committed; `made` are its tokens, where it is new. */
export function emittedBy(
  { emit, resource }: ActionModel,
  { id, before, after: record }: WrittenValues,
  made: Readonly<Record<string, string>> = {},
): readonly EmittedEvent[] {
  if (emit === null) return []
  const previous = emit.changed.length === 0 ? null : previousText(emit.changed, before, record)
  if (previous === null && emit.changed.length > 0) return []
  const by = emit.by === null ? null : (record[emit.by.field] as string)
  const tokens = emit.with.length === 0 ? null : Object.fromEntries(emit.with.map((each) => [each, made[each]!]))
  return [{ name: emit.name, resource: resource.name, id, by, tokens, previous }]
}

/** What these columns held before, and which of them changed; null where none did. A new record held nothing before. (contract 13.9.1) */
function previousText(
  columns: readonly Column[],
  before: Readonly<RowValues> | null,
  after: Readonly<RowValues>,
): string | null {
  if (before === null) return null
  const hasChanged = (column: Column) => !isSame(column, before[column.field], after[column.field])
  if (!columns.some(hasChanged)) return null
  return JSON.stringify(
    Object.fromEntries(
      columns.map((column) => [column.field, [writeValue(column.spec, before[column.field]), hasChanged(column)]]),
    ),
  )
}
