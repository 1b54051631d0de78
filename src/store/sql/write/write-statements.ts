// Caches write statements, so that each is built and prepared once.

import { createBoundedCache } from '../../../cache/bounded-cache.ts'
import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { memoize } from '../../../cache/memoize.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { CounterModel, KeptNumber, Link, ResourceModel } from '../../../resource/model/model.ts'
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

/** What is kept by its arguments, which the dialect follows. */
const makers = {
  find: make.findSql,
  candidate: make.candidateSql,
  change: make.changeSql,
  changeExisting: make.changeExistingSql,
  changeEach: make.changeEachSql,
  store: make.storeSql,
  mark: make.markSql,
  contributors: make.contributorsSql,
  holders: make.holdersSql,
  children: make.childrenSql,
  remove: make.deleteSql,
  clear: make.clearSql,
  refers: make.refersSql,
  countUse: make.countUseSql,
  tenants: make.tenantsSql,
  exclusion: exclusionSql,
  linked: links.linkedIdsSql,
  link: links.linkSql,
  unlink: links.unlinkSql,
  linkAll: links.linkAllSql,
  unlinkOthers: links.unlinkOthersSql,
  unlinkAll: links.unlinkAllSql,
  lockDue: due.lockDueSql,
  markMade: due.markMadeSql,
  copyAnew: due.copyAnewSql,
  lockReferrers: due.lockReferrersSql,
} as const
type Makers = typeof makers
type Arguments<Make> = Make extends (...all: [...infer First, Dialect]) => Prepared ? First : never

export type WriteStatements = {
  readonly [Name in keyof Makers]: (...all: Arguments<Makers[Name]>) => Prepared
} & {
  load(load: make.Load, ruleInputs: RuleInputs, ids: readonly string[]): Bound
  insert(resource: ResourceModel): Prepared
  count(resource: ResourceModel, counter: CounterModel, of: string | null, ids: readonly string[]): Bound
  add(numbers: readonly KeptNumber[]): AddStatements
  tree(link: Link): TreeStatements
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

/** Equal for arguments that make equal statements: by names, and by identity for conditions and rules. */
function createKeyOf(): (part: unknown) => string {
  let count = 0
  const numberOf = memoize((_: object) => count++)
  const keyOf = (part: unknown): string => {
    if (typeof part !== 'object' || part === null) return String(part)
    if (Array.isArray(part)) return part.map(keyOf).join()
    if ('is' in part || 'rule' in part) return String(numberOf(part))
    if ('table' in part) return String(part.table)
    return 'name' in part ? String(part.name) : keyOf(Object.values(part))
  }
  return keyOf
}

export function createWriteStatements(dialect: Dialect): WriteStatements {
  const additions = new Map<string, AddStatements>()
  const keep = createKeep()
  const keyOf = createKeyOf()
  const keptBy =
    (name: string, makeOf: (...all: unknown[]) => Prepared) =>
    (...all: readonly unknown[]) =>
      keep(`${name} ${all.map(keyOf).join(' ')}`, () => makeOf(...all, dialect))
  const kept = Object.entries(makers).map(([name, each]) => [name, keptBy(name, each as never)])
  return {
    ...(Object.fromEntries(kept) as Pick<WriteStatements, keyof Makers>),
    load: createLoad(keep, keyOf, dialect),
    insert: memoize((resource: ResourceModel) => make.insertSql(resource, dialect)),
    count(resource, counter, of, ids) {
      const by = ids.length === 1 ? 'id' : 'keys'
      const key = `count ${by} ${resource.table} ${counter.column.name}`
      const prepared = keep(key, () => countSql(resource, counter, by, dialect))
      const input = of === null ? [] : [of]
      return boundTo(prepared, { actor: null, input, id: ids[0]!, keys: dialect.keys(ids) })
    },
    add: (numbers) =>
      getOrInsert(additions, `${numbers[0]!.holder.table} ${keyOf(numbers.map(({ column }) => column))}`, () =>
        addStatements(numbers, dialect),
      ),
    tree: memoize((link: Link) => treeStatements(link, dialect)),
    exists: (resource, like, tenant) =>
      keep(`exists ${resource.table} ${JSON.stringify(like.map(([column, value]) => [column.name, value]))}`, () =>
        make.existsSql(resource, like, tenant, dialect),
      ),
  }
}

function createLoad(
  keep: ReturnType<typeof createKeep>,
  keyOf: ReturnType<typeof createKeyOf>,
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
      : keep(['load', by, ...[resource, conditions, columns, guard, lock, asOf].map(keyOf)].join(' '), makeLoad)
    return boundTo(prepared, by === 'id' ? { ...ruleInputs, id: ids[0]! } : { ...ruleInputs, keys: dialect.keys(ids) })
  }
}
