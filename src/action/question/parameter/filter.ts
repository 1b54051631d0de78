// Filters by single values, all of which must match. (contract 4.3.4)

import { memoizePair } from '../../../cache/memoize.ts'
import type { Detail } from '../../../failure/failure.ts'
import type { Dialect, FilterUse, Value } from '../../../read-plan/selection.ts'
import { aboutFilter } from '../../../resource/about.ts'
import { columnTypeOf, writeValue } from '../../../resource/field/registry.ts'
import type { FilterModel, ResourceModel } from '../../../resource/model/model.ts'
import { ruleSentence } from '../../../resource/model/rule/rule-sentence.ts'
import { asDefined, type Vocabulary } from '../../../resource/model/vocabulary.ts'
import { words } from '../../../resource/naming/casing.ts'
import { encodeValue } from '../../../store/sql/text/column-value.ts'
import { type Description, type FilterValue, type Narrowing, type Parameter, readValue } from './parameter.ts'

/** Text has one parameter per filter; other forms have one object, `filter`. */
export const filter: Parameter<Narrowing> = {
  read(sent, { resource }, { form, vocabulary, dialect }, problems, mistakes = problems) {
    const object = form === 'text' ? null : ((sent('filter') ?? noFilter) as Readonly<Record<string, unknown>>)
    if (object === noFilter) return narrowedBy([], dialect)
    if (form === 'code')
      for (const [name, value] of Object.entries(object!))
        if (value !== undefined && !resource.namedFilters.has(name))
          mistakes.push({ field: name, message: 'There is no such filter.' })
    const context = { form, part: vocabulary.part }
    const filters: FilterValue[] = []
    for (const { name, each } of filterNames(resource, vocabulary)) {
      const value = object === null ? sent(name) : Object.hasOwn(object, name) ? object[name] : undefined
      if (value === undefined || (value === null && form === 'typed')) continue
      const parameter = form === 'typed' ? `filter.${name}` : name
      filters.push(
        ofBranch({ filter: each, parameter, value: readOne(value, each, parameter, context, problems) }, resource),
      )
    }
    return narrowedBy(filters, dialect)
  },

  describe({ resource }, form, vocabulary) {
    const { namedFilters: filters, graphql, protect } = resource
    const members = (names: typeof vocabulary): readonly Description[] =>
      [...filters.values()].map((each) => {
        const { field } = each.column
        const part = each.either === undefined ? names.relation(resource, field) : each.name
        const spoken = form === 'text' ? names.name : asDefined.name
        const rule = protect.get(field)?.filter
        const allowed = rule === undefined ? '' : ` Only for ${ruleSentence(rule, resource, spoken)}.`
        return {
          name: names.filter(resource, each.name),
          about: () => aboutFilter(each, each.either?.field ?? spoken(resource, field)) + allowed,
          type: () => ({ is: 'value', spec: each.value, holder: graphql.name, part }),
          deprecated: each.deprecated,
        }
      })
    if (form === 'text') return members(vocabulary)
    const about = `Which ${words(resource.plural)}.`
    const all: Description = {
      name: 'filter',
      about: () => 'Which of them; all conditions hold.',
      type: () => ({ is: 'object', title: `${graphql.name}Filter`, about, members }),
    }
    return filters.size === 0 ? [] : [all]
  },
}

/** The filter by the relation that the value names; no record has an id of another type in any. (contract 11.6.7) */
function ofBranch({ filter, parameter, value }: FilterValue, { relations }: ResourceModel): FilterValue {
  if (filter.either === undefined || value === undefined) return { filter, parameter, value }
  const { part, branches } = filter.either
  const isNamed = ({ name, prefix }: ResourceModel) =>
    part === 'type' ? value === name : (value as string).startsWith(`${prefix}_`)
  const branch = branches.find(({ column }) => isNamed(relations.get(column.field)!.target)) ?? branches[0]!
  return { filter: branch, parameter, value: part === 'type' ? true : value }
}

function narrowedBy(filters: readonly FilterValue[], dialect: Dialect): Narrowing {
  const uses = filters.map(useOf)
  return {
    filters,
    shape: { filters: uses },
    values: { filter: filters.map((each) => encode(each, dialect)) },
    key: uses.map(({ filter, present }) => `${filter.name}${present ?? ''}`).join(','),
    binding: filters.map(({ filter, value }) => [filter.name, writeValue(filter.value, value)]),
    points: 0,
    isPrivate: false,
  }
}

const useOf = ({ filter, value }: FilterValue): FilterUse => ({
  filter,
  present: filter.test === 'isPresent' ? (value as boolean) : null,
})

/** Presence is part of the shape, not a value. */
function encode({ filter, value }: FilterValue, dialect: Dialect): Value {
  // An invalid value is a problem, so nothing runs with it.
  if (filter.test === 'isPresent' || value === undefined) return null
  const { column, value: spec } = filter
  return encodeValue(filter.test === 'contains' ? { spec, type: columnTypeOf(spec)! } : column, value, dialect)
}

const noFilter = {}

const filterNames = memoizePair(
  (resource: ResourceModel, vocabulary: Vocabulary): readonly { readonly name: string; readonly each: FilterModel }[] =>
    [...resource.namedFilters].map(([name, each]) => ({ name: vocabulary.filter(resource, name), each })),
)

/** Code has the limits of clients. */
function readOne(
  value: unknown,
  { value: spec }: FilterModel,
  name: string,
  context: Parameters<typeof readValue>[3],
  problems: Detail[],
): unknown {
  if (context.form === 'typed') return readValue(value, spec, name, context, problems)
  const text = context.form === 'code' ? String(writeValue(spec, value)) : (value as string)
  if (text !== '' && !text.includes('\0')) return readValue(text, spec, name, context, problems)
  // The face has refused such a parameter in a query string.
  if (context.form === 'code')
    problems.push({ field: name, message: text === '' ? 'Must not be empty.' : 'Must not contain NUL.' })
  return undefined
}
