// Validates the form of input. All problems of all targets are collected. (contract 7.2.4)

import { memoizePair } from '../../cache/memoize.ts'
import type { Detail } from '../../failure/failure.ts'
import { addressProblem, isOfKey } from '../../resource/model/key.ts'
import type { Accepted, ActionModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { Target } from '../call.ts'
import type { KeyedReference, ValidInput } from '../valid-input.ts'
import { sentName, storedOf, typedOf, withRelations } from './either-input.ts'
import { type KeyedField, keyedFields, keyedList, readKeyed } from './keyed-reference.ts'
import { type InputReading, listNames, noInput, readLists, sentAs } from './list-input.ts'

/** A missing field takes its default, stays (`partial`), or stays only if protected (`replace`). */
export type InputMode = 'complete' | 'replace' | 'partial'

/** `problems` name fields as the client does. Targets that share an input are reported once. */
export function validate(
  action: ActionModel,
  targets: readonly Target[],
  mode: InputMode,
  { names, actor, limits, room, problems, indexes = null, isForMany = false }: Validation,
): readonly ValidInput[] {
  const reading: InputReading = { names, actor, limits, room }
  const inputs: ValidInput[] = []
  for (const [index, { input }] of targets.entries()) {
    const target = indexes?.[index] ?? index
    const problem = (field: string, message: string) => void problems.push({ field, message, target })
    const isShared = index > 0 && input === targets[index - 1]!.input
    inputs.push(isShared ? inputs[index - 1]! : validateOne(action, input, mode, reading, problem))
  }
  if (isForMany || (inputs.length > 1 && inputs[0] === inputs[1]))
    problems.push(...notShared(action, inputs[0]!, names))
  return inputs
}

export interface Validation extends InputReading {
  readonly problems: Detail[]
  /** Of each target in the request; null if they are the same. */
  readonly indexes?: readonly number[] | null
  readonly isForMany?: boolean
}

/** Records cannot share a password or children. (contract 13.7.9) */
const notShared = (action: ActionModel, { fields, lists }: ValidInput, names: Vocabulary): readonly Detail[] => {
  const passwords = action.accept
    .filter(({ field, spec }) => spec.kind === 'password' && typeof fields[field] === 'string')
    .map(({ field }) => names.name(action.resource, field))
  const all = [...passwords, ...lists.replaced.map(({ path }) => path)]
  return all.map((field) => ({ field, message: 'Is for a single record.', target: 0 }))
}

/** Accepted fields in the body, whose rules are checked before form. */
export function mentioned(action: ActionModel, input: unknown, names: Vocabulary): readonly Accepted[] {
  if (typeof input !== 'object' || input === null) return []
  const { accepted, references } = wireNames(action, names)
  const found: Accepted[] = []
  for (const [name, each] of accepted) {
    const keyed = references.get(each.field)
    const isSent = Object.hasOwn(input, name) || (keyed !== undefined && Object.hasOwn(input, keyed.name))
    if (isSent) found.push(...storedOf(each, action))
  }
  return found
}

export const memberNames = (action: ActionModel, names: Vocabulary): ReadonlySet<string> => wireNames(action, names).all

export function validateOne(
  action: ActionModel,
  input: unknown,
  mode: InputMode,
  reading: InputReading,
  problem: (field: string, message: string) => void,
): ValidInput {
  const { names } = reading
  const sent = (input === undefined ? {} : input) as Readonly<Record<string, unknown>>
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    problem('', 'Must be an object.')
    return noInput
  }
  const { accepted, moves, references, ofKeys, all } = wireNames(action, names)
  for (const name of Object.keys(sent)) if (!all.has(name)) problem(name, 'There is no such field.')
  const fields: Record<string, unknown> = {}
  const keyed: KeyedReference[] = []
  for (const [name, field] of accepted) {
    const byKey = references.get(field.field)
    const own = sentAs(sent, name)
    const key = byKey === undefined ? undefined : sentAs(sent, byKey.name)
    if (byKey !== undefined && key !== undefined) {
      if (own !== undefined) problem(byKey.name, `Send either this or ${name}.`)
      else if (key === null) fields[field.field] = check(field, null, byKey.name, names, problem)
      else keyed.push(...[readKeyed(byKey, key, reading, problem) ?? []].flat())
    } else if (own !== undefined) {
      const input = field.branches === undefined ? own : typedOf(own, field.field, action.resource, names)
      const value = check(field, input, name, names, problem)
      const wrong = ofKeys.has(field) ? addressProblem(value) : null
      if (wrong !== null) problem(name, wrong)
      fields[field.field] = value
    } else if (!storedOf(field, action).some((each) => staysMissing(action, each, mode)))
      fields[field.field] = missing(field, name, problem)
    if (field.branches !== undefined && field.field in fields)
      Object.assign(fields, withRelations(field.field, fields[field.field], action.resource))
  }
  const also: ActionModel[] = []
  for (const [name, move] of moves) {
    const value = sentAs(sent, name)
    if (value === true) also.push(move)
    else if (value !== undefined && value !== false) problem(name, 'Must be true or false.')
  }
  if (mode === 'partial' && Object.keys(sent).length === 0) problem('', 'Send at least one field.')
  const lists = readLists(action, sent, reading, problem, (child, own, report) =>
    validateOne(child, own, child.kind === 'update' ? 'partial' : 'complete', reading, report),
  )
  for (const link of lists.links) keyed.push(...link.keyed)
  return { fields, also, keyed, lists }
}

function check(
  field: Accepted,
  value: unknown,
  name: string,
  names: Vocabulary,
  problem: (field: string, message: string) => void,
): unknown {
  if (value !== null)
    return field.kind.check(field.spec, value, (path, message) => problem(`${name}${path}`, message), names.part)
  if (!field.nullable) problem(name, 'Must not be null.')
  return null
}

/** Protected fields and secrets stay, since omitting them must not erase them. (contract 4.5.2, 11.4.4) */
export const staysMissing = ({ resource }: ActionModel, { field, column }: Accepted, mode: InputMode): boolean =>
  mode === 'partial' ||
  (mode === 'replace' && (column?.encrypted === true || resource.protect.get(field)?.write !== undefined))

function missing(field: Accepted, name: string, problem: (field: string, message: string) => void): unknown {
  if (field.initial === undefined) problem(name, 'Is required.')
  return field.initial?.()
}

interface WireNames {
  readonly accepted: ReadonlyMap<string, Accepted>
  readonly moves: ReadonlyMap<string, ActionModel>
  readonly references: ReadonlyMap<string, KeyedField>
  readonly ofKeys: ReadonlySet<Accepted>
  readonly all: ReadonlySet<string>
}
const wireNames = memoizePair((action: ActionModel, names: Vocabulary): WireNames => {
  const accepted = new Map(action.sent.map((each) => [sentName(action.resource, each, names), each]))
  const moves = new Map(action.mayFollow.map((move) => [names.part(move.name, { kind: 'boolean' }), move]))
  const references = keyedFields(action, names)
  const lists = action.lists.map((list) => keyedList(action, list, names)).filter((each) => each !== null)
  const keyed = [...references.values(), ...lists].map(({ name }) => name)
  const ofKeys = new Set(action.accept.filter(({ column }) => column !== null && isOfKey(action.resource, column)))
  return {
    accepted,
    moves,
    references,
    ofKeys,
    all: new Set([...accepted.keys(), ...moves.keys(), ...keyed, ...listNames(action, names).keys()]),
  }
})
