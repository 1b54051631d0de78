// What an action changes besides its input: state, `check`, `to` and `set`.

import { Failure } from '../../failure/failure.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import { idIn } from '../../resource/model/either.ts'
import type { ActionModel, StateTest } from '../../resource/model/model.ts'
import { isSame } from '../../resource/model/rule/condition.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { CallbackActor } from '../callback-actor.ts'
import type { EmittedEvent } from '../context.ts'
import type { RowValues } from '../row/load.ts'

export interface CallbackArguments {
  readonly id?: string
  readonly actor: CallbackActor
  readonly now: Date
  readonly input: Readonly<Record<string, unknown>>
  readonly record: Readonly<RowValues>
  readonly tokens: Readonly<Record<string, string>>
}
/** Fails with CONFLICT, naming the state in the client's words. (contract 3.1.2) */
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

/** Fails with BUSINESS_RULE_VIOLATION and the definition's sentence. */
export function requireRule(action: ActionModel, callbackArguments: CallbackArguments): void {
  const verdict = action.check?.(callbackArguments) ?? true
  if (verdict === true) return
  if (typeof verdict === 'string') throw refusedBy(verdict)
  const name = `${action.resource.name}.${action.name}.check`
  throw new Error(`${name} answers neither true nor a sentence: one that waits for something is an async function.`)
}

export const refusedBy = (sentence: string, target?: number): Failure =>
  new Failure('BUSINESS_RULE_VIOLATION', { message: sentence, ...(target === undefined ? {} : { target }) })

export function storedOf({ accept }: ActionModel, fields: Readonly<RowValues>): RowValues {
  const stored: RowValues = {}
  for (const { field, column } of accept)
    if (column !== null && !column.secret && field in fields) stored[field] = fields[field]
  return stored
}

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

/** Code may run the action without an actor. */
function filledValue(
  { name, resource }: ActionModel,
  { field }: Column,
  set: unknown,
  callbackArguments: CallbackArguments,
): unknown {
  try {
    return typeof set === 'function' ? set(callbackArguments) : set
  } catch (error) {
    // Names what is missing, not which property of null was read.
    if (callbackArguments.actor !== null || !(error instanceof TypeError)) throw error
    const reason = 'whose set needs an actor, and the caller is anonymous'
    throw new Error(`The service's own code runs ${resource.name}.${name} without ${field}, ${reason}.`, {
      cause: error,
    })
  }
}

interface WrittenValues {
  readonly id: string
  readonly before: Readonly<RowValues> | null
  readonly after: Readonly<RowValues>
}

/** `made`: the tokens of a new one. */
export function emittedBy(
  { emit, resource }: ActionModel,
  { id, before, after: record }: WrittenValues,
  made: Readonly<Record<string, string>> = {},
): readonly EmittedEvent[] {
  if (emit === null) return []
  const previous = emit.changed.length === 0 ? null : previousText(emit.changed, before, record)
  if (previous === null && emit.changed.length > 0) return []
  const by = emit.by === null ? null : idIn(emit.by.branches, record)
  const tokens = emit.with.length === 0 ? null : Object.fromEntries(emit.with.map((each) => [each, made[each]!]))
  return [{ name: emit.name, resource: resource.name, id, by, tokens, previous }]
}

/** Null if none changed. (contract 13.9.1) */
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
