// Keeps the statements that write, so that each is made, and prepared by the database, once.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Column } from '../../resource/model/column.ts'
import type { Condition } from '../../resource/model/condition.ts'
import type { CounterModel, KeptNumber, Link, ResourceModel } from '../../resource/model/model.ts'
import type { LimitedToken } from '../../resource/model/token-use.ts'
import type { Bound } from '../store.ts'
import { countSql } from './count.ts'
import type { Dialect } from './dialect.ts'
import { type AddStatements, addStatements } from './kept-number.ts'
import { type Asking, boundTo, type Prepared } from './sql-text.ts'
import * as make from './write.ts'

export interface WriteStatements {
  /** The records with these ids that were not deleted, as `loadSql` selects them. */
  load(load: make.Load, asking: Asking, ids: readonly string[]): Bound
  /** The id of the living record whose columns have the inputs, if the condition holds for it. */
  find(resource: ResourceModel, columns: readonly Column[], condition: Condition): Prepared
  /** Whether the condition holds for a record that is not stored yet: one row. Its values are the inputs. */
  candidate(resource: ResourceModel, condition: Condition): Prepared
  insert(resource: ResourceModel): Prepared
  /** The next numbers of a counter, within this record, for the records with these ids. */
  count(resource: ResourceModel, counter: CounterModel, of: string | null, ids: readonly string[]): Bound
  change(resource: ResourceModel, columns: readonly Column[]): Prepared
  /** The same, by the id as the first input, for several that become different ones. */
  changeEach(resource: ResourceModel, columns: readonly Column[]): Prepared
  /** Adds to these numbers of their holders. */
  add(numbers: readonly KeptNumber[]): AddStatements
  /** What kept numbers follow from, of the living records whose column is among the keys. */
  contributors(resource: ResourceModel, column: Column): Prepared
  /** The ids of so many living records whose column is among the keys and for which the condition holds, and that column. */
  children(resource: ResourceModel, column: Column, which: { condition: Condition; limit: number }): Prepared
  remove(resource: ResourceModel, column: Column): Prepared
  clear(resource: ResourceModel, column: Column): Prepared
  refers(resource: ResourceModel, column: Column): Prepared
  link(link: Link): Prepared
  unlink(link: Link): Prepared
  linkAll(link: Link, side: 'source' | 'target'): Prepared
  unlinkOthers(link: Link, side: 'source' | 'target', condition: Condition): Prepared
  unlinkAll(link: Link, end: 'source' | 'target'): Prepared
  countUse(token: LimitedToken): Prepared
  tenants(resource: ResourceModel, column: Column): Prepared
  exists(resource: ResourceModel, like: readonly (readonly [Column, unknown])[], tenant: Column | null): Prepared
}

/** Their number is bounded by the definitions: resources, their columns, their rules and roles. */
export function createWriteStatements(dialect: Dialect): WriteStatements {
  const statements = new Map<string, Prepared>()
  const additions = new Map<string, AddStatements>()
  const numbers = new WeakMap<Condition, number>()
  let conditions = 0
  const numberOf = (condition: Condition): number => getOrInsert(numbers, condition, () => conditions++)
  const names = (columns: readonly Column[]) => columns.map((each) => each.name).join()
  const keep = (key: string, prepared: () => Prepared): Prepared => getOrInsert(statements, key, prepared)
  return {
    load(load, asking, ids) {
      const { resource, conditions, columns, lock, living = 'now' } = load
      const by = ids.length === 1 ? 'id' : 'keys'
      const prepared = keep(
        `load ${by} ${resource.table} ${conditions.map(numberOf).join()} ${names(columns)} ${lock} ${living}`,
        () => make.loadSql(load, by, dialect),
      )
      return boundTo(prepared, by === 'id' ? { ...asking, id: ids[0]! } : { ...asking, keys: dialect.keys(ids) })
    },
    find: (resource, columns, condition) =>
      keep(`find ${resource.table} ${names(columns)} ${numberOf(condition)}`, () =>
        make.findSql(resource, columns, condition, dialect),
      ),
    candidate: (resource, condition) =>
      keep(`candidate ${resource.table} ${numberOf(condition)}`, () => make.candidateSql(resource, condition, dialect)),
    insert: (resource) => keep(`insert ${resource.table}`, () => make.insertSql(resource, dialect)),
    count(resource, counter, of, ids) {
      const by = ids.length === 1 ? 'id' : 'keys'
      const key = `count ${by} ${resource.table} ${counter.column.name}`
      const prepared = keep(key, () => countSql(resource, counter, by, dialect))
      const input = of === null ? [] : [of]
      return boundTo(prepared, { actor: null, input, id: ids[0]!, keys: dialect.keys(ids) })
    },
    change: (resource, columns) =>
      keep(`change ${resource.table} ${names(columns)}`, () => make.changeSql(resource, columns, dialect)),
    changeEach: (resource, columns) =>
      keep(`change each ${resource.table} ${names(columns)}`, () => make.changeEachSql(resource, columns, dialect)),
    add: (numbers) =>
      getOrInsert(additions, `${numbers[0]!.holder.table} ${names(numbers.map(({ column }) => column))}`, () =>
        addStatements(numbers, dialect),
      ),
    contributors: (resource, column) =>
      keep(`contributors ${resource.table} ${column.name}`, () => make.contributorsSql(resource, column, dialect)),
    children: (resource, column, which) =>
      keep(`children ${resource.table} ${column.name} ${numberOf(which.condition)} ${which.limit}`, () =>
        make.childrenSql(resource, column, which, dialect),
      ),
    remove: (resource, column) =>
      keep(`remove ${resource.table} ${column.name}`, () => make.deleteSql(resource, column, dialect)),
    clear: (resource, column) =>
      keep(`clear ${resource.table} ${column.name}`, () => make.clearSql(resource, column, dialect)),
    refers: (resource, column) =>
      keep(`refers ${resource.table} ${column.name}`, () => make.refersSql(resource, column, dialect)),
    link: (link) => keep(`link ${link.table}`, () => make.linkSql(link, dialect)),
    unlink: (link) => keep(`unlink ${link.table}`, () => make.unlinkSql(link, dialect)),
    linkAll: (link, side) => keep(`link all ${link.table} ${side}`, () => make.linkAllSql(link, side, dialect)),
    unlinkOthers: (link, side, condition) =>
      keep(`unlink others ${link.table} ${side} ${numberOf(condition)}`, () =>
        make.unlinkOthersSql(link, side, condition, dialect),
      ),
    unlinkAll: (link, end) => keep(`unlink all ${link.table} ${end}`, () => make.unlinkAllSql(link, end, dialect)),
    countUse: (token) =>
      keep(`count ${token.resource.table} ${token.uses.name}`, () => make.countUseSql(token, dialect)),
    tenants: (resource, column) =>
      keep(`tenants ${resource.table} ${column.name}`, () => make.tenantsSql(resource, column, dialect)),
    exists: (resource, like, tenant) =>
      keep(`exists ${resource.table} ${JSON.stringify(like.map(([column, value]) => [column.name, value]))}`, () =>
        make.existsSql(resource, like, tenant, dialect),
      ),
  }
}
