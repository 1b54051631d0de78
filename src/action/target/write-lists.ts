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

/** Returns, per record, whether its links changed. New records have no others to remove. */
export function* writeLists(
  targets: readonly Pick<TargetState, 'id'>[],
  inputs: readonly ValidInput[],
  isNew: boolean,
  scope: WriteScope,
): Program<readonly boolean[]> {
  const { statements, dialect, actor } = scope
  const areChanged = targets.map(() => false)
  const all = inputs.flatMap(({ lists }, index) => lists.links.map((each) => ({ ...each, index })))
  for (const [list, links] of Map.groupBy(all, (each) => each.list)) {
    const relation = list.relation as LinkRelation
    const { link, side, target } = relation
    const removal = () => statements.unlinkOthers(link, side, fold(target.read.allow, target, actor))
    const changes = [
      ...(isNew ? [] : [{ prepared: removal(), some: links, sign: -1n } as const]),
      { prepared: statements.linkAll(link, side), some: links.filter(({ ids }) => ids.length > 0), sign: 1n } as const,
    ]
    for (const { prepared, some, sign } of changes) {
      const bounds = some.map(({ ids, index }) =>
        boundTo(prepared, { ...ruleInputsOf(scope), id: targets[index]!.id, keys: dialect.keys(ids) }),
      )
      const rows = yield* executeTogether(bounds)
      for (const [at, { index }] of some.entries()) {
        noteLinks(relation, rows[at]!, sign, scope)
        if (rows[at]!.length > 0) areChanged[index] = true
      }
    }
  }
  return areChanged
}
