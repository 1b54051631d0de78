// Creates or replaces the record that a key names: each is an ordinary write, and which of them it is, is found out again
// where somebody else was faster. (contract 11.2)

import { type Detail, Failure } from '../failure/failure.ts'
import { keyValues } from '../resource/model/key.ts'
import type { ActionModel } from '../resource/model/model.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import { authorizeActor } from './authorize.ts'
import type { Runner, Target, UpsertCall, UpsertInput, WriteCall, WriteOutcome } from './call.ts'
import type { RunnerContext } from './context.ts'
import { type FindScope, findByKey, withKey } from './key.ts'

/** Of several that write to one key at once, each learns of the others in turn. */
const attemptsMax = 10

export function createUpsert(
  { store, dialect, clock }: RunnerContext,
  statements: WriteStatements,
  write: (call: WriteCall) => Promise<WriteOutcome>,
): Runner['upsert'] {
  return async (upsert) => {
    const { create, update, input, ...call } = upsert
    requireEither(create, update, call)
    const sent = input()
    const find = () => {
      const scope: FindScope = { actor: upsert.actor, now: clock(), statements, dialect }
      return store.read(findByKey(create.resource, sent.name, scope), call.deadline)
    }
    let id = await find()
    for (let attempt = 1; ; attempt++) {
      try {
        const action = id === null ? create : update
        const outcome = await write({ ...call, action, replace: true, input: () => inputOf(action, id, sent, call) })
        return { ...outcome, created: id === null }
      } catch (error) {
        if (attempt === attemptsMax || !mayBeOutrun(error, update)) throw error
        const next = await find()
        if (next === id) throw error
        id = next
      }
    }
  }
}

/** Fails as create does where neither is for this actor, whatever the record. */
function requireEither(create: ActionModel, update: ActionModel, { actor }: Pick<UpsertCall, 'actor'>): void {
  const failures = [create, update].map((action) => {
    try {
      authorizeActor(action, actor)
      return null
    } catch (error) {
      // Only where the other fails too.
      return error
    }
  })
  if (failures.every((each) => each !== null)) throw failures[0]
}

/** Whether it may have failed because the record was made, or deleted, a moment ago. */
const mayBeOutrun = (error: unknown, { resource }: ActionModel): boolean =>
  error instanceof Failure && (error.code === 'CONFLICT' || error.code === resource.notFound)

function inputOf(
  action: ActionModel,
  id: string | null,
  { name, input, versions, problems: former = [] }: UpsertInput,
  { vocabulary }: Pick<UpsertCall, 'vocabulary'>,
): { readonly targets: readonly Target[]; readonly problems: readonly Detail[] } {
  const { resource } = action
  const problems = [...former]
  const whole = withKey(action, { input, isWhole: true }, name, vocabulary, problems)
  // What create accepts it checks itself.
  if (id !== null)
    keyValues(name, (at, message) =>
      problems.push({ field: vocabulary.name(resource, name.key.columns[at]!.field), message, target: 0 }),
    )
  const condition = versions === undefined ? {} : { versions: versions === 'any' ? [] : versions }
  if (id === null) return { targets: [{ input: whole, ...condition }], problems }
  return { targets: [{ id, input: whole, ...(versions === 'any' ? {} : condition) }], problems }
}
