// Caches write statements, so that each is built and prepared once.

import { createBoundedCache } from '../../../cache/bounded-cache.ts'
import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { memoize } from '../../../cache/memoize.ts'
import type { Column, ExclusionModel } from '../../../resource/model/column.ts'
import type { CounterModel, KeptNumber, Link, ResourceModel, TimedMove } from '../../../resource/model/model.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import type { LimitedToken } from '../../../resource/model/rule/token-use.ts'
import type { Bound } from '../../store.ts'
import type { Dialect } from '../text/dialect.ts'
import { boundTo, type Prepared, type RuleInputs } from '../text/sql-text.ts'
import { countSql } from './count.ts'
import * as due from './due.ts'
import { exclusionSql } from './exclusion.ts'
import { type AddStatements, addStatements } from './kept-number.ts'
import { type TreeStatements, treeStatements } from './tree.ts'
import * as make from './write.ts'
import * as links from './write-links.ts'

export interface WriteStatements {
  load(load: make.Load, ruleInputs: RuleInputs, ids: readonly string[]): Bound
  find(resource: ResourceModel, key: make.Findable, condition: Condition): Prepared
  /** For a record before it is inserted; its values are the inputs. */
  candidate(resource: ResourceModel, condition: Condition): Prepared
  insert(resource: ResourceModel): Prepared
  count(resource: ResourceModel, counter: CounterModel, of: string | null, ids: readonly string[]): Bound
  change(resource: ResourceModel, columns: readonly make.WrittenColumn[]): Prepared
  /** Answers a row unless the record is missing. */
  changeExisting(resource: ResourceModel, columns: readonly make.WrittenColumn[]): Prepared
  changeEach(resource: ResourceModel, columns: readonly make.WrittenColumn[]): Prepared
  /** Neither version nor time of change: the id is input 0. */
  store(resource: ResourceModel, columns: readonly make.WrittenColumn[]): Prepared
  mark(resource: ResourceModel): Prepared
  add(numbers: readonly KeptNumber[]): AddStatements
  /** The source values of kept numbers, by `column` among the keys. */
  contributors(resource: ResourceModel, column: Column): Prepared
  /** Distinct combinations of these columns, by `column` among the keys. */
  holders(resource: ResourceModel, column: Column, columns: readonly Column[]): Prepared
  linked(link: Link, side: 'source' | 'target'): Prepared
  /** Ids and column of up to `limit` records, by `column` among the keys and the condition. */
  children(resource: ResourceModel, column: Column, which: { condition: Condition; limit: number }): Prepared
  remove(resource: ResourceModel, column: Column): Prepared
  clear(resource: ResourceModel, column: Column): Prepared
  refers(resource: ResourceModel, column: Column): Prepared
  link(link: Link): Prepared
  unlink(link: Link): Prepared
  lockDue(move: TimedMove, includesParked: boolean): Prepared
  markMade(move: TimedMove): Prepared
  copyAnew(move: TimedMove, column: string): Prepared
  lockReferrers(move: TimedMove, column: string): Prepared
  linkAll(link: Link, side: 'source' | 'target'): Prepared
  unlinkOthers(link: Link, side: 'source' | 'target', condition: Condition): Prepared
  unlinkAll(link: Link, end: 'source' | 'target'): Prepared
  tree(link: Link): TreeStatements
  countUse(token: LimitedToken): Prepared
  /** What is locked for the records among the keys, or which of them violate the exclusion. */
  exclusion(find: keyof typeof exclusionSql, resource: ResourceModel, exclusion: ExclusionModel): Prepared
  tenants(resource: ResourceModel, column: Column): Prepared
  exists(resource: ResourceModel, like: readonly (readonly [Column, unknown])[], tenant: Column | null): Prepared
}

/** Clients choose the fields of an update, and so the number of statements. (contract 8.4.5) */
const statementsMax = 2_000
const statementBytesMax = 16 * 1_048_576
const memoryOf = ({ statement }: Prepared): number => 1_000 + 2 * statement.sql.length

