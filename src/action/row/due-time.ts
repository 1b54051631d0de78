// What rows remember of moves made by the clock: for which due time they were made, and timestamps of records they refer to.

import { Failure } from '../../failure/failure.ts'
import type { ResourceModel, TimedMove } from '../../resource/model/model.ts'
import { words } from '../../resource/naming/casing.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import type { RowScope } from '../write-scope.ts'

type DueScope = Pick<RowScope, 'statements' | 'dialect'>

/** Marks records whose move these actions are, whoever makes it. Before they are changed: a new due time is not made yet. */
export function* markMade(
  { timedMoves }: ResourceModel,
  targets: readonly { readonly id: string; readonly actions: readonly { readonly name: string }[] }[],
  { statements, dialect }: DueScope,
): Program<void> {
  for (const move of timedMoves) {
    const isMade = ({ name }: { readonly name: string }) => name === move.action.name
    const ids = targets.filter(({ actions }) => actions.some(isMade)).map(({ id }) => id)
    if (ids.length > 0) yield boundTo(statements.markMade(move), { actor: null, keys: dialect.keys(ids) })
  }
}

/** Keeps copied timestamps right after these fields were written; null: the records are new. */
export function* copyDueTimes(
  { timedMoves, timedReferrers }: ResourceModel,
  changes: readonly { readonly id: string; readonly changed: ReadonlySet<string> | null }[],
  scope: DueScope,
): Program<void> {
  const idsOf = (field: string) =>
    changes.filter(({ changed }) => changed === null || changed.has(field)).map(({ id }) => id)
  for (const move of timedMoves)
    if (move.relation !== null) yield* copyAnew(move, 'id', idsOf(move.relation.field), scope)
  for (const move of timedReferrers) {
    const ids = changes.flatMap(({ id, changed }) => (changed?.has(move.on.field) ? id : []))
    if (ids.length > 0) yield* lockReferrers(move, ids, scope)
    yield* copyAnew(move, move.relation!.column.name, ids, scope)
  }
}

function* copyAnew(move: TimedMove, column: string, ids: readonly string[], scope: DueScope): Program<void> {
  const { statements, dialect } = scope
  if (ids.length > 0) yield boundTo(statements.copyAnew(move, column), { actor: null, keys: dialect.keys(ids) })
}

/** As many records may follow one timestamp. */
const referrersMax = 100_000

/** Fails with BUSINESS_RULE_VIOLATION if there are too many. */
function* lockReferrers(move: TimedMove, ids: readonly string[], { statements, dialect }: DueScope): Program<void> {
  const lock = statements.lockReferrers(move, move.relation!.column.name)
  const rows = yield boundTo(lock, { actor: null, keys: dialect.keys(ids), limit: referrersMax + 1 })
  if (rows.length <= referrersMax) return
  const message = `More than ${referrersMax} records become due with the ${words(move.on.field)} of this one.`
  throw new Failure('BUSINESS_RULE_VIOLATION', { message })
}
