// The index by which overlapping records are found.

import type { ExclusionModel } from '../../../resource/model/column.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { recordCondition } from '../condition/condition.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { type Derived, derivedName } from '../text/names.ts'

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
