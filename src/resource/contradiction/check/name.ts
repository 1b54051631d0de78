// Checks names: their form, reserved names, and collisions once written for a face or a table.

import { isCatalogueCode } from '../../../failure/failure.ts'
import type { Contradiction, SpecBase } from '../../field/field.ts'
import { isAbove, isToMany } from '../../field/relation.ts'
import { type Definition, wholeOf } from '../../language/definition.ts'
import {
  capitalised,
  columnName,
  graphqlNameOf,
  graphqlPluralOf,
  kebab,
  linkTable,
  pluralOf,
  snake,
  uncapitalised,
  usesField,
} from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import type { DefinitionIndex } from '../report/definition-index.ts'
import { distinct, type Report } from '../report/report.ts'
import { choiceTypes } from './query.ts'

const resourceForm = /^[A-Z][A-Za-z0-9]*$/
const fieldForm = /^[a-z][A-Za-z0-9]*$/
const prefixForm = /^[a-z][a-z0-9]{0,15}$/
/** PostgreSQL truncates longer names. */
const nameLengthMax = 63

const columnsOfAll = ['id', 'createdAt', 'updatedAt', 'version', 'deletedAt']
/** `ids` is a key in the body of update-many. */
const reservedFields = new Set([...columnsOfAll, 'ids'])
/** System columns of SQLite or PostgreSQL. SQLite reads `true` as a column if there is one. */
const systemColumns = new Set(['rowid', 'oid', 'ctid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax', 'true', 'false'])
const reservedActions = new Map<string, Contradiction>([
  ['edit', ['the permission to update is called edit', 'call this action update']],
  ['manage', ['to manage is a permission of its own kind', 'choose another verb']],
])

export function nameContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const [key, definition] of Object.entries(definitions.service.resources)) {
    checkResource(key, definition, report)
    checkFields(definition, report)
    checkActions(definition, report)
  }
  const all = [...definitions.resources.values()]
  const isListed = ({ name }: Definition) => definitions.resources.has(name)
  for (const { name } of definitions.unlisted.filter(isListed))
    report(name, `the library keeps ${a(name)} of its own`, 'choose another name')
  const storedDefinitions = [...definitions.unlisted.filter((each) => !isListed(each)), ...all]
  distinct(
    storedDefinitions.map(({ prefix, name }) => [prefix, name]),
    (prefix, first, second) =>
      report(second, `its ids begin with ${prefix}, as those of ${first} do`, 'choose another prefix'),
  )
  checkCodes(all, report)
  distinct(tables(storedDefinitions), (table, first, second) =>
    report(second, `its table ${table} is that of ${first}`, 'choose another plural or another name of the relation'),
  )
  distinct(graphqlTypes(all), (type, first, second) =>
    report(
      second,
      `GraphQL's type ${type} is that of ${first}`,
      "choose another name, or one for GraphQL: graphql: '…'",
    ),
  )
  distinct(graphqlQueries(all), (query, first, second) =>
    report(second, `GraphQL's query ${query} is that of ${first}`, 'choose another name or plural'),
  )
  distinct(graphqlMutations(all), (mutation, first, second) =>
    report(second, `GraphQL's mutation ${mutation} is that of ${first}`, 'choose another name'),
  )
  checkEvents(all, report)
}

