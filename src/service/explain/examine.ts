// Reads a record and evaluates rules on it, as the runner would.

import { findByKey } from '../../action/input/key.ts'
import { type RowValues, recordFrom, visibleColumns } from '../../action/row/load.ts'
import { isTrue } from '../../read-plan/print.ts'
import { type Requester, shownBy, theService } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import { within } from '../../resource/language/rule/rule-parts.ts'
import type { KeyName } from '../../resource/model/key.ts'
import type { LinkRelation, ManyRelation, ResourceModel } from '../../resource/model/model.ts'
import { fold } from '../../resource/model/rule/condition.ts'
import { conditionSql } from '../../store/sql/condition/condition.ts'
import { listMembers } from '../../store/sql/condition/list-members.ts'
import { dialectOf, quote } from '../../store/sql/text/dialect.ts'
import { boundTo, SqlText } from '../../store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import { type Program, query, rowsOf, type Store } from '../../store/store.ts'

export interface Examined {
  readonly id: string
  readonly record: Readonly<RowValues>
  readonly holds: ReadonlyMap<RuleNode, boolean>
}

export async function examine(
  resource: ResourceModel,
  id: string,
  rules: readonly RuleNode[],
  requester: Requester,
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<Examined | null> {
  const dialect = dialectOf(store.engine)
  const nodes = [...new Set(rules.flatMap((rule) => [...within(rule)]))]
  const columns = visibleColumns(resource).filter(({ encrypted }) => !encrypted)
  const conditions = nodes.map((each) => fold(each, resource, requester))
  const statements = createWriteStatements(dialect)
  function* load(): Program<Examined | null> {
    const [row] = yield statements.load(
      { resource, conditions, columns, lock: null },
      { ...shownBy(requester), requestTime: now },
      [id],
    )
    if (row === undefined) return null
    const record = recordFrom(row, 2 + nodes.length, { resource, columns, dialect, cipher: null })
    return { id, record, holds: new Map(nodes.map((each, index) => [each, isTrue(row[2 + index]!)])) }
  }
  return store.read(load())
}

export interface ListSample {
  readonly ids: readonly string[]
  readonly total: number
}

/** At most three records that are not deleted: those the rule holds for first, then the newest. */
export async function sampleList(
  relation: ManyRelation | LinkRelation,
  holderId: string,
  { rule, requester }: { readonly rule: RuleNode; readonly requester: Requester },
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<ListSample> {
  const { target } = relation
  const sql = new SqlText(dialectOf(store.engine))
  const alias = sql.alias()
  const id = sql.parameter({ from: 'id' })
  const holds = conditionSql(fold(rule, target, requester), alias, sql)
  const order = `order by case when ${holds} then 0 else 1 end, ${alias}."created_at" desc, ${alias}."id" desc limit 3`
  const { from, where } = listMembers(relation, id, alias, sql)
  const prepared = sql.query(
    `select ${alias}."id", count(*) over () from ${from} where ${where} and ${alias}."deleted_at" is null ${order}`,
  )
  function* load(): Program<ListSample> {
    const rows = yield boundTo(prepared, { ...shownBy(requester), requestTime: now, id: holderId })
    return { ids: rows.map(([each]) => each as string), total: (rows[0]?.[1] ?? 0) as number }
  }
  return store.read(load())
}

export async function wasDeleted(resource: ResourceModel, id: string, store: Store): Promise<boolean> {
  const select = query(`select 1 from ${quote(resource.table)} where "id" = ${dialectOf(store.engine).parameter(1)}`)
  return (await store.read(rowsOf(select, id))).length > 0
}

/** Readable or not. */
export async function idOfKey(resource: ResourceModel, name: KeyName, store: Store): Promise<string | null> {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  return store.read(findByKey(resource, name, { actor: theService, now: new Date(0), statements, dialect }))
}
