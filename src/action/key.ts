// Records named by a key of theirs. (contract 11.2)

import type { Detail } from '../failure/failure.ts'
import { always, fold, isSame } from '../resource/model/condition.ts'
import { type KeyName, keyValues } from '../resource/model/key.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { encodeValue } from '../store/sql/column-value.ts'
import { boundTo, noAsker } from '../store/sql/sql-text.ts'
import type { Bound, Program } from '../store/store.ts'
import type { RecordName } from './call.ts'
import { askingOf, type WriteScope } from './write-scope.ts'

export type FindScope = Pick<WriteScope, 'actor' | 'now' | 'statements' | 'dialect'>

/** The id of the living record with this key, where the actor may read it; null where there is none. */
export function* findByKey(resource: ResourceModel, name: KeyName, scope: FindScope): Program<string | null> {
  const values = keyValues(name)
  if (values === null) return null
  const { actor, statements, dialect } = scope
  const { columns } = name.key
  const readable = fold(resource.read.allow, resource, actor)
  const input = columns.map((column, at) => encodeValue(column, values[at], dialect))
  const [row] = yield boundTo(statements.find(resource, columns, readable), { ...askingOf(scope), input })
  return row === undefined ? null : (row[0] as string)
}

/** Finds the id of the living record with this key, whose values fit, whoever may read it. */
export function findBound(
  resource: ResourceModel,
  name: KeyName,
  { statements, dialect }: Pick<FindScope, 'statements' | 'dialect'>,
): Bound {
  const { columns } = name.key
  const values = keyValues(name)!
  const input = columns.map((column, at) => encodeValue(column, values[at], dialect))
  return boundTo(statements.find(resource, columns, always), { ...noAsker, input })
}

/** The ids that these names mean, in their order; for a key of no record one that there is not. */
export function* idsOf(resource: ResourceModel, names: readonly RecordName[], scope: FindScope): Program<string[]> {
  const ids: string[] = []
  for (const name of names)
    ids.push(typeof name === 'string' ? name : ((yield* findByKey(resource, name, scope)) ?? ''))
  return ids
}

/**
 * The input of a write to the record with this key, whose fields it may leave out: where it is about the whole record they are
 * filled in, as far as the action accepts them. Tells of each that says something else.
 */
export function withKey(
  action: Pick<ActionModel, 'resource' | 'accept'>,
  { input, isWhole }: { readonly input: unknown; readonly isWhole: boolean },
  { key, sent }: KeyName,
  { name }: Pick<Vocabulary, 'name'>,
  problems: Detail[],
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
    const own = keyValues({ key: { columns: [column], tenant: null }, sent: [result[field]] })
    if (own === null || values === null) continue
    if (!isSame(column, own[0], values[at])) problems.push({ field, message: 'Differs from the key.', target: 0 })
    if (!isAccepted) delete result[field]
  }
  return result
}