function checkResource(key: string, definition: Definition, report: Report): void {
  const { name, prefix } = definition
  const plural = pluralOf(definition)
  if (key !== name) report(key, `this is the resource ${name}`, `list it as ${name}`)
  if (!resourceForm.test(name))
    report(name, 'its name is not of the form BlogPost', 'use letters and digits, first a capital')
  if (definition.graphql !== undefined && !resourceForm.test(definition.graphql))
    report(name, 'its name in GraphQL is not of the form BlogPost', 'use letters and digits, first a capital')
  if (!prefixForm.test(prefix))
    report(
      name,
      `its prefix ${prefix} is not of the form post2`,
      'use up to 16 small letters and digits, first a letter',
    )
  if (!fieldForm.test(plural))
    report(name, `its plural ${plural} is not of the form blogPosts`, 'use letters and digits')
  if (plural === uncapitalised(name)) report(name, 'its plural is its name', 'choose a plural that differs')
  if (keptByStore.test(snake(plural)))
    report(name, `its table ${snake(plural)} has a name that the store keeps for itself`, 'choose another plural')
  if (definition.table !== undefined && (!storedForm.test(definition.table) || keptByStore.test(definition.table)))
    report(name, `its table ${definition.table} is not of the form blog_posts`, 'use small letters, digits and _')
  if (plural === 'includes') report(name, 'its plural is a word of roles', 'choose another plural')
  if (plural === 'auth' || plural === 'eventStream' || /^v\d+$/.test(plural))
    report(name, `the path /api/${kebab(plural)} belongs to the service`, 'choose another plural')
}

/** Of names in the database. */
const storedForm = /^[a-z][a-z0-9_]*$/
const keptByStore = /^(?:duet|sqlite|pg)_/

function checkFields(definition: Definition, report: Report): void {
  const { name, fields, computed = {} } = definition
  const all = [
    ...Object.entries(fields).flatMap(([field, spec]) => (isAbove(spec) ? [] : [[field, wireKind(spec)] as const])),
    ...columnless(computed),
  ]
  for (const [field, kind] of all) {
    if (!fieldForm.test(field))
      report(`${name}.${field}`, 'its name is not of the form publishedAt', 'use letters and digits')
    else if (reservedFields.has(field)) report(`${name}.${field}`, 'every record has it already', 'choose another name')
    else if (field === 'can')
      report(`${name}.can`, 'can is the field of what the caller may do with the record', 'choose another name')
    else if (field in Object.prototype) report(`${name}.${field}`, 'every object has it already', 'choose another name')
    else if (systemColumns.has(columnName(field, kind)))
      report(`${name}.${field}`, 'databases keep this name for themselves', 'choose another name')
    else if (snake(field).length > nameLengthMax - 5)
      report(`${name}.${field}`, `its name is longer than ${nameLengthMax - 5} characters`, 'choose a shorter one')
  }
  for (const [field, { column }] of Object.entries(fields))
    if (
      column !== undefined &&
      (!storedForm.test(column) || systemColumns.has(column) || column.length > nameLengthMax - 5)
    )
      report(`${name}.${field}`, `its column ${column} is not of the form sub_title`, 'use small letters, digits and _')
  const claims = [
    ...columnsOfAll.map((each) => [snake(each), each] as const),
    ...all.filter(([field]) => !reservedFields.has(field)).flatMap(([field, kind]) => claimsOf(field, kind)),
    ...Object.entries(fields).flatMap(([field, spec]) =>
      spec.kind === 'token' && 'maxUses' in spec ? [[snake(usesField(field)), field] as const] : [],
    ),
    ...Object.entries(fields).flatMap(([field, { column }]) =>
      column === undefined || [snake(field), `${snake(field)}_id`].includes(column) ? [] : [[column, field] as const],
    ),
  ]
  distinct(claims, (claimed, first, second) => {
    if (first !== second) report(`${name}.${second}`, `it is ${claimed} as ${first} is`, 'choose another name')
  })
}
const wireKind = (spec: SpecBase): string =>
  spec.kind === 'argument' ? (spec as SpecBase & { readonly of: SpecBase }).of.kind : spec.kind
const columnless = (computed: object) => Object.keys(computed).map((field) => [field, 'computed'] as const)
const olderNames = ({ formerly = {} }: Definition, field: string): ReadonlySet<string> =>
  new Set(Object.values(formerly).flatMap((names) => (names[field] === undefined ? [] : [names[field]])))
export const isReservedField = (field: string): boolean =>
  reservedFields.has(field) || field === 'can' || field in Object.prototype
const claimsOf = (field: string, kind: string): readonly (readonly [string, string])[] =>
  [...new Set([snake(field), columnName(field, kind), ...(kind === 'either' ? eitherNames(field) : [])])].map(
    (name) => [name, field] as const,
  )
