// Finds records by their keys. (contract 11.2)

import { type Detail, Failure } from '../../failure/failure.ts'
import { addressProblem, type KeyName, keyValues, tenantProblem } from '../../resource/model/key.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { always, fold, isSame } from '../../resource/model/rule/condition.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { executeTogether } from '../../store/combine.ts'
import { encodeValue } from '../../store/sql/text/column-value.ts'
import { boundTo, noCaller } from '../../store/sql/text/sql-text.ts'
import type { Bound, Program } from '../../store/store.ts'
import type { RecordName } from '../call.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'

export type FindScope = Pick<WriteScope, 'actor' | 'now' | 'statements' | 'dialect'>

/** Returns the id of the record with this key, or null if the actor may not read it. */
export function* findByKey(resource: ResourceModel, name: KeyName, scope: FindScope): Program<string | null> {
  const details = addressProblems(name)
  if (details.length > 0) throw new Failure('VALIDATION_ERROR', { details })
  const [id] = yield* findByKeys(resource, [name], scope)
  return id!
}

/** One statement per key; null also if a value is invalid. */
export function* findByKeys(
  resource: ResourceModel,
  names: readonly KeyName[],
  scope: FindScope,
): Program<readonly (string | null)[]> {
  const { actor, statements, dialect } = scope
  const readable = fold(resource.read.allow, resource, actor)
  const ids: (string | null)[] = names.map(() => null)
  const questions = names.flatMap((name, index) => {
    const { columns } = name.key
    const values = keyValues(name)
    if (values === null) return []
    const input = columns.map((column, at) => encodeValue(column, values[at], dialect))
    return [{ index, bound: boundTo(statements.find(resource, name.key, readable), { ...ruleInputsOf(scope), input }) }]
  })
  const found = yield* executeTogether(questions.map(({ bound }) => bound))
  for (const [at, { index }] of questions.entries()) ids[index] = (found[at]![0]?.[0] as string | undefined) ?? null
  return ids
}

/** Problems of values that no address can hold, and of a missing tenant. (contract 11.2.13, 11.2.32) */
const addressProblems = (name: KeyName): readonly Detail[] =>
  name.sent.flatMap((value, at): Detail[] => {
    const message = name.key.columns[at] === name.key.tenant ? tenantProblem(name) : addressProblem(value)
    return message === null ? [] : [{ field: name.names[at]!, message }]
  })

/** Finds a record by valid key values, readable or not. */
export function findBound(
  resource: ResourceModel,
  name: Pick<KeyName, 'key' | 'sent'>,
  { statements, dialect }: Pick<FindScope, 'statements' | 'dialect'>,
): Bound {
  const { columns } = name.key
  const values = keyValues(name)!
  const input = columns.map((column, at) => encodeValue(column, values[at], dialect))
  return boundTo(statements.find(resource, name.key, always), { ...noCaller, input })
}

/** In their order; null for a key without a record. */
export function* idsOf(
  resource: ResourceModel,
  names: readonly RecordName[],
  scope: FindScope,
): Program<readonly (string | null)[]> {
  const ids: (string | null)[] = []
  for (const name of names) ids.push(typeof name === 'string' ? name : yield* findByKey(resource, name, scope))
  return ids
}

/**
 * Completes the input of a write by key with those fields of the key that the action accepts. Reports fields that contradict the
 * key.
 */
export function withKey(
  action: Pick<ActionModel, 'resource' | 'accept'>,
  { input, isWhole }: { readonly input: unknown; readonly isWhole: boolean },
  { key, sent }: Pick<KeyName, 'key' | 'sent'>,
  { name }: Pick<Vocabulary, 'name'>,
  problem: (field: string, message: string) => void,
): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const result: Record<string, unknown> = { ...input }
  const values = keyValues({ key, sent })
  for (const [at, column] of key.columns.entries()) {
    const field = name(action.resource, column.field)
    const isAccepted = action.accept.some((each) => each.column === column)
    if (!Object.hasOwn(result, field)) {
      if (isAccepted && isWhole) result[field] = sent[at]
      continue
    }
    const own = keyValues({ key: { columns: [column], tenant: null, where: null }, sent: [result[field]] })
    if (own === null || values === null) continue
    if (!isSame(column, own[0], values[at])) problem(field, 'Differs from the key.')
    if (!isAccepted) delete result[field]
  }
  return result
}
