// Counts uses of limited tokens: one per write that would have been refused without the token, in its transaction. (contract
// 10.1.21)

import { codeHashOf } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Condition } from '../../resource/model/rule/condition.ts'
import { type LimitedToken, limitedTokens, withoutLimitedTokens } from '../../resource/model/rule/token-use.ts'
import { LostRace } from '../../store/program.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'

export interface TokenQuestion {
  /** The rules without limited tokens: if all hold, no token was needed. */
  readonly conditions: readonly Condition[]
  readonly tokens: readonly LimitedToken[]
}
const nothing: TokenQuestion = { conditions: [], tokens: [] }

/** Empty without an access code. */
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

export function noteUse({ tokens }: TokenQuestion, { tokensUsed }: Pick<WriteScope, 'tokensUsed'>): void {
  for (const each of tokens) tokensUsed.add(each)
}

/**
 * Runs last, since the answer is still read with the token. If another write took the last use, this write runs again and is
 * refused.
 */
export function* countUse(scope: WriteScope): Program<void> {
  const { tokensUsed, statements } = scope
  if (tokensUsed.size === 0) return
  for (const each of tokensUsed) {
    const rows = yield boundTo(statements.countUse(each), ruleInputsOf(scope))
    if (rows.length > 0) return
  }
  throw new LostRace(new Error('The last use of a token was taken.'))
}
