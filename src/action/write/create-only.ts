// A PUT by key may repeat fields that only create accepts: they must equal the record's, so that the PUT that created it can be
// repeated. (contract 11.2.14)

import { isDeepStrictEqual } from 'node:util'
import { memoizePair } from '../../cache/memoize.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { isTrue } from '../../read-plan/print.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { Accepted, ActionModel } from '../../resource/model/model.ts'
import { always, fold } from '../../resource/model/rule/condition.ts'
import type { Program } from '../../store/store.ts'
import type { Write } from '../call.ts'
import { inputName, storedOf } from '../input/either-input.ts'
import type { InputReading } from '../input/list-input.ts'
import { memberNames, validateOne } from '../input/validate.ts'
import type { RowValues } from '../row/load.ts'
import { namesByKey, resolveKeys, withOpenKeys } from '../target/resolve-keys.ts'
import type { TargetState } from '../target/target-state.ts'
import type { CreateOnly, ValidInput } from '../valid-input.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'

/** Splits the input; reports invalid form of the fields that only create accepts. */
export function takeCreateOnly(
  { create, update }: { readonly create: ActionModel; readonly update: ActionModel },
  input: unknown,
  reading: InputReading,
  problem: (field: string, message: string) => void,
): { readonly input: unknown; readonly createOnly?: CreateOnly } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { input }
  const [taken, all] = [memberNames(update, reading.names), memberNames(create, reading.names)]
  const members = Object.entries(input)
  const own = members.filter(([name]) => taken.has(name) || !all.has(name))
  if (own.length === members.length) return { input }
  const action = comparedPart(create, update)
  const compared = memberNames(action, reading.names)
  const sent = Object.fromEntries(members.filter(([name]) => !taken.has(name) && compared.has(name)))
  const rest = { input: Object.fromEntries(own) }
  if (Object.keys(sent).length === 0) return rest
  return { ...rest, createOnly: { action, input: validateOne(action, sent, 'partial', reading, problem) } }
}

const comparedPart = memoizePair((create: ActionModel, update: ActionModel): ActionModel => {
  const isCompared = ({ field, column }: Accepted) =>
    column !== null && !column.secret && !column.encrypted && !update.accept.some((each) => each.field === field)
  return {
    ...create,
    accept: create.accept.filter(isCompared),
    sent: create.sent.filter((each) => storedOf(each, create).every(isCompared)),
    lists: [],
    mayFollow: [],
  }
})

export const isCreateOnly = ({ targets }: Pick<Write, 'targets'>): boolean =>
  targets.some(({ createOnly }) => createOnly !== undefined)

/** Fails with BUSINESS_RULE_VIOLATION, naming each readable field that differs. */
export function* requireUnchanged(
  { targets }: Pick<Write, 'targets'>,
  states: readonly TargetState[],
  scope: WriteScope,
): Program<void> {
  const details: Detail[] = []
  for (const [index, { createOnly }] of targets.entries())
    if (createOnly !== undefined)
      for (const field of yield* differentFields(createOnly, states[index]!.before!, scope))
        details.push({ field, message: 'Cannot be changed.', target: index })
  if (details.length > 0) throw new Failure('BUSINESS_RULE_VIOLATION', { details, target: details[0]!.target! })
}

/** What clients call the fields that differ and that the caller may read. */
function* differentFields(
  { action, input }: CreateOnly,
  record: Readonly<RowValues>,
  scope: WriteScope,
): Program<readonly string[]> {
  const inputs = withOpenKeys([input])
  if (namesByKey(inputs)) for (const records of [null, [record]]) yield* resolveKeys(action, inputs, records, scope)
  const [{ fields }] = inputs as [ValidInput]
  const different = action.accept.filter(({ field, spec }) => {
    const values = [fields[field], record[field]].map((value) => writeValue(spec, value ?? null))
    return field in fields && !isDeepStrictEqual(values[0], values[1])
  })
  const names: string[] = []
  for (const { field } of different)
    if (yield* isReadable(action, field, record, scope)) names.push(inputName(action.resource, field, scope.vocabulary))
  return [...new Set(names)]
}

/** Whether the caller may read the field and, for a relation, its record. */
function* isReadable(
  { resource }: ActionModel,
  field: string,
  record: Readonly<RowValues>,
  scope: WriteScope,
): Program<boolean> {
  const { actor, statements } = scope
  const relation = resource.relations.get(field)
  const rule = resource.protect.get(field)?.read
  const questions = [
    { of: resource, id: record['id'], condition: rule === undefined ? always : fold(rule, resource, actor) },
  ]
  if (relation !== undefined && record[field] !== null)
    questions.push({
      of: relation.target,
      id: record[field],
      condition: fold(relation.target.read.allow, relation.target, actor),
    })
  for (const { of, id, condition } of questions) {
    if (condition.is === 'always') continue
    const load = { resource: of, conditions: [condition], columns: [], lock: null } as const
    const [row] = yield statements.load(load, ruleInputsOf(scope), [id as string])
    if (row === undefined || !isTrue(row[2]!)) return false
  }
  return true
}
