// Which declarations use which index. (contract 12.3.4)

import type { Model } from '../../resource/model/model.ts'
import { indexUses } from '../../store/sql/schema/schema.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'

export type IndexReport = readonly {
  readonly resource: string
  readonly table: string
  readonly indexes: readonly {
    readonly name: string
    /** Such as `sort number`, or `assignee, sort number`: the order of the records that one assignee has. */
    readonly serves: readonly string[]
  }[]
}[]

export const indexReport = (model: Model, dialect: Dialect): IndexReport =>
  [...indexUses(model, dialect)].map(([{ name, table }, uses]) => ({
    resource: name,
    table,
    indexes: uses.map(({ index, questions }) => ({ name: index.name, serves: questions })),
  }))
