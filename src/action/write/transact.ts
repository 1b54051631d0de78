// Runs one transaction: how it begins, when it runs again, and what follows its commit.

import type { Deadline } from '../../budget/deadline.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { WriteStatements } from '../../store/sql/write/write-statements.ts'
import { type Program, UniqueViolation, type WriteOptions } from '../../store/store.ts'
import { codeStages } from '../code/effect.ts'
import type { Change, RunnerContext } from '../context.ts'
import { takeMissedLocks } from '../row/advisory-lock.ts'
import { lockMissed } from '../row/lock.ts'
import { LongDelete } from '../row/remove.ts'
import { CombinedViolation, takenValue } from '../target/commit.ts'
import { requireDisjoint } from '../target/overlap.ts'
import type { StageScope } from '../target/stages.ts'
import { openWriteScope, type WriteAttempt, type WriteMode, type WriteScope } from '../write-scope.ts'

export interface Opening
  extends Pick<WriteScope, 'actor' | 'vocabulary' | 'now' | 'request' | 'isExclusive'>,
    Pick<WriteAttempt, 'resources' | 'runsEffects'> {
  /** Named by conflicts; null without a call. */
  readonly resource: ResourceModel | null
  /** Whether new records are inserted one by one. Absent: after a CombinedViolation, which is thrown if it is false. */
  readonly isSeparate?: boolean | undefined
  readonly deadline?: Deadline | undefined
}

export function createTransact(context: RunnerContext, statements: WriteStatements) {
  const { store, dialect } = context
  /** Fails with CONFLICT if a value is taken. */
  return async <T extends { readonly change: Change | null }>(
    opening: Opening,
    program: (scope: StageScope) => Program<T>,
    sharing: Partial<WriteOptions> = {},
  ): Promise<T> => {
    const { actor, vocabulary, request, resource, resources, runsEffects, isExclusive, isSeparate, deadline, now } =
      opening
    const learned = { missed: new Map(), missedAdvisory: new Map(), takenKeys: new Set<string>() }
    let isRepeated = false
    const run = (mode: WriteMode, options: Partial<WriteOptions>): Promise<T> => {
      const begin = () => {
        const attempt: WriteAttempt = { resources, runsEffects, isRepeated, ...learned }
        isRepeated = true
        const scope = openWriteScope(context, statements, { ...mode, actor, vocabulary, request, now, attempt })
        return judged(program, { ...scope, code: codeStages })
      }
      return store.write(begin, { ...options, exclusive: mode.isExclusive, deadline }).catch((error: unknown) => {
        const next = nextMode(mode, error)
        if (next === null || (next.isSeparate && isSeparate === false)) throw error
        return run(next, {})
      })
    }
    try {
      const result = await run({ isSeparate: isSeparate === true, isExclusive }, sharing)
      if (result.change !== null) context.committed(result.change)
      return result
    } catch (error) {
      // An effect's write belongs to no target.
      throw error instanceof UniqueViolation
        ? takenValue(error, resource, { vocabulary, context, dialect, target: 0 })
        : error
    }
  }
}

/** Named locks are the first. Exclusions are judged when everything else is written, since their locks are the last. */
function* judged<T>(program: (scope: StageScope) => Program<T>, scope: StageScope): Program<T> {
  if (scope.attempt.isRepeated) {
    yield* takeMissedLocks(scope)
    yield* lockMissed(scope)
  }
  const result = yield* program(scope)
  if (scope.exclusions.size > 0) yield* requireDisjoint([], scope)
  return result
}

/** The mode of the next attempt; null if the failure is final. */
function nextMode(mode: WriteMode, error: unknown): WriteMode | null {
  if (error instanceof CombinedViolation && !mode.isSeparate) return { ...mode, isSeparate: true }
  return error instanceof LongDelete ? { ...mode, isExclusive: true } : null
}
