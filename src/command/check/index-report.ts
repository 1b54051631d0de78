// Which declarations use which index, and which would save one. (contract 12.3.4, 12.3.6)

import type { Model, OneRelation, ResourceModel } from '../../resource/model/model.ts'
import { relevance } from '../../resource/model/search/search.ts'
import { indexPlanner, indexUses } from '../../store/sql/schema/schema.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'

export type IndexReport = readonly {
  readonly resource: string
  readonly table: string
  readonly indexes: readonly {
    readonly name: string
    /** Such as `sort number`, or `assignee, sort number`: the order of the records that one assignee has. */
    readonly serves: readonly string[]
  }[]
  /** What would save indexes of a table that has many, such as `sort number within organization`. */
  readonly proposals: readonly Proposal[]
}[]
export interface Proposal {
  readonly what: string
  readonly saves: number
}

/** A table with more gets proposals. */
const indexesWanted = 9

export function indexReport(model: Model, dialect: Dialect): IndexReport {
  const usesOf = indexPlanner(model, dialect)
  return [...indexUses(model, dialect)].map(([resource, uses]) => {
    const saves = ([what, others]: Change) => ({ what, saves: uses.length - usesOf(resource, others).length })
    const changes = uses.length > indexesWanted ? changesOf(resource) : []
    return {
      resource: resource.name,
      table: resource.table,
      indexes: uses.map(({ index, questions }) => ({ name: index.name, serves: questions })),
      proposals: [...changes].map(saves).filter((each) => each.saves > 0),
    }
  })
}

type Change = readonly [what: string, others: Partial<ResourceModel>]

function* changesOf(resource: ResourceModel): Iterable<Change> {
  const { sorts, filters, tenants, where } = resource
  for (const [name, sort] of sorts)
    for (const inside of name === 'createdAt' || sort.column === relevance ? [] : insidesOf(resource))
      if (sort.inside === null)
        yield [`sort ${name} within ${inside.field}`, { sorts: new Map([...sorts, [name, { ...sort, inside }]]) }]
  for (const [name, { column }] of filters)
    if (!tenants.includes(column)) yield [`no filter ${name}`, { filters: without(filters, name) }]
  for (const name of where?.values.keys() ?? [])
    yield [`no where ${name}`, { where: { ...where!, values: without(where!.values, name) } }]
}

const insidesOf = ({ relations, filters }: ResourceModel): readonly OneRelation[] =>
  [...relations.values()].flatMap((each) =>
    each.kind === 'one' && filters.values().some(({ test, column }) => test === 'is' && column === each.column)
      ? [each]
      : [],
  )

const without = <V>(values: ReadonlyMap<string, V>, name: string): ReadonlyMap<string, V> =>
  new Map([...values].filter(([each]) => each !== name))
