// Compiles unique constraints, of single fields, of several together, and of keys; and exclusions: records whose intervals must not
// overlap.

import { isTenantField, type OneSpec } from '../../field/relation.ts'
import { type Definition, wholeOf } from '../../language/definition.ts'
import { foldedName } from '../../naming/casing.ts'
import type { Column, ExclusionModel, FoldedColumn, KeyModel, UniqueModel } from '../column.ts'
import type { ResourceModel } from '../model.ts'
import { fieldsRead } from '../rule/comparison.ts'

/** Smallest index size in bytes for the folded form of a text, however short its field. */
const foldedBytesMin = 400

export function compileUniques({ unique = [], keys = [] }: Definition, columns: readonly Column[]): Uniqueness {
  const folded = new Map<Column, FoldedColumn>()
  const columnsOf = (fields: readonly string[]) =>
    fields.map((field) => columns.find((column) => column.field === field)!)
  const alone = columns
    .filter((each) => each.unique)
    .map((each): UniqueModel => {
      // Tokens are looked up without knowing their tenant.
      const tenant = each.spec.kind === 'token' ? [] : tenantOf(each.spec.unique, columns)
      return { columns: [each], stored: [...tenant, each], where: null }
    })
  const together = unique.map((each): UniqueModel => {
    const { fields, where = null, caseless = false, per } = wholeOf(each)
    const fieldColumns = columnsOf(fields)
    if (caseless)
      for (const each of fieldColumns.filter(isText)) folded.set(each, folded.get(each) ?? foldedColumn(each))
    const tenant = tenantOf(per, columns).filter((each) => !fieldColumns.includes(each))
    return {
      columns: fieldColumns,
      stored: [...tenant, ...fieldColumns.map((each) => (caseless && folded.get(each)) || each)],
      where,
    }
  })
  const uniques = [...alone, ...together]
  const ofKeys = keys.map((key): UniqueModel => {
    const { fields, where = null } = wholeOf(key)
    const own = columnsOf(fields)
    const unique = where === null ? uniques.find((each) => isKey(each, own)) : undefined
    const tenant = tenantOf(undefined, columns).filter((each) => !own.includes(each))
    return unique ?? { columns: own, stored: [...tenant, ...own], where }
  })
  return {
    // A key that `unique` also lists already has its index.
    uniques: [...new Set([...uniques, ...ofKeys])],
    keys: keys.map((key, index) => keyOf(columnsOf(wholeOf(key).fields), ofKeys[index]!)),
    folded: [...folded.values()],
  }
}
type Uniqueness = Pick<ResourceModel, 'uniques' | 'keys' | 'folded'>

/** Unconditional, and compared unfolded. */
const isKey = ({ columns, stored, where }: UniqueModel, own: readonly Column[]): boolean =>
  where === null &&
  columns.length === own.length &&
  own.every((each) => columns.includes(each)) &&
  columns.every((each) => stored.includes(each))

function keyOf(own: readonly Column[], { columns, stored, where }: UniqueModel): KeyModel {
  const tenant = stored.find((each) => !columns.includes(each)) ?? null
  return { columns: tenant === null ? own : [tenant, ...own], tenant, where }
}

/** The tenant in which values are unique: the named one, otherwise the nearest; none for `everywhere`. (contract 10.2.10) */
function tenantOf(per: boolean | string | undefined, columns: readonly Column[]): readonly Column[] {
  if (per === 'everywhere') return []
  const tenants = columns.filter(({ spec }) => isTenantField(spec))
  const tenant = typeof per === 'string' ? tenants.find(({ spec }) => (spec as OneSpec).target === per) : tenants[0]
  return tenant === undefined ? [] : [tenant]
}

const isText = ({ spec }: Column): boolean => spec.kind === 'text'

function foldedColumn(of: Column): FoldedColumn {
  const { max = 0 } = of.spec as Column['spec'] & { readonly max?: number }
  return {
    ...of,
    name: foldedName(of.name),
    nullable: false,
    unique: false,
    of,
    form: 'caseless',
    bytesMax: Math.max(4 * max, foldedBytesMin),
  }
}

export function compileExclusions({ exclude = [] }: Definition, columns: readonly Column[]): readonly ExclusionModel[] {
  const columnOf = (field: string) => columns.find((column) => column.field === field)!
  return exclude.map(({ fields, overlap, where = null, per }) => {
    const own = fields.map(columnOf)
    const [start, end] = overlap.map(columnOf) as [Column, Column]
    const tenant = tenantOf(per, columns).filter((each) => !own.includes(each))
    const stored = [...tenant, ...own]
    const compared = [...stored, start, end].map(({ field }) => field)
    const read = where === null ? compared : [...compared, ...fieldsRead(where)]
    return { columns: own, stored, start, end, where, fields: new Set(read) }
  })
}
