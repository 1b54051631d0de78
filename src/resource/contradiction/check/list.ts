// Checks filters, sorting, protected fields, older names and invariants.

import type { Contradiction, SpecBase } from '../../field/field.ts'
import { comparesOf, isSearchable } from '../../field/registry.ts'
import { isEither } from '../../field/relation.ts'
import { type Definition, type FilterDefinition, sortsOf } from '../../language/definition.ts'
import { columnName, constant, snake } from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, fieldsOfKind, isStored, own, readableFields } from '../report/definition-index.ts'
import { cursorTextMax, endOfPath, textMax } from '../report/path.ts'
import { distinct, instead, type Report } from '../report/report.ts'
import { isReservedField } from './name.ts'
import { checkValues } from './rule.ts'
import { closedBranch } from './where.ts'

/** (contract 1.2.1) */
const listParameters = ['page', 'perPage', 'limit', 'cursor', 'sort', 'fields', 'where', 'q']

export function listContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [name, filter] of Object.entries(definition.filter ?? {})) checkFilter(name, filter, definition, report)
    distinct(filterNames(definition), (name, first, second) =>
      report(
        `${definition.name}.filter.${second}`,
        `${name} is the parameter of ${first} already`,
        'choose another name',
      ),
    )
    checkSort(definition, definitions, report)
    checkProtect(definition, report)
    checkOlderNames(definition, definitions, report)
    for (const { like } of definition.invariants ?? []) {
      checkValues('invariant', like, { definition, where: definition.name, report })
      for (const field of Object.keys(like).filter((each) => own(definition.stored, each) !== undefined))
        report(`${definition.name}.invariants`, `it names ${field}, which is stored later`, 'strike it')
    }
  }
}

function checkFilter(name: string, { test, on }: FilterDefinition, definition: Definition, report: Report): void {
  const where = `${definition.name}.filter.${name}`
  const [field, part] = (on ?? name).split('.') as [string, string?]
  const fields = readableFields(definition)
  const spec = own(fields, field)
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) report(where, 'its name is not of the form minPrice', 'use letters and digits')
  const either = own(definition.fields, field)
  if (either !== undefined && isEither(either) && test === 'is') {
    const closed = closedBranch(either, definition)
    if (closed !== null) report(where, ...closed)
    return
  }
  if (spec === undefined) {
    report(where, `it names ${field}, which is no stored field`, instead(field, Object.keys(fields)))
    return
  }
  const wrong = unfiltered(test, spec, field, part)
  if (wrong !== null) report(where, ...wrong)
}

/** Null if there is no problem. */
function unfiltered(
  test: FilterDefinition['test'],
  spec: SpecBase,
  field: string,
  part: string | undefined,
): Contradiction | null {
  switch (test) {
    case 'is':
      return isWhole(spec)
        ? [`${field} is ${a(spec.kind)}, which has no one value`, 'use contains for the values of a list']
        : null
    case 'isPresent':
      return spec.optional ? null : [`${field} is always present`, `make ${field} optional or strike the filter`]
    case 'atLeast':
    case 'atMost':
      return ['in order', 'in time'].includes(comparesOf(spec) ?? '')
        ? null
        : [`${field} has no least and no most`, 'use is']
    case 'contains':
      return unlisted(spec as ListSpec, field, part)
  }
}
type ListSpec = SpecBase & { readonly of: SpecBase & { readonly fields?: Readonly<Record<string, SpecBase>> } }
const isWhole = (spec: SpecBase): boolean => comparesOf(spec) === 'not at all'

function unlisted(spec: ListSpec, field: string, part: string | undefined): Contradiction | null {
  if (spec.kind !== 'list') return [`${field} is no list`, 'use is']
  const parts = spec.of.fields
  const held = part === undefined ? spec.of : own(parts, part)
  if (part === undefined && parts !== undefined)
    return [`${field} holds objects`, `name a part, such as ${field}.${Object.keys(parts)[0]}`]
  if (held === undefined) return [`what ${field} holds has no part ${part}`, instead(part!, Object.keys(parts ?? {}))]
  return isSearchable(held)
    ? null
    : [`${a(held.kind)} cannot be looked for in a list`, 'look for a text, a choice or an id']
}

