// Compiles the columns of a resource, then the fields, filters, queries and counters that use them.

import type { CounterSpec } from '../../field/counter.ts'
import type { FieldKind, SpecBase } from '../../field/field.ts'
import { checkValue, columnTypeOf, isTranslated, kindOf, writeValue } from '../../field/registry.ts'
import { type EitherSpec, idLengthMax, isAbove, isEither } from '../../field/relation.ts'
import type { TokenSpec } from '../../field/secret.ts'
import type { ComputedDefinition, Definition } from '../../language/definition.ts'
import type { FilterTest } from '../../language/rule/filter.ts'
import { columnName, isPart, keptName, usesField } from '../../naming/casing.ts'
import type { Column, StoredValue } from '../column.ts'
import type { CounterModel, FieldModel, FilterModel } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { definitionHash, numberDefinitions } from '../number/kept-number-definition.ts'
import { storedHash } from '../number/stored-value-definition.ts'
import { compileQuery } from './compile-query.ts'

/** In the order of the fields, between `id` and the two times. */
export function compileColumns(definition: Definition): readonly Column[] {
  const { fields } = definition
  const hashes = new Map([
    ...numberDefinitions(definition).map((each) => [each.field, definitionHash(each, definition)] as const),
    ...Object.entries(definition.stored ?? {}).map(
      ([name, each]) => [name, storedHash(name, each, definition)] as const,
    ),
  ])
  return [
    makeColumn('id', { kind: 'id' }, 'text'),
    ...Object.entries(fields).flatMap(([name, spec]) => {
      const type = columnTypeOf(spec)
      if (type === null) return []
      const column = makeColumn(name, spec, type)
      const hash = hashes.get(name)
      return [hash === undefined ? column : { ...column, name: keptName(column.name, hash) }, ...usesColumn(name, spec)]
    }),
    makeColumn('createdAt', { kind: 'timestamp' }, 'timestamp'),
    makeColumn('updatedAt', { kind: 'timestamp' }, 'timestamp'),
  ]
}

function makeColumn(field: string, spec: SpecBase, type: Column['type']): Column {
  return {
    field,
    name: spec.column ?? columnName(field, spec.kind),
    spec,
    type,
    nullable: spec.optional === true || spec.kind === 'token' || spec.kind === 'counter',
    unique: Boolean(spec.unique) || spec.kind === 'token',
    secret: spec.kind === 'password' || spec.kind === 'token',
    encrypted: spec.kind === 'secret',
  }
}

/** Counts the uses of a token with a limit; null before the first use, and never shown. */
function usesColumn(token: string, spec: SpecBase): readonly Column[] {
  const { maxUses, was } = spec as TokenSpec
  if (spec.kind !== 'token' || maxUses === undefined) return []
  const uses = { kind: 'integer', optional: true, ...(typeof was === 'string' ? { was: usesField(was) } : {}) }
  return [{ ...makeColumn(usesField(token), uses, 'integer'), secret: true }]
}

const idKind: FieldKind = {
  column: 'text',
  options: [],
  embeddable: false,
  graphql: 'ID',
  check: (_, _value, problem) => problem('', 'Is made by the service.'),
  schema: () => ({ type: 'string', maxLength: idLengthMax }),
}

/** Fields need the columns, filters and queries the relations too. */
export function compileFields(resource: ResourceDraft, definition: Definition): void {
  for (const field of fieldsOf(resource, definition)) resource.fields.set(field.name, field)
  for (const [name, { test, on, deprecated }] of Object.entries(definition.filter ?? {})) {
    const field = resource.fields.get(on ?? name)
    if (field !== undefined && isEither(field.spec)) {
      compileEitherFilter(resource, name, field, deprecated ?? field.spec.deprecated ?? null)
      continue
    }
    const compiled = compileFilter(resource, name, test, on)
    // A filter inherits the deprecation of its field.
    const filter = { ...compiled, deprecated: deprecated ?? compiled.column.spec.deprecated ?? null }
    resource.filters.set(name, filter)
    resource.namedFilters.set(name, filter)
  }
  for (const [name, query] of Object.entries(definition.queries ?? {}))
    resource.queries.set(name, compileQuery(name, query, resource))
}

