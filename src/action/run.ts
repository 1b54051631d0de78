// The runner: carries out the calls of every face. Nothing about a resource is decided anywhere else.

import { requireWaiting } from '../budget/deadline.ts'
import type { Condition } from '../resource/model/condition.ts'
import type { ActionModel } from '../resource/model/model.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import { UniqueViolation } from '../store/store.ts'
import { authorizeActor, authorizeField } from './authorize.ts'
import type { Runner, Write, WriteCall, WriteOutcome } from './call.ts'
import { takenValue } from './commit.ts'
import type { RunnerContext } from './context.ts'
import { keyUse, stillRunning } from './idempotency.ts'
import { createReads } from './read.ts'
import { sharing } from './shared-write.ts'
import { type CheckedWrite, makeTokens, type TargetSecrets } from './target-state.ts'
import { createUpsert } from './upsert.ts'
import { type InputMode, mentioned, type ValidInput, validate } from './validate.ts'
import { writeProgram } from './write.ts'
import { openWriteScope } from './write-scope.ts'

export function createRunner(context: RunnerContext): Runner {
  const { store, dialect } = context
  const statements = createWriteStatements(dialect)
  const running = new Set<string>()

  async function write({ input, ...rest }: WriteCall): Promise<WriteOutcome> {
    const { action, actor } = rest
    const condition = authorizeActor(action, actor) //                         UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE
    const call: Write = { ...rest, ...input() }
    const fieldConditions = authorizeInputs(call)
    context.beforeValidation(call)
    const inputs = validate(action, call.targets, modeOf(call), call.vocabulary, call.problems) // VALIDATION_ERROR
    context.afterValidation(call) //                                                       BUSINESS_RULE_VIOLATION
    const key = call.idempotency === undefined ? null : keyUse(call.idempotency, actor, context.secrets)
    if (key !== null && running.has(key.scope)) throw stillRunning() //        CONFLICT
    if (key !== null) running.add(key.scope)
    try {
      requireWaiting(call.deadline)
      const secrets = await Promise.all(inputs.map((input) => makeSecrets(action, input, context)))
      const checked: CheckedWrite = { call, condition, fieldConditions, inputs, secrets, key }
      const now = context.clock()
      const exclusive =
        context.model.onWrite !== null || isAwaited(action) || inputs.some((input) => input.also.some(isAwaited))
      const charsBefore = call.size?.chars ?? 0
      const program = () => {
        // What was counted in a transaction that lost a race is not answered.
        call.size?.grow(charsBefore)
        return writeProgram(checked, openWriteScope(context, statements, now, call))
      }
      const written = await store.write(program, {
        exclusive,
        ...(exclusive ? {} : sharing(checked, context.model.accounts.resource)),
        deadline: call.deadline,
      })
      if (written.change !== null) context.committed(written.change)
      return written.outcome
    } catch (error) {
      // What an effect writes is of no target in particular.
      throw error instanceof UniqueViolation
        ? takenValue(error, action, { ...call, context, dialect, target: 0 })
        : error
    } finally {
      if (key !== null) running.delete(key.scope)
    }
  }

  return { ...createReads(context, statements), write, upsert: createUpsert(context, statements, write) }
}

/** Whether code of the definition is waited for in the transaction. */
const isAwaited = ({ effect, checkReads }: ActionModel): boolean => effect !== null || checkReads

const modeOf = ({ action, replace }: Write): InputMode =>
  action.kind !== 'update' ? 'complete' : replace === true ? 'replace' : 'partial'

/** Rules of single fields and of moves that shall follow at once, as far as the actor decides them. */
function authorizeInputs({ action, actor, targets, vocabulary }: Write): readonly Condition[] {
  const conditions = new Map<string, Condition>()
  for (const { input } of targets) {
    for (const { field } of mentioned(action, input, vocabulary)) {
      const condition = authorizeField(action, field, actor, vocabulary)
      if (condition !== null && condition.is !== 'always') conditions.set(field, condition)
    }
    for (const move of action.mayFollow) if (isWanted(move, input, vocabulary)) authorizeActor(move, actor)
  }
  return [...conditions.values()]
}
const isWanted = (move: ActionModel, input: unknown, names: Write['vocabulary']): boolean =>
  typeof input === 'object' &&
  input !== null &&
  (input as Record<string, unknown>)[names.part(move.name, { kind: 'boolean' })] === true

async function makeSecrets(
  action: ActionModel,
  { fields }: ValidInput,
  { secrets }: RunnerContext,
): Promise<TargetSecrets> {
  const hashes = new Map<string, string>()
  for (const { field, spec } of action.accept) {
    if (spec.kind === 'password' && typeof fields[field] === 'string')
      hashes.set(field, await secrets.hashPassword(fields[field]))
  }
  if (action.kind !== 'create') return { hashes, tokens: {} }
  const newTokens = makeTokens(action.resource, secrets)
  return { hashes: new Map([...hashes, ...newTokens.hashes]), tokens: newTokens.tokens }
}
