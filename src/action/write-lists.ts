// Links records with those that inputs list, and with no others that the writer may read. (contract 13.1.6)

import { fold } from '../resource/model/condition.ts'
import type { LinkRelation } from '../resource/model/model.ts'
import { executeTogether } from '../store/combine.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import { noteLinks } from './kept-number.ts'
import type { TargetState } from './target-state.ts'
import type { ValidInput } from './valid-input.ts'
import { askingOf, type WriteScope } from './write-scope.ts'

/** Links new records, which are stored. */
export function* linkNew(
  targets: readonly TargetState[],
  inputs: readonly ValidInput[],
  scope: WriteScope,
): Program<void> {
  if (inputs.every(({ lists }) => lists.links.length === 0)) return
  const { statements, dialect } = scope
  const all = targets.flatMap(({ id }, index) =>
    inputs[index]!.lists.links.filter(({ ids }) => ids.length > 0).map((each) => ({ ...each, id })),
  )
  const bounds = all.map(({ list, ids, id }) => {
    const { link, side } = list.relation as LinkRelation
    return boundTo(statements.linkAll(link, side), { actor: null, id, keys: dialect.keys(ids) })
  })
  const rows = bounds.length === 0 ? [] : yield* executeTogether(bounds)
  for (const [index, { list }] of all.entries()) noteLinks(list.relation as LinkRelation, rows[index]!, 1n, scope)
}

/** Replaces the links of one stored record by those that its input lists; answers whether any of them changed. */
export function* replaceLinks(
  { id }: Pick<TargetState, 'id'>,
  { lists }: ValidInput,
  scope: WriteScope,
): Program<boolean> {
  const { statements, dialect, actor } = scope
  let changes = 0
  for (const { list, ids } of lists.links) {
    const relation = list.relation as LinkRelation
    const { link, side, target } = relation
    const readable = fold(target.read.allow, target, actor)
    const inputs = { ...askingOf(scope), id, keys: dialect.keys(ids) }
    const gone = yield boundTo(statements.unlinkOthers(link, side, readable), inputs)
    noteLinks(relation, gone, -1n, scope)
    const made = ids.length === 0 ? [] : yield boundTo(statements.linkAll(link, side), inputs)
    noteLinks(relation, made, 1n, scope)
    changes += gone.length + made.length
  }
  return changes > 0
}
