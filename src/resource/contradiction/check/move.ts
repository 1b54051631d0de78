// Checks states and moves: reachable states, moves that can start, moves that can follow create, moves of the clock.

import { beginningsOf } from '../../field/choice.ts'
import type { SpecBase } from '../../field/field.ts'
import { initialValue } from '../../field/registry.ts'
import { isActorDefault, type OneSpec } from '../../field/relation.ts'
import { type ActionDefinition, type Definition, isUsual } from '../../language/definition.ts'
import { dueOf } from '../../model/compile/compile-timed-move.ts'
import { isTest } from '../../model/rule/comparison.ts'
import { type DefinitionIndex, fieldsOfKind, isPresence, own } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { checkValues } from './rule.ts'

export function moveContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const states = statesOf(definition)
    for (const [name, action] of Object.entries(definition.actions)) {
      if (isUsual(name)) continue
      const where = `${definition.name}.${name}`
      checkFrom(where, action, states, definition, report)
      if (action.to !== undefined) checkTo(where, action, states, definition, report)
    }
    checkReached(definition, states, report)
    const create = own(definition.actions, 'create')
    for (const move of create?.mayFollow ?? []) checkFollower(move, create!, definition, states, report)
  }
}

const statesOf = (definition: Definition): readonly string[] => {
  const [field] = fieldsOfKind(definition, 'state')
  return field === undefined ? [] : (definition.fields[field] as SpecBase & { values: readonly string[] }).values
}
/** The states in which a record may begin. */
const beginnings = (definition: Definition): readonly string[] =>
  fieldsOfKind(definition, 'state').flatMap((field) => beginningsOf(definition.fields[field]!))
const startsOf = ({ from }: ActionDefinition): readonly string[] | null =>
  typeof from === 'string' ? [from] : Array.isArray(from) ? (from as readonly string[]) : null

function checkFrom(
  where: string,
  action: ActionDefinition,
  states: readonly string[],
  definition: Definition,
  report: Report,
): void {
  const { from } = action
  const starts = startsOf(action)
  if (starts === null) {
    if (from !== undefined) checkValuesOfFrom(from as Readonly<Record<string, unknown>>, { definition, where, report })
    return
  }
  if (starts.length === 0) report(where, 'its from lists no state', 'name the states that it starts from')
  for (const start of starts)
    if (!states.includes(start))
      report(where, `it starts from ${start}, which is no state of ${definition.name}`, instead(start, states))
}

/** A value, one of several, or whether there is one. */
function checkValuesOfFrom(
  from: Readonly<Record<string, unknown>>,
  place: { readonly definition: Definition; readonly where: string; readonly report: Report },
): void {
  const single = Object.entries(from).filter(([, wanted]) => !isTest(wanted))
  if (single.length > 0 || Object.keys(from).length === 0) checkValues('from', Object.fromEntries(single), place)
  for (const [field, wanted] of Object.entries(from)) {
    if (!isTest(wanted)) continue
    const values = wanted.test === 'oneOf' ? (wanted.on as readonly unknown[]) : []
    if (wanted.test !== 'oneOf')
      place.report(place.where, `its from tests ${field} with ${wanted.test}`, 'use oneOf, or a rule')
    else if (values.length === 0) place.report(place.where, `its list of values of ${field} is empty`, 'name some')
    for (const value of values) checkValues('from', { [field]: value }, place)
  }
}

function checkTo(
  where: string,
  { from, to }: ActionDefinition,
  states: readonly string[],
  definition: Definition,
  report: Report,
): void {
  if (!states.includes(to!))
    report(where, `it moves to ${to}, which is no state of ${definition.name}`, instead(to!, states))
  if (from === undefined) report(where, `it moves to ${to} from wherever it is`, 'add from')
}

function checkReached(definition: Definition, states: readonly string[], report: Report): void {
  const { name, actions } = definition
  const reached = new Set(beginnings(definition))
  for (const state of reached) {
    for (const action of Object.values(actions)) {
      const starts = startsOf(action)
      if (action.to !== undefined && (starts === null || starts.includes(state))) reached.add(action.to)
    }
  }
  for (const state of states) {
    if (!reached.has(state))
      report(name, `no move reaches ${state}, starting from ${states[0]}`, 'add a move or strike the state')
  }
}