function createKeep(): (key: string, make: () => Prepared) => Prepared {
  const statements = createBoundedCache<Prepared>(statementsMax, statementBytesMax)
  return (key, make) => {
    const kept = statements.get(key)
    if (kept !== undefined) return kept
    const prepared = make()
    statements.set(key, prepared, memoryOf(prepared))
    return prepared
  }
}

export function createWriteStatements(dialect: Dialect): WriteStatements {
  const additions = new Map<string, AddStatements>()
  const trees = new Map<string, TreeStatements>()
  const numbers = new WeakMap<Condition, number>()
  let conditions = 0
  const numberOf = (condition: Condition): number => getOrInsert(numbers, condition, () => conditions++)
  const names = (columns: readonly Pick<Column, 'name'>[]) => columns.map((each) => each.name).join()
  const keep = createKeep()
  return {
    load: createLoad(keep, numberOf, names, dialect),
    find: (resource, key, condition) =>
      keep(`find ${resource.table} ${names(key.columns)} ${key.where === null} ${numberOf(condition)}`, () =>
        make.findSql(resource, key, condition, dialect),
      ),
    candidate: (resource, condition) =>
      keep(`candidate ${resource.table} ${numberOf(condition)}`, () => make.candidateSql(resource, condition, dialect)),
    insert: memoize((resource: ResourceModel) => make.insertSql(resource, dialect)),
    count(resource, counter, of, ids) {
      const by = ids.length === 1 ? 'id' : 'keys'
      const key = `count ${by} ${resource.table} ${counter.column.name}`
      const prepared = keep(key, () => countSql(resource, counter, by, dialect))
      const input = of === null ? [] : [of]
      return boundTo(prepared, { actor: null, input, id: ids[0]!, keys: dialect.keys(ids) })
    },
    ...changeStatements(keep, names, dialect),
    add: (numbers) =>
      getOrInsert(additions, `${numbers[0]!.holder.table} ${names(numbers.map(({ column }) => column))}`, () =>
        addStatements(numbers, dialect),
      ),
    contributors: (resource, column) =>
      keep(`contributors ${resource.table} ${column.name}`, () => make.contributorsSql(resource, column, dialect)),
    holders: (resource, column, columns) =>
      keep(`holders ${resource.table} ${column.name} ${names(columns)}`, () =>
        make.holdersSql(resource, column, columns, dialect),
      ),
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
    ...dueStatements(keep, dialect),
    ...linkStatements(keep, numberOf, dialect),
    tree: (link) => getOrInsert(trees, link.table, () => treeStatements(link, dialect)),
    countUse: (token) =>
      keep(`count ${token.resource.table} ${token.uses.name}`, () => make.countUseSql(token, dialect)),
    exclusion: (find, resource, exclusion) =>
      keep(`${find} ${resource.table} ${resource.exclusions.indexOf(exclusion)}`, () =>
        exclusionSql[find](resource, exclusion, dialect),
      ),
    tenants: (resource, column) =>
      keep(`tenants ${resource.table} ${column.name}`, () => make.tenantsSql(resource, column, dialect)),
    exists: (resource, like, tenant) =>
      keep(`exists ${resource.table} ${JSON.stringify(like.map(([column, value]) => [column.name, value]))}`, () =>
        make.existsSql(resource, like, tenant, dialect),
      ),
  }
}

