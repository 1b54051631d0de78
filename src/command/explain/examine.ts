// Looks at one record as the runner would: which rules hold for it, and what is in it. Only reads.

import { type RowValues, recordFrom, visibleColumns } from '../../action/load.ts'
import { isTrue } from '../../read-plan/print.ts'
import type { Actor } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import { fold } from '../../resource/model/condition.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { dialectOf, quote } from '../../store/sql/dialect.ts'
import { createWriteStatements } from '../../store/sql/write-statements.ts'
import { bind, type Program, query, type Store } from '../../store/store.ts'

/** A record that is there, and for each rule that was asked about whether it holds. */
export interface Examined {
  readonly id: string
  readonly record: Readonly<RowValues>
  readonly holds: ReadonlyMap<RuleNode, boolean>
}

/** Null where the record is missing or was deleted. */
export async function examine(
  resource: ResourceModel,
  id: string,
  rules: readonly RuleNode[],
  actor: Actor | null,
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<Examined | null> {
  const dialect = dialectOf(store.engine)
  const nodes = [...new Set(rules.flatMap(nodesOf))]
  const columns = visibleColumns(resource)
  const conditions = nodes.map((each) => fold(each, resource, actor))
  const statements = createWriteStatements(dialect)
  function* load(): Program<Examined | null> {
    const [row] = yield statements.load(
      { resource, conditions, columns, lock: null },
      { actor: actor?.id ?? null, requestTime: now },
      [id],
    )
    if (row === undefined) return null
    const record = recordFrom(row, 2 + nodes.length, columns, dialect)
    return { id, record, holds: new Map(nodes.map((each, index) => [each, isTrue(row[2 + index]!)])) }
  }
  return store.read(load())
}

/** Whether a record with this id was there once. */
export async function wasDeleted(resource: ResourceModel, id: string, store: Store): Promise<boolean> {
  const select = query(`select 1 from ${quote(resource.table)} where "id" = ${dialectOf(store.engine).parameter(1)}`)
  function* find(): Program<boolean> {
    return (yield bind(select, id)).length > 0
  }
  return store.read(find())
}

/** A rule and every rule in it. */
function nodesOf(rule: RuleNode): readonly RuleNode[] {
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') return [rule, ...rule.rules.flatMap(nodesOf)]
  if (rule.rule === 'not') return [rule, ...nodesOf(rule.of)]
  return rule.rule === 'may' && rule.mine !== null ? [rule, ...nodesOf(rule.mine)] : [rule]
}
