// Looks at one record as the runner would: which rules hold for it, and what is in it. Only reads.

import { findByKey } from '../../action/key.ts'
import { type RowValues, recordFrom, visibleColumns } from '../../action/load.ts'
import { isTrue } from '../../read-plan/print.ts'
import { type Actor, theService } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import { within } from '../../resource/language/rule-parts.ts'
import { fold } from '../../resource/model/condition.ts'
import type { KeyName } from '../../resource/model/key.ts'
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
  const nodes = [...new Set(rules.flatMap((rule) => [...within(rule)]))]
  const columns = visibleColumns(resource).filter(({ encrypted }) => !encrypted)
  const conditions = nodes.map((each) => fold(each, resource, actor))
  const statements = createWriteStatements(dialect)
  function* load(): Program<Examined | null> {
    const [row] = yield statements.load(
      { resource, conditions, columns, lock: null },
      { actor: actor?.id ?? null, requestTime: now },
      [id],
    )
    if (row === undefined) return null
    const record = recordFrom(row, 2 + nodes.length, { resource, columns, dialect, cipher: null })
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

/** The id of the living record with this key, whoever may read it; null where there is none. */
export async function idOfKey(resource: ResourceModel, name: KeyName, store: Store): Promise<string | null> {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  return store.read(findByKey(resource, name, { actor: theService, now: new Date(0), statements, dialect }))
}