/** In filters and conditions. (contract 11.6.7) */
const eitherNames = (field: string) => [`${snake(field)}_id`, `${snake(field)}_type`]

function checkActions(definition: Definition, report: Report): void {
  for (const action of Object.keys(definition.actions)) {
    const where = `${definition.name}.${action}`
    if (!fieldForm.test(action) || action in Object.prototype)
      report(where, 'its name is not of the form sendBack', 'use letters and digits')
    // Moves of many records share a path with ids. (contract 13.7.11)
    if (bulkField(definition, action) !== null && ['batch', 'me'].includes(action))
      report(where, `the path …/${action} is something else`, 'choose another verb')
    const reserved = reservedActions.get(action)
    if (reserved !== undefined) report(where, ...reserved)
    if (isToMany(definition.fields[action]))
      report(where, `the list of its ${action} has the same path`, 'name the action with another verb')
  }
}

/** A code must identify its resource and mean a missing record only. */
function checkCodes(all: readonly Definition[], report: Report): void {
  const codes = all.flatMap(({ name, notFound }) => (notFound === undefined ? [] : [[notFound, name] as const]))
  for (const [code, name] of codes)
    if (isCatalogueCode(code))
      report(name, `its notFound ${code} is a failure that every service has`, 'choose another code, or leave it out')
  distinct(codes, (code, first, second) =>
    report(second, `its notFound ${code} is that of ${first}`, 'choose another code'),
  )
}

function* tables(all: readonly Definition[]): Iterable<readonly [string, string]> {
  for (const definition of all) {
    const table = definition.table ?? snake(pluralOf(definition))
    yield [table, definition.name]
    for (const [field, spec] of Object.entries(definition.fields))
      if (spec.kind === 'manyToMany') yield [linkTable(table, field), `${definition.name}.${field}`]
  }
}

const builtInTypes = [
  'Query',
  'Mutation',
  'Subscription',
  'Node',
  'PageInfo',
  'BulkResult',
  'UnauthorizedError',
  'String',
  'Int',
]
const summaryTypes = [
  'Group',
  'Summary',
  'SummarySort',
  'SummaryConnection',
  'SummaryEdge',
  'Sums',
  'Extremes',
  'Differences',
]
function* graphqlTypes(all: readonly Definition[]): Iterable<readonly [string, string]> {
  for (const type of [...builtInTypes, 'Float', 'Boolean', 'ID', 'JSON']) yield [type, 'GraphQL itself']
  for (const definition of all) {
    const { name: owner, fields, actions, resultUnion, summary, keys = [] } = definition
    const name = graphqlNameOf(definition)
    if (actions['delete']?.emit !== undefined) yield [`Deleted${name}`, `${owner}.delete`]
    const changes = Object.values(actions).flatMap(({ emit }) => (emit?.changed === undefined ? [] : [emit.event]))
    for (const event of new Set(changes))
      for (const end of ['Event', 'Previous']) yield [`${capitalised(event)}${end}`, `the event ${event}`]
    for (const end of ['', 'Can', 'Connection', 'Edge', 'Filter', 'Sort', 'Where']) yield [`${name}${end}`, owner]
    if (keys.length > 0) for (const type of [`${name}Key`, `${name}Upsert`, `Upsert${name}Input`]) yield [type, owner]
    if (summary !== undefined) for (const end of summaryTypes) yield [`${name}${end}`, `${owner}.summary`]
    if (resultUnion) for (const end of ['Result', 'NotFoundError']) yield [`${name}${end}`, owner]
    for (const begin of ['Create', 'Update']) yield [`${begin}${name}Input`, owner]
    for (const [field, { kind }] of Object.entries(fields))
      if (kind === 'choice' || kind === 'state' || kind === 'either')
        for (const each of [field, ...olderNames(definition, field)])
          for (const end of kind === 'either' ? ['', 'Type'] : [''])
            yield [`${name}${capitalised(each)}${end}`, `${owner}.${field}`]
  }
  for (const each of all) yield* choiceTypes(each)
}