function fieldsOf(resource: ResourceDraft, { fields, computed = {} }: Definition): readonly FieldModel[] {
  const isReadable = ({ kind }: SpecBase) => !['password', 'token', 'secret', 'argument'].includes(kind)
  const stored = (name: string, spec: SpecBase, kind = kindOf(spec)): FieldModel => {
    if (isEither(spec)) return eitherField(resource, name, spec)
    const column = resource.column.get(name) ?? null
    return { name, spec, kind, column, nullable: spec.optional === true, computed: null }
  }
  return [
    stored('id', { kind: 'id' }, idKind),
    ...Object.entries(fields).flatMap(([name, spec]) =>
      isReadable(spec) && !isAbove(spec) && !isPart(name) ? [stored(name, spec)] : [],
    ),
    ...Object.entries(computed).map(([name, definition]) => computedField(resource, name, definition)),
    stored('createdAt', { kind: 'timestamp' }),
    stored('updatedAt', { kind: 'timestamp' }),
  ]
}

/** Of visible ids: which of them a reader may see depends on the record. (contract 11.6.3) */
function eitherField(resource: ResourceDraft, name: string, spec: EitherSpec): FieldModel {
  const from = spec.of.map((field) => resource.column.get(field)!)
  const make: Make = (row) => {
    const at = spec.of.findIndex((field) => row[field] !== null)
    return at === -1 ? null : { type: spec.types![at], id: row[spec.of[at]!] }
  }
  return { name, spec, kind: kindOf(spec), column: null, nullable: spec.optional === true, computed: { from, make } }
}

const computedField = (
  resource: ResourceDraft,
  name: string,
  { as: spec, from, make }: ComputedDefinition,
): FieldModel => ({
  name,
  spec,
  kind: kindOf(spec),
  column: null,
  nullable: spec.optional === true,
  computed: {
    from: from.map((field) => resource.column.get(field)!),
    make: toJson(make, spec, `${resource.name}.${name}`),
  },
})

export const compileStoredValues = (
  { name, stored = {} }: Definition,
  columns: readonly Column[],
): readonly StoredValue[] => {
  const column = (field: string) => columns.find((each) => each.field === field)!
  return Object.entries(stored).map(([field, { as, from, make }]) => ({
    column: column(field),
    from: from.map(column),
    // What an object holds was checked with it, maybe by a former definition.
    make: isPart(field) ? make : (row) => fitting(make(row) ?? null, as, `${name}.${field}`),
  }))
}

export const compileCounters = (columns: readonly Column[]): readonly CounterModel[] =>
  columns.flatMap((column) => {
    if (column.spec.kind !== 'counter') return []
    const { within, on = null } = column.spec as CounterSpec
    return [{ column, within: columns.find(({ field }) => field === within) ?? null, on }]
  })

type Make = ComputedDefinition['make']
function toJson(make: Make, spec: SpecBase, place: string): Make {
  if (!isTranslated(spec)) return make
  return (row) => {
    const value = make(row)
    return value === null || value === undefined ? value : writeValue(spec, fitting(value, spec, place))
  }
}

/** An invalid computed value is a bug of the author. */
const fitting = (value: unknown, spec: SpecBase, place: string): unknown =>
  checkValue(spec, value, (path, message) => {
    throw new Error(`The service's own code works out a value for ${place}${path} that it cannot hold: ${message}`)
  })

function compileFilter(resource: ResourceDraft, name: string, test: FilterTest, on?: string): FilterModel {
  const [field, part = null] = (on ?? name).split('.') as [string, string?]
  const column = resource.column.get(field)!
  return { name, test, column, part, value: filterValue(test, column.spec, part), deprecated: null }
}

/** By the id and by the type: filters by its relations, of which a list has the one that the value names. (contract 11.6.7) */
function compileEitherFilter(
  resource: ResourceDraft,
  name: string,
  field: FieldModel,
  deprecated: FilterModel['deprecated'],
): void {
  const { of, types } = field.spec as EitherSpec
  const specs = { id: { kind: 'one' }, type: { kind: 'choice', values: types } }
  for (const part of ['id', 'type'] as const) {
    const test = part === 'id' ? 'is' : 'isPresent'
    const branches = of.map((branch) => ({
      ...compileFilter(resource, `${name}.${part} ${branch}`, test, branch),
      isOfEither: true as const,
    }))
    for (const each of branches) resource.filters.set(each.name, each)
    const parameter = part === 'id' ? name : `${name}Type`
    const common = { name: parameter, test: 'is' as const, column: branches[0]!.column, part: null, deprecated }
    resource.namedFilters.set(parameter, {
      ...common,
      value: specs[part],
      either: { field: field.name, part, branches },
    })
  }
}

function filterValue(test: FilterTest, spec: SpecBase, part: string | null): SpecBase {
  if (test === 'isPresent') return { kind: 'boolean' }
  if (test !== 'contains') return { ...spec, optional: false }
  const element = (spec as SpecBase & { of?: SpecBase & { fields?: Readonly<Record<string, SpecBase>> } }).of!
  return part === null ? element : element.fields![part]!
}
