// Loads just what a rule's in-memory reading asks of one record, and of the records that it leads to.

import type { Condition, Testable } from '../resource/condition.ts'
import type { Column, OneRelation, ResourceModel } from '../resource/model.ts'
import { type Dialect, quote } from '../store/sql/dialect.ts'
import { bind, type Program, query, type Statement } from '../store/store.ts'

export interface Testables {
  /** The living record, with everything that these conditions ask; null where there is none. */
  load(resource: ResourceModel, id: string, conditions: readonly Condition[]): Program<Testable | null>
}

export function createTestables(dialect: Dialect): Testables {
  const statements = new Map<string, Statement>()
  const select = (resource: ResourceModel, columns: readonly Column[]): Statement => {
    const names = ['"id"', ...columns.map((each) => quote(each.name))].join(', ')
    const sql = `select ${names} from ${quote(resource.table)} where "id" = ${dialect.parameter(1)} and "deleted_at" is null`
    return statements.getOrInsertComputed(sql, () => query(sql))
  }

  function* load(resource: ResourceModel, id: string, conditions: readonly Condition[]): Program<Testable | null> {
    const asked = new Set<Column>()
    const below = new Map<OneRelation, Condition[]>()
    for (const condition of conditions) collect(condition, asked, below)
    const columns = [...asked]
    const [row] = yield bind(select(resource, columns), id)
    if (row === undefined) return null
    const values = new Map(columns.map((column, index) => [column.field, dialect.decode(row[index + 1]!, column.type)]))
    const related = new Map<OneRelation, Testable | null>()
    for (const [relation, inner] of below) {
      const target = values.get(relation.field)
      related.set(relation, typeof target === 'string' ? yield* load(relation.target, target, inner) : null)
    }
    return { value: (column) => values.get(column.field), related: (relation) => related.get(relation) ?? null }
  }
  return { load }
}

function collect(condition: Condition, columns: Set<Column>, below: Map<OneRelation, Condition[]>): void {
  switch (condition.is) {
    case 'always':
    case 'never':
      return
    case 'any':
    case 'all':
      for (const each of condition.of) collect(each, columns, below)
      return
    case 'related':
      columns.add(condition.relation.column)
      below.getOrInsertComputed(condition.relation, () => []).push(condition.condition)
      return
    default:
      columns.add(condition.column)
  }
}