function* graphqlQueries(all: readonly Definition[]): Iterable<readonly [string, string]> {
  for (const query of ['me', 'node']) yield [query, 'the service']
  for (const definition of all) {
    const one = uncapitalised(graphqlNameOf(definition))
    const plural = graphqlPluralOf(definition)
    const owned = [one, plural, `${one}List`, ...(definition.resultUnion ? [`${one}Result`] : [])]
    for (const query of new Set(owned)) yield [query, definition.name]
    if (definition.summary !== undefined) yield [`${one}Summary`, `${definition.name}.summary`]
    for (const { fields } of (definition.keys ?? []).map(wholeOf))
      yield [`${one}By${fields.map(capitalised).join('And')}`, definition.name]
    for (const query of Object.keys(definition.queries ?? {})) {
      const owner = `${definition.name}.queries.${query}`
      yield [`${query}${capitalised(plural)}`, owner]
      yield [`${query}${graphqlNameOf(definition)}List`, owner]
    }
  }
}

function* graphqlMutations(all: readonly Definition[]): Iterable<readonly [string, string]> {
  for (const definition of all) {
    const { name: owner, actions, batch } = definition
    const name = graphqlNameOf(definition)
    const plural = capitalised(graphqlPluralOf(definition))
    if (definition.keys !== undefined)
      for (const each of [name, ...(batch === false ? [] : [plural])]) yield [`upsert${each}`, owner]
    for (const action of Object.keys(actions)) {
      if (action === 'read') continue
      const of = actions[action]!.on === undefined ? name : plural
      yield [`${action}${of}`, `${owner}.${action}`]
      if (batch !== false && (action === 'create' || action === 'update'))
        yield [`${action}${plural}`, `${owner}.${action}`]
      const bulk = bulkField(definition, action)
      if (bulk !== null) yield [bulk, `${owner}.${action}`]
    }
  }
}

/** The mutation of all records that match a condition; null if there is none. (contract 13.7.6) */
function bulkField(definition: Definition, action: string): string | null {
  const { where, batch, actions } = definition
  const { on, allow } = actions[action]!
  if (where === undefined || batch === false || on !== undefined || action === 'create') return null
  if (allow?.rule === 'nobody') return null
  return `${action}${capitalised(graphqlPluralOf(definition))}${action === 'update' ? 'Where' : ''}`
}

function checkEvents(all: readonly Definition[], report: Report): void {
  type EventSignature = { name: string; by: string | undefined; hands: boolean; changed: string; isDeletion: boolean }
  const events = new Map<string, EventSignature>()
  for (const { name, actions } of all) {
    for (const [action, { emit }] of Object.entries(actions)) {
      if (emit === undefined) continue
      const where = `${name}.${action}`
      if (!fieldForm.test(emit.event))
        report(where, `its event ${emit.event} is not of the form postCreated`, 'use letters and digits')
      const first = events.get(emit.event)
      const hands = (emit.with ?? []).length > 0
      const isDeletion = action === 'delete'
      const changed = (emit.changed ?? []).join()
      if (changed !== '' && uncapitalised(name) === 'previous')
        report(where, `its event has a ${name} and previous values under one name`, `rename ${name}`)
      if (first === undefined) events.set(emit.event, { name, by: emit.by, hands, changed, isDeletion })
      else if (first.name !== name)
        report(where, `${emit.event} is an event of ${first.name}`, 'choose another name for it')
      else if (first.by !== emit.by)
        report(where, `its event ${emit.event} is sent by another relation elsewhere`, 'choose another name for it')
      else if (first.changed !== changed)
        report(where, `${emit.event} is emitted for other changes elsewhere`, 'choose another name for one of them')
      else if (first.isDeletion !== isDeletion)
        report(
          where,
          `${emit.event} is emitted elsewhere for an existing record`,
          'choose another name for one of them',
        )
      else if (first.hands || hands)
        report(where, `${emit.event} hands on a token, and another action emits it too`, 'choose another name for it')
    }
  }
}