function* filterNames({ filter = {}, fields }: Definition): Iterable<readonly [string, string]> {
  for (const parameter of listParameters) yield [snake(parameter), parameter]
  for (const [name, { test, on }] of Object.entries(filter)) {
    const field = own(fields, (on ?? name).split('.')[0]!)
    if (field?.kind === 'either') for (const part of ['id', 'type']) yield [`${snake(name)}_${part}`, name]
    const kind = test === 'is' || test === 'contains' ? partKind(field, (on ?? name).split('.')[1]) : ''
    yield [columnName(name, kind === 'one' ? 'one' : ''), name]
  }
}
const partKind = (spec: SpecBase | undefined, part: string | undefined): string | undefined =>
  spec?.kind !== 'list'
    ? spec?.kind
    : part === undefined
      ? (spec as ListSpec).of.kind
      : own((spec as ListSpec).of.fields, part)?.kind

function checkSort(definition: Definition, definitions: DefinitionIndex, report: Report): void {
  const where = `${definition.name}.sort`
  const sort = sortsOf(definition).map(([path]) => path)
  checkInside(definition, where, report)
  for (const [index, path] of sort.entries()) {
    if (sort.indexOf(path) < index || path === 'createdAt') {
      report(where, `it names ${path} twice`, 'strike one')
      continue
    }
    const end = endOfPath(path, definition, definitions, (problem, remedy) => report(where, problem, remedy))
    if (end !== null && isWhole(end)) report(where, `${path} is ${a(end.kind)}, which has no order`, 'strike it')
    if (end !== null && path.includes('.') && textMax(end) > cursorTextMax)
      report(where, `${path} may be longer than a cursor can hold`, `let it be at most ${cursorTextMax} characters`)
  }
  const paths = new Set(['createdAt', ...sort])
  distinct(
    [...paths].map((path) => [constant(path.replaceAll('.', '_')), path] as const),
    (_, first, second) => report(where, `GraphQL would call ${second} as it does ${first}`, 'strike one'),
  )
}

/** Lists are inside a relation by the filter of the same name, which every tenant has. */
function checkInside(definition: Definition, where: string, report: Report): void {
  const { filter = {} } = definition
  const references = fieldsOfKind(definition, 'one')
  for (const [path, { within }] of sortsOf(definition)) {
    if (within === undefined || (references.includes(within) && own(filter, within)?.test === 'is')) continue
    const remedy = references.includes(within) ? `write filter: { ${within}: is }` : instead(within, references)
    report(where, `${path} is within ${within}, and no filter names one of these`, remedy)
  }
}

function checkProtect(definition: Definition, report: Report): void {
  const { name, protect = {}, computed = {} } = definition
  const fields = readableFields(definition)
  for (const [field, { write, filter }] of Object.entries(protect)) {
    const where = `${name}.protect.${field}`
    const isComputed = own(computed, field) !== undefined
    if (own(fields, field) === undefined && !isComputed)
      report(
        where,
        `it protects ${field}, which is no stored field`,
        instead(field, [...Object.keys(fields), ...Object.keys(computed)]),
      )
    if (isComputed && (write ?? filter) !== undefined)
      report(where, 'what is computed is only read', 'strike write and filter')
  }
}

function checkOlderNames(definition: Definition, definitions: DefinitionIndex, report: Report): void {
  const { name, fields, computed = {}, formerly = {} } = definition
  const served = definitions.service.versions ?? {}
  const stored = Object.entries(fields).filter(([, spec]) => isStored(spec))
  const renamable = [...stored.map(([field]) => field), ...Object.keys(computed)]
  const older: [string, string][] = []
  for (const [version, names] of Object.entries(formerly)) {
    const where = `${name}.formerly.${version}`
    const state = own(served, version)
    if (state === undefined) report(where, `the service has no ${version}`, instead(version, Object.keys(served)))
    if (state === 'current')
      report(where, 'it is current, and older names belong to older versions', 'rename the field itself')
    for (const [field, old] of Object.entries(names)) {
      if (!renamable.includes(field))
        report(where, `it renames ${field}, which is no stored field`, instead(field, renamable))
      if (!/^[a-z][A-Za-z0-9]*$/.test(old))
        report(where, `the name ${old} is not of the form publishedAt`, 'use letters and digits')
      if (isReservedField(old))
        report(`${name}.formerly`, `${field} was called ${old}, which is another field`, 'choose another older name')
      else if (!older.some(([name, of]) => name === old && of === field)) older.push([old, field])
    }
  }
  const taken = [...new Set([...Object.keys(fields), ...Object.keys(computed)])]
  distinct([...taken.map((each) => [each, each] as const), ...older], (old, _, field) =>
    report(`${name}.formerly`, `${field} was called ${old}, which is another field`, 'choose another older name'),
  )
}
