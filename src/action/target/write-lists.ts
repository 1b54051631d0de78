// Links records to those in their inputs; other links that the writer may read are removed. (contract 13.1.6)

import type { LinkRelation } from '../../resource/model/model.ts'
import { fold } from '../../resource/model/rule/condition.ts'
import { executeTogether } from '../../store/combine.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { noteLinks } from '../row/kept-number.ts'
import type { ValidInput } from '../valid-input.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'
import type { TargetState } from './target-state.ts'

export function* linkNew(
  targets: readonly TargetState[],
  inputs: readonly ValidInput[],
  scope: WriteScope,
): Program<void> {
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

/** Returns, per record, whether its links changed. */
export function* replaceLinks(
  targets: readonly Pick<TargetState, 'id'>[],
  inputs: readonly ValidInput[],
  scope: WriteScope,
): Program<readonly boolean[]> {
  const { statements, dialect, actor } = scope
  const areChanged = targets.map(() => false)
  const all = inputs.flatMap(({ lists }, index) => lists.links.map((each) => ({ ...each, index })))
  for (const [list, links] of Map.groupBy(all, (each) => each.list)) {
    const relation = list.relation as LinkRelation
    const { link, side, target } = relation
    const readable = fold(target.read.allow, target, actor)
    const changes = [
      { prepared: statements.unlinkOthers(link, side, readable), some: links, sign: -1n },
      { prepared: statements.linkAll(link, side), some: links.filter(({ ids }) => ids.length > 0), sign: 1n },
    ] as const
    for (const { prepared, some, sign } of changes) {
      const bounds = some.map(({ ids, index }) =>
        boundTo(prepared, { ...ruleInputsOf(scope), id: targets[index]!.id, keys: dialect.keys(ids) }),
      )
      const rows = bounds.length === 0 ? [] : yield* executeTogether(bounds)
      for (const [at, { index }] of some.entries()) {
        noteLinks(relation, rows[at]!, sign, scope)
        if (rows[at]!.length > 0) areChanged[index] = true
      }
    }
  }
  return areChanged
}