function checkFollower(
  name: string,
  create: ActionDefinition,
  definition: Definition,
  states: readonly string[],
  report: Report,
): void {
  const where = `${definition.name}.create`
  if (beginnings(definition).length > 1)
    report(
      where,
      `it may be followed by ${name}, and its effect may choose where it begins`,
      'strike mayFollow or begins',
    )
  const move = own(definition.actions, name)
  const moves = Object.entries(definition.actions).flatMap(([each, { on }]) => (isUsual(each) || on ? [] : [each]))
  if (move === undefined || !moves.includes(name)) {
    report(where, `it may be followed by ${name}, which is no move`, instead(name, moves))
    return
  }
  if (create.accept?.includes(name))
    report(where, `its input has ${name} twice, as a field and as a move`, 'give the field another name')
  if ((move.accept ?? []).length > 0)
    report(where, `it may be followed by ${name}, which takes input of its own`, 'leave it to a request of its own')
  if (!canFollow(move, create, definition, states))
    report(
      where,
      `it may be followed by ${name}, which does not start from where create ends`,
      `strike ${name} from mayFollow`,
    )
}

function canFollow(
  move: ActionDefinition,
  create: ActionDefinition,
  definition: Definition,
  states: readonly string[],
): boolean {
  const starts = startsOf(move)
  if (starts !== null) return starts.includes(states[0]!)
  return Object.entries(move.from ?? {}).every(([field, wanted]) => {
    const left = leftBy(create, field, definition)
    if (left === undefined) return true
    if (isPresence(wanted)) return wanted.present === (left !== null)
    return isTest(wanted) ? (wanted.on as readonly unknown[]).includes(left) : wanted === left
  })
}

/** Undefined if it varies. */
function leftBy(create: ActionDefinition, field: string, { fields }: Definition): unknown {
  if (create.effect !== undefined || create.accept?.includes(field)) return undefined
  const set = own(create.set, field)
  if (set !== undefined) return typeof set === 'function' ? undefined : set
  const spec = own(fields, field)
  return spec === undefined || isActorDefault(spec) ? undefined : initialValue(spec)
}

/** Moves that the clock makes: their due time, and what they need of a caller. */
export function timedMoveContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values())
    for (const [name, action] of Object.entries(definition.actions)) {
      const where = `${definition.name}.${name}`
      if (action.at !== undefined) checkTimedMove(where, name, action, { definition, definitions, report })
      else if (action.past !== undefined || action.shown !== undefined)
        report(where, 'it has past or shown, which are about a due time', 'give it at, or strike them')
    }
}

interface Place {
  readonly definition: Definition
  readonly definitions: DefinitionIndex
  readonly report: Report
}

function checkTimedMove(where: string, name: string, action: ActionDefinition, place: Place): void {
  const { definition, report } = place
  const { accept = [], link, unlink } = action
  if (isUsual(name) || action.on !== undefined) {
    report(where, 'it has at, and only a move of a record is made by the clock', 'strike at, or make it a move')
    return
  }
  for (const each of accept)
    if (own(definition.fields, each)?.optional !== true)
      report(where, `it needs ${each}, which the clock does not send`, `make ${each} optional, or strike it`)
  if (link !== undefined || unlink !== undefined)
    report(where, 'it links the actor, and the clock is none', 'strike link and unlink')
  const { due, shifts } = dueOf(action.at!)
  checkTimestamp(where, due, place)
  for (const { unitSeconds, count } of shifts) {
    if (!Number.isInteger(unitSeconds))
      report(where, 'its at has an unknown unit', 'use weeks, days, hours, minutes and seconds')
    else if (typeof count !== 'number') {
      const name = count?.field
      if (own(definition.fields, name)?.kind !== 'integer')
        report(
          where,
          `its at counts ${name}, which is no integer`,
          instead(String(name), fieldsOfKind(definition, 'integer')),
        )
    } else if (!Number.isInteger(count) || Math.abs(count * unitSeconds) > spanSecondsMax)
      report(where, 'its at is shifted by something else than a whole number', 'shift it by less than 1,000 years')
  }
}
const spanSecondsMax = 31_557_600_000

function checkTimestamp(where: string, due: string, { definition, definitions, report }: Place): void {
  const [first, field, ...rest] = due.split('.') as [string, ...string[]]
  const relation = own(definition.fields, first) as OneSpec | undefined
  const isPath = field !== undefined
  if (isPath && (relation?.kind !== 'one' || rest.length > 0)) {
    report(where, `its at follows ${due}, which is no field of a record that it refers to`, 'name one relation to one')
    return
  }
  const of = isPath ? definitions.resources.get(relation!.target) : definition
  if (of === undefined) return
  const name = field ?? first
  const timestamps = [...fieldsOfKind(of, 'timestamp'), 'createdAt']
  if (!timestamps.includes(name))
    report(where, `its at is ${name}, which is no timestamp of ${of.name}`, instead(name, timestamps))
}
