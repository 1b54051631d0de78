// The records of a database as plain values, so that two databases can be made of them that differ in some.

import type { LinkRelation, Model, OneRelation, ResourceModel } from '../../../src/resource/model/model.ts'

/** A record by field, its id and both moments among them; relations are ids. */
export interface Row {
  readonly of: ResourceModel
  readonly id: string
  readonly values: Readonly<Record<string, unknown>>
  readonly isDeleted: boolean
}
/** An entry of a many-to-many relation, named by one side. */
export interface LinkRow {
  readonly relation: LinkRelation
  readonly source: string
  readonly target: string
}
export interface Rows {
  readonly records: ReadonlyMap<string, Row>
  readonly links: readonly LinkRow[]
}

/** The living record with this id, or null. */
export function livingRow({ records }: Rows, id: unknown): Row | null {
  const row = records.get(id as string)
  return row === undefined || row.isDeleted ? null : row
}

/** Each many-to-many relation of the model once, from its source; those of trees follow from their relations. */
export const linkRelations = (model: Model): readonly LinkRelation[] =>
  model.links
    .filter(({ parent }) => parent === null)
    .map((link) => {
      const relations = [...link.source.relations.values()]
      return relations.find(
        (each): each is LinkRelation => each.kind === 'manyToMany' && each.link === link && each.side === 'source',
      )!
    })

/** The records, each after those that it names; null where two name each other. */
export function inOrder({ records }: Rows): readonly Row[] | null {
  const ordered = new Set<Row>()
  const open = new Set<Row>()
  function visit(row: Row): boolean {
    if (ordered.has(row)) return true
    if (open.has(row)) return false
    open.add(row)
    const relations = [...row.of.relations.values()].filter(({ kind }) => kind === 'one')
    const targets = relations.map(({ field }) => records.get(row.values[field] as string))
    if (!targets.every((target) => target === undefined || visit(target))) return false
    ordered.add(row)
    return true
  }
  return [...records.values()].every(visit) ? [...ordered] : null
}

/** The record, and those above it in the tree of this relation. */
export function rowsAbove(rows: Rows, row: Row, relation: OneRelation): readonly Row[] {
  const parent = livingRow(rows, row.values[relation.field])
  return [row, ...(parent === null ? [] : rowsAbove(rows, parent, relation))]
}

/** What the record takes of each exclusion, which a conflict may tell of. (contract 5.7.1) */
export const intervalsOf = ({ of, values }: Row): readonly Interval[] =>
  of.exclusions.map(({ stored, start, end }) => ({
    key: JSON.stringify([of.name, ...stored.map(({ field }) => values[field])]),
    start: Number(values[start.field]),
    end: values[end.field] === null ? Number.POSITIVE_INFINITY : Number(values[end.field]),
  }))
export interface Interval {
  readonly key: string
  readonly start: number
  readonly end: number
}
