// Counts uses of limited tokens: one per write that would have been refused without the token, in its transaction. (contract
// 10.1.21)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { codeHashOf, codeOrderOf } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Condition } from '../../resource/model/rule/condition.ts'
import { type LimitedToken, limitedTokens, withoutLimitedTokens } from '../../resource/model/rule/token-use.ts'
import { LostRace } from '../../store/program.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'
import { loadReadable } from './load.ts'

export interface TokenQuestion {
  /** The rules without limited tokens: if all hold, no token was needed. */
  readonly conditions: readonly Condition[]
  /** Their places among all rules. */
  readonly places: readonly number[]
  readonly tokens: readonly LimitedToken[]
}
const nothing: TokenQuestion = { conditions: [], places: [], tokens: [] }

/** Empty without an access code. */
export function tokenQuestion(
  conditions: readonly Condition[],
  resource: ResourceModel,
  { actor }: Pick<WriteScope, 'actor'>,
): TokenQuestion {
  if (codeHashOf(actor) === null) return nothing
  const stripped = conditions.map(withoutLimitedTokens)
  const places = [...stripped.keys()].filter((at) => stripped[at] !== conditions[at])
  if (places.length === 0) return nothing
  return {
    conditions: places.map((at) => stripped[at]!),
    places,
    tokens: conditions.flatMap((each) => limitedTokens(each, resource)),
  }
}

/**
 * Notes the codes that are needed, of several the first as sent: each is left out in turn, the last first. `holdsIn` asks the rules
 * again, with those limited codes that its scope has. (contract 10.1.26)
 */
export function* noteUse(
  { tokens }: TokenQuestion,
  scope: WriteScope,
  holdsIn: (scope: WriteScope) => Program<boolean>,
): Program<void> {
  let needed = codeOrderOf(scope.actor)
  for (const code of needed.length > 1 ? needed.toReversed() : []) {
    const others = needed.filter((each) => each !== code)
    if (yield* holdsIn({ ...scope, limitedCodes: others.join() })) needed = others
  }
  for (const code of needed) {
    const used = getOrInsert(scope.tokensUsed, code, () => new Set())
    for (const each of tokens) used.add(each)
  }
}

/** Whether all can be read and meet the conditions, asked with the limited codes of this scope. */
export function* areOpen(
  resource: ResourceModel,
  ids: readonly (string | null)[],
  conditions: readonly Condition[],
  scope: WriteScope,
): Program<boolean> {
  const loaded = yield* loadReadable(resource, ids, conditions, scope)
  return loaded.every((each) => each !== null && !each.holds.includes(false))
}

/**
 * Runs last, since the answer is still read with the token. If another write took the last use, this write runs again and is
 * refused.
 */
export function* countUse(scope: WriteScope): Program<void> {
  // In one order, as two requests may show the same codes.
  for (const code of [...scope.tokensUsed.keys()].sort()) yield* countCode(code, scope)
}

function* countCode(code: string, scope: WriteScope): Program<void> {
  for (const each of scope.tokensUsed.get(code)!) {
    const rows = yield boundTo(scope.statements.countUse(each), { ...ruleInputsOf(scope), code })
    if (rows.length > 0) return
  }
  throw new LostRace(new Error('The last use of a token was taken.'))
}
