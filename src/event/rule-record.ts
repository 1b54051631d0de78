// Loads just what a rule's in-memory reading asks of one record, and of the records that it leads to: one statement.

import { getOrInsert } from '../get-or-insert.ts'
import type { Condition, RuleRecord } from '../resource/model/condition.ts'
import type { Column, OneRelation, ResourceModel } from '../resource/model/model.ts'
import { type Dialect, quote } from '../store/sql/dialect.ts'
import { bind, type Program, query, type Statement, type StoredRow } from '../store/store.ts'

export interface RuleRecordLoader {
  /** The living record, with everything that these conditions ask; null where there is none. */
  load(resource: ResourceModel, id: string, conditions: readonly Condition[]): Program<RuleRecord | null>
}

/** One record of the statement: its columns by place, and the records behind its relations. */
interface Part {
  readonly idPlace: number
  readonly places: ReadonlyMap<string, { readonly column: Column; readonly place: number }>
  readonly below: ReadonlyMap<OneRelation, Part>
}
export function createRuleRecordLoader(dialect: Dialect): RuleRecordLoader {
  // As many as there are rules and classes of actors.
  const statements = new Map<string, Statement>()
  return {
    *load(resource, id, conditions) {
      const { sql, part } = write(resource, conditions, dialect)
      const [row] = yield bind(
        getOrInsert(statements, sql, () => query(sql)),
        id,
      )
      return row === undefined ? null : ruleRecord(row, part, dialect)
    },
  }
}

function write(
  resource: ResourceModel,
  conditions: readonly Condition[],
  dialect: Dialect,
): { sql: string; part: Part } {
  const selected: string[] = []
  const joins: string[] = []
  const describe = (alias: string, tests: readonly Condition[]): Part => {
    const columns = new Set<Column>()
    const inner = new Map<OneRelation, Condition[]>()
    for (const condition of tests) collect(condition, columns, inner)
    const idPlace = selected.push(`${alias}."id"`) - 1
    const places = new Map(
      [...columns].map((column) => [
        column.field,
        { column, place: selected.push(`${alias}.${quote(column.name)}`) - 1 },
      ]),
    )
    const below = new Map<OneRelation, Part>()
    for (const [relation, of] of inner) {
      const other = `t${joins.length + 1}`
      const holder = `${alias}.${quote(relation.column.name)}`
      joins.push(
        ` left join ${quote(relation.target.table)} ${other} on ${other}."id" = ${holder} and ${other}."deleted_at" is null`,
      )
      below.set(relation, describe(other, of))
    }
    return { idPlace, places, below }
  }
  const part = describe('t0', conditions)
  const from = `from ${quote(resource.table)} t0${joins.join('')}`
  return {
    sql: `select ${selected.join(', ')} ${from} where t0."id" = ${dialect.parameter(1)} and t0."deleted_at" is null`,
    part,
  }
}

function ruleRecord(row: StoredRow, part: Part, dialect: Dialect): RuleRecord {
  return {
    value: ({ field }) => {
      const { column, place } = part.places.get(field)!
      return dialect.decode(row[place]!, column.type)
    },
    related: (relation) => {
      const below = part.below.get(relation)!
      return row[below.idPlace] === null ? null : ruleRecord(row, below, dialect)
    },
  }
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
      getOrInsert(below, condition.relation, () => []).push(condition.condition)
      return
    default:
      columns.add(condition.column)
  }
}
