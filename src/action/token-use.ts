// Counts what a token with a limit of uses lets through: once for each write that would have been refused without it, in the
// transaction of that write. (contract 10.1.18)

import { codeHashOf } from '../resource/actor.ts'
import type { Condition } from '../resource/model/condition.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { type LimitedToken, limitedTokens, withoutLimitedTokens } from '../resource/model/token-use.ts'
import { LostRace } from '../store/program.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import { askingOf, type WriteScope } from './write-scope.ts'

/** What is asked of a record again, to learn whether a limited token made its rules hold. */
export interface TokenQuestion {
  /** Beside the conditions themselves: all of them hold where no such token was needed. */
  readonly conditions: readonly Condition[]
  readonly tokens: readonly LimitedToken[]
}
const nothing: TokenQuestion = { conditions: [], tokens: [] }

/** The question for these conditions of one record; nothing to ask of whoever shows no code. */
export function tokenQuestion(
  conditions: readonly Condition[],
  resource: ResourceModel,
  { actor }: Pick<WriteScope, 'actor'>,
): TokenQuestion {
  if (codeHashOf(actor) === null) return nothing
  const changed = conditions.map(withoutLimitedTokens).filter((each, at) => each !== conditions[at])
  if (changed.length === 0) return nothing
  return { conditions: changed, tokens: conditions.flatMap((each) => limitedTokens(each, resource)) }
}

/** Notes that one of these tokens let the write through. */
export function noteUse({ tokens }: TokenQuestion, { tokensUsed }: Pick<WriteScope, 'tokensUsed'>): void {
  for (const each of tokens) tokensUsed.add(each)
}

/**
 * Counts the use of the token that is shown, where one was needed. It is the last thing that a write does: what it answers is
 * still read with the token. Where another write took the last use, this one runs again, and finds that out like anybody.
 */
export function* countUse(scope: WriteScope): Program<void> {
  const { tokensUsed, statements } = scope
  if (tokensUsed.size === 0) return
  for (const each of tokensUsed) {
    const rows = yield boundTo(statements.countUse(each), askingOf(scope))
    if (rows.length > 0) return
  }
  throw new LostRace(new Error('The last use of a token was taken.'))
}
