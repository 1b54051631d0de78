// Checks states and moves: reachable states, moves that can start, moves that can follow create.

import type { SpecBase } from '../../field/field.ts'
import { initialValue } from '../../field/registry.ts'
import { isActorDefault } from '../../field/relation.ts'
import type { ActionDefinition, Definition } from '../../language/definition.ts'
import { type DefinitionIndex, isPresence, own } from '../report/definition-index.ts'
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

const isUsual = (name: string): boolean => ['read', 'create', 'update', 'delete'].includes(name)
const stateField = ({ fields }: Definition): string | undefined =>
  Object.keys(fields).find((field) => fields[field]!.kind === 'state')
const statesOf = (definition: Definition): readonly string[] => {
  const field = stateField(definition)
  return field === undefined ? [] : (definition.fields[field] as SpecBase & { values: readonly string[] }).values
}
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
    if (from !== undefined)
      checkValues('from', from as Readonly<Record<string, unknown>>, { definition, where, report })
    return
  }
  if (starts.length === 0) report(where, 'its from lists no state', 'name the states that it starts from')
  for (const start of starts)
    if (!states.includes(start))
      report(where, `it starts from ${start}, which is no state of ${definition.name}`, instead(start, states))
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

function checkReached({ name, actions }: Definition, states: readonly string[], report: Report): void {
  const reached = new Set(states.slice(0, 1))
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
    return isPresence(wanted) ? wanted.present === (left !== null) : wanted === left
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
