// Makes a second database that one person cannot tell from the first: all that is hidden from him may differ.

import type { OneSpec } from '../../../src/resource/field/relation.ts'
import { eitherFieldsOf } from '../../../src/resource/model/either.ts'
import type { Model, ResourceModel } from '../../../src/resource/model/model.ts'
import type { Random } from '../oracle/random.ts'
import { recordsOfCodes } from './code.ts'
import { isWhole } from './either.ts'
import { comparedAt, deleteRow, makeRow, makeValue, type RowChoices, withValue } from './make-rows.ts'
import { inOrder, linkRelations, type Row, type Rows } from './rows.ts'
import { createVisibility, visibilityOf, type Watched } from './visibility.ts'

/**
 * The rows with changes that this person cannot see: hidden records gone, changed or added, protected values changed, links
 * between hidden records made and taken. `attempts` are made; those that he would notice are left out.
 */
export function differ(
  model: Model,
  rows: Rows,
  { watched, random, attempts }: { readonly watched: Watched; readonly random: Random; readonly attempts: number },
): { readonly rows: Rows; readonly changes: number } {
  const before = [...visibilityOf(model, rows, watched, comparedAt)].sort().join('\n')
  let [now, changes] = [rows, 0]
  for (let attempt = 0; attempt < attempts; attempt++) {
    const next = random.one(ways)(now, { model, watched, random, unique: `hidden-${attempt}` })
    if (
      next === null ||
      inOrder(next) === null ||
      [...visibilityOf(model, next, watched, comparedAt)].sort().join('\n') !== before
    )
      continue
    now = next
    changes += 1
  }
  return { rows: now, changes }
}

interface Context extends Omit<RowChoices, 'records'> {
  readonly model: Model
  readonly watched: Watched
}
type Way = (rows: Rows, context: Context) => Rows | null

const ways: readonly Way[] = [
  (rows, context) => {
    const row = anyHidden(rows, context)
    return row === null ? null : deleteRow(rows, row.id)
  },
  // A record that is gone altogether, with nothing left that names it.
  (rows, context) => {
    const row = anyHidden(rows, context)
    if (row === null || isNamed(rows, row)) return null
    const records = new Map(rows.records)
    records.delete(row.id)
    return { ...rows, records }
  },
  changeHiddenValue,
  changeHiddenValue,
  changeHiddenReference,
  (rows, context) => {
    const row = makeRow(context.random.one(listedResources(context.model)), { ...context, records: rows.records })
    return row === null ? null : { ...rows, records: new Map(rows.records).set(row.id, row) }
  },
  changeHiddenLink,
]

const listedResources = (model: Model): readonly ResourceModel[] => model.resources

function anyHidden(rows: Rows, { model, watched: { person, codes }, random }: Context): Row | null {
  const code = random.one([null, ...codes])
  const visibility = createVisibility(model, rows, { person, code }, comparedAt)
  const hidden = [...rows.records.values()].filter((row) => !visibility.mayRead(row) && row.id !== person?.id)
  return hidden.length === 0 ? null : random.one(hidden)
}

function isNamed({ records, links }: Rows, { id, of }: Row): boolean {
  const holders = of.referrers
  return (
    links.some(({ source, target }) => source === id || target === id) ||
    [...records.values()].some((row) =>
      holders.some(({ holder, relation }) => row.of === holder && row.values[relation.field] === id),
    )
  )
}

/** Makes or takes a link; often one between records that may be read, of which one is out of the key's scope. */
function changeHiddenLink(rows: Rows, { model, watched: { person, codes }, random }: Context): Rows | null {
  const relations = linkRelations(model)
  if (relations.length === 0) return null
  const { mayRead, isInScope } = createVisibility(
    model,
    rows,
    { person, code: random.one([null, ...codes]) },
    comparedAt,
  )
  const leading = relations.filter(({ link }) => isInScope(link.source) !== isInScope(link.target))
  const isLeading = leading.length > 0 && random.chance(0.5)
  const relation = random.one(isLeading ? leading : relations)
  const idOf = (of: ResourceModel) =>
    random.one(
      [...rows.records.values()].filter((row) => row.of === of && !row.isDeleted && (!isLeading || mayRead(row))),
    )?.id
  const [source, target] = [idOf(relation.link.source), idOf(relation.link.target)]
  if (source === undefined || target === undefined || source === target) return null
  const others = rows.links.filter(
    (link) => link.source !== source || link.target !== target || link.relation !== relation,
  )
  return { ...rows, links: others.length < rows.links.length ? others : [...others, { relation, source, target }] }
}

/** A record that may be read names another one of those that may not. */
function changeHiddenReference(rows: Rows, { model, watched: { person, codes }, random }: Context): Rows | null {
  const visibility = createVisibility(model, rows, { person, code: random.one([null, ...codes]) }, comparedAt)
  const all = [...rows.records.values()].filter(({ isDeleted }) => !isDeleted)
  const hidden = all.filter((row) => !visibility.mayRead(row))
  const references = all.filter(visibility.mayRead).flatMap((row) => {
    const relations = [...row.of.relations.values()].filter((each) => each.kind === 'one')
    return relations
      .filter(({ field }) => !tenantFields(row.of).includes(field) && hidden.some(({ id }) => id === row.values[field]))
      .map((relation) => ({ row, relation }))
  })
  const reference = random.one(references)
  if (reference === undefined) return null
  const { row, relation } = reference
  // One of several relations can become another one of these.
  const branches = eitherFieldsOf(row.of).find((each) => each.branches.includes(relation))?.branches ?? [relation]
  const branch = branches.length === 1 ? relation : random.one(branches)
  const other = random.one(hidden.filter(({ of }) => of === branch.target))
  if (other === undefined || other.id === row.values[branch.field]) return null
  const changed = withValue(withValue(row, relation.column, null), branch.column, other.id)
  return { ...rows, records: new Map(rows.records).set(row.id, changed) }
}

/** What says in which tenants a record is, and so never changes. */
const tenantFields = ({ tenants }: ResourceModel): readonly (string | undefined)[] =>
  tenants.flatMap(({ field, spec }) => [field, (spec as OneSpec).from])

/** A value of a hidden record, or one that is protected. What is unique stays: that it is taken may be told. */
function changeHiddenValue(rows: Rows, context: Context): Rows | null {
  const { random, watched } = context
  const all = [...rows.records.values()]
  // Of what a code is of, the more is to be told.
  const coded = recordsOfCodes(all, watched.codes)
  const row = random.one(coded.length > 0 && random.chance(0.2) ? coded : all)
  const columns = row.of.columns.filter(
    (column) =>
      !column.secret &&
      !['id', 'createdAt', 'updatedAt', ...tenantFields(row.of)].includes(column.field) &&
      row.of.uniques.every(({ columns }) => !columns.includes(column)),
  )
  if (columns.length === 0) return null
  const column = random.one(columns)
  const value = makeValue(column, { ...context, records: rows.records })
  if (value === undefined) return null
  const changed = withValue(row, column, value)
  if (!isWhole(row.of, changed.values)) return null
  return { ...rows, records: new Map(rows.records).set(row.id, changed) }
}