type Names = (columns: readonly Pick<Column, 'name'>[]) => string
function createLoad(
  keep: ReturnType<typeof createKeep>,
  numberOf: (condition: Condition) => number,
  names: Names,
  dialect: Dialect,
): WriteStatements['load'] {
  /** Of records alone, by how they are named and locked. */
  const plain = memoize((_: ResourceModel) => ({
    id: new Map<make.Load['lock'], Prepared>(),
    keys: new Map<make.Load['lock'], Prepared>(),
  }))
  return (load, ruleInputs, ids) => {
    const { resource, conditions, columns, lock, guard = [], asOf = 'now' } = load
    const by = ids.length === 1 ? 'id' : 'keys'
    const makeLoad = () => make.loadSql(load, by, dialect)
    const isPlain = conditions.length + columns.length + guard.length === 0 && asOf === 'now'
    const prepared = isPlain
      ? getOrInsert(plain(resource)[by], lock, makeLoad)
      : keep(
          `load ${by} ${resource.table} ${conditions.map(numberOf).join()} ${names(columns)} ${guard.map(numberOf).join()} ${lock} ${asOf}`,
          makeLoad,
        )
    return boundTo(prepared, by === 'id' ? { ...ruleInputs, id: ids[0]! } : { ...ruleInputs, keys: dialect.keys(ids) })
  }
}

type ChangeStatements = Pick<WriteStatements, 'change' | 'changeExisting' | 'changeEach' | 'store' | 'mark'>
const changeStatements = (keep: ReturnType<typeof createKeep>, names: Names, dialect: Dialect): ChangeStatements => ({
  change: (resource, columns) =>
    keep(`change ${resource.table} ${names(columns)}`, () => make.changeSql(resource, columns, dialect)),
  changeExisting: (resource, columns) =>
    keep(`existing ${resource.table} ${names(columns)}`, () => make.changeExistingSql(resource, columns, dialect)),
  changeEach: (resource, columns) =>
    keep(`change each ${resource.table} ${names(columns)}`, () => make.changeEachSql(resource, columns, dialect)),
  store: (resource, columns) =>
    keep(`store ${resource.table} ${names(columns)}`, () => make.storeSql(resource, columns, dialect)),
  mark: (resource) => keep(`mark ${resource.table}`, () => make.markSql(resource, dialect)),
})

type DueStatements = Pick<WriteStatements, 'lockDue' | 'markMade' | 'copyAnew' | 'lockReferrers'>
const dueStatements = (keep: ReturnType<typeof createKeep>, dialect: Dialect): DueStatements => ({
  lockDue: (move, includesParked) =>
    keep(`lock due ${move.name} ${includesParked}`, () => due.lockDueSql(move, includesParked, dialect)),
  markMade: (move) => keep(`mark made ${move.name}`, () => due.markMadeSql(move, dialect)),
  copyAnew: (move, column) => keep(`copy anew ${move.name} ${column}`, () => due.copyAnewSql(move, column, dialect)),
  lockReferrers: (move, column) =>
    keep(`lock referrers ${move.name} ${column}`, () => due.lockReferrersSql(move, column, dialect)),
})

type LinkStatements = Pick<WriteStatements, 'linked' | 'link' | 'unlink' | 'linkAll' | 'unlinkOthers' | 'unlinkAll'>
const linkStatements = (
  keep: ReturnType<typeof createKeep>,
  numberOf: (condition: Condition) => number,
  dialect: Dialect,
): LinkStatements => ({
  linked: (link, side) => keep(`linked ${link.table} ${side}`, () => links.linkedIdsSql(link, side, dialect)),
  link: (link) => keep(`link ${link.table}`, () => links.linkSql(link, dialect)),
  unlink: (link) => keep(`unlink ${link.table}`, () => links.unlinkSql(link, dialect)),
  linkAll: (link, side) => keep(`link all ${link.table} ${side}`, () => links.linkAllSql(link, side, dialect)),
  unlinkOthers: (link, side, condition) =>
    keep(`unlink others ${link.table} ${side} ${numberOf(condition)}`, () =>
      links.unlinkOthersSql(link, side, condition, dialect),
    ),
  unlinkAll: (link, end) => keep(`unlink all ${link.table} ${end}`, () => links.unlinkAllSql(link, end, dialect)),
})
