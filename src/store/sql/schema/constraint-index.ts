// Indexes of what must be unique, and of what must not overlap, among records that are not deleted.

import type { ExclusionModel, FoldedColumn, UniqueModel } from '../../../resource/model/column.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { recordCondition } from '../condition/condition.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { type Derived, derivedName, uniqueName } from '../text/names.ts'

export function uniqueIndex(resource: ResourceModel, unique: UniqueModel, dialect: Dialect): Derived {
  const { table } = resource
  const { columns } = unique
  const stored = unique.stored.map(({ name }) => name)
  const condition = conditionOf(resource, unique, dialect)
  const on = `on ${quote(table)} (${stored.map(quote).join(', ')}) where ${condition}`
  const name = isPlain(unique) ? uniqueName(table, stored) : derivedName(`${table}_${stored.join('_')}`, on, 'key')
  const create = [`create unique index ${quote(name)} ${on}`]
  return { name, create, unique: { columns: columns.map((each) => each.name), stored, condition } }
}

/** SQLite reports columns instead of the index. */
export const isViolated = (index: string, resource: ResourceModel, unique: UniqueModel, dialect: Dialect): boolean =>
  index === uniqueIndex(resource, unique, dialect).name ||
  index ===
    uniqueName(
      resource.table,
      unique.stored.map(({ name }) => name),
    )

/** A single field, whose index is named after it. */
const isPlain = ({ stored: [first, second], where }: UniqueModel): boolean =>
  second === undefined && where === null && !isFolded(first!)

const isFolded = (column: object): column is FoldedColumn => 'of' in column

function conditionOf(resource: ResourceModel, { stored, where }: UniqueModel, dialect: Dialect): string {
  // A folded form is never null, so its text is tested.
  const texts = stored.filter(isFolded).filter(({ of }) => of.nullable)
  const conditions = ['"deleted_at" is null', ...texts.map(({ of }) => `${quote(of.name)} is not null`)]
  return [...conditions, ...recordCondition(where, resource, quote(resource.table), dialect)].join(' and ')
}

/** The index by which overlapping records are found. */
export function exclusionIndex(resource: ResourceModel, exclusion: ExclusionModel, dialect: Dialect): Derived {
  const { table } = resource
  const { columns, stored, start, end, where } = exclusion
  const names = [...stored, start].map(({ name }) => name)
  const condition = ['"deleted_at" is null', ...recordCondition(where, resource, quote(table), dialect)].join(' and ')
  const on = `on ${quote(table)} (${names.map(quote).join(', ')}) where ${condition}`
  // Another end is another promise, which stored records may break.
  const name = derivedName(`${table}_${names.join('_')}`, `${on} until ${end.name}`, 'excl')
  return {
    name,
    create: [`create index ${quote(name)} ${on}`],
    unique: null,
    exclusion: {
      columns: columns.map((each) => each.name),
      stored: stored.map((each) => each.name),
      start: start.name,
      end: end.name,
      condition,
    },
  }
}
