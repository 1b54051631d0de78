// From a query string to a list: which records, in which order, which page of them, which of their fields. (contract 4.3, 4.4)

import { authorizeFilters } from '../action/authorize.ts'
import { type Detail, Failure } from '../failure/failure.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Limits } from '../limits.ts'
import { type Cursor, cursorBinding, readCursor } from '../read-plan/cursor.ts'
import { isReadableEverywhere } from '../read-plan/list-access.ts'
import type { ListArguments } from '../read-plan/run.ts'
import {
  type Dialect,
  type FilterUse,
  type Root,
  type SortKey,
  totalOrder,
  type Value,
} from '../read-plan/selection.ts'
import type { Actor } from '../resource/actor.ts'
import { kindOf } from '../resource/field/registry.ts'
import { missingOf } from '../resource/model/query-condition.ts'
import { filterNames, type Narrowing, readFilters } from './filter.ts'
import { type Page, type PageLimits, pageParameters, readPage } from './page.ts'
import type { Asked, Roots } from './parsed-queries.ts'
import { queryParameters, readArguments } from './query-arguments.ts'
import type { ResourceOperation } from './routes.ts'
import { makeSelection, readFields } from './selection.ts'
import { defaultSort, readSort } from './sort.ts'

export interface ListRequest {
  readonly root: Extract<Root, { kind: 'list' }>
  readonly list: ListArguments
  readonly page: Page
}
/** What the query strings of one operation are read with. */
export interface ListQuery {
  /**
   * Reads a query string for this actor; `holderId` names the record that the list is within.
   * Fails with UNAUTHENTICATED or FORBIDDEN for a filter that the actor may not use, with VALIDATION_ERROR for all
   * other problems, all of them in `details`.
   */
  read(query: string, actor: Actor | null, holderId: string | null): ListRequest
}
export interface ListQueryGiven {
  readonly limits: PageLimits & Pick<Limits, 'queryStringKept'>
  readonly dialect: Dialect
  readonly roots: Roots
}

export function createListQuery(operation: ResourceOperation, { limits, dialect, roots }: ListQueryGiven): ListQuery {
  const { resource, within, version, query: named } = operation
  const { vocabulary } = version
  const filters = filterNames(resource, vocabulary)
  const asks = named === undefined ? null : queryParameters(named, vocabulary)
  const known = new Set([...pageParameters, 'sort', 'fields', ...filters.keys(), ...(asks?.keys() ?? [])])
  const usualSort = named === undefined ? defaultSort(resource) : totalOrder(resource, named.sort)
  const place = [version.name, within?.holder.path, within?.relation.field, resource.path, named?.name].join('/')

  function read(query: string, actor: Actor | null, holderId: string | null): ListRequest {
    const problems: Detail[] = []
    const key = `${place}?${query}`
    const known = roots.meanings.get(key)
    const asked = known ?? ask(query, problems)
    authorize(asked, actor, problems)
    // A cursor can be compared with its list only where sort and filters say which list that is.
    if (problems.some(({ field }) => field === 'sort' || filters.has(field) || asks?.has(field))) refuse(problems)
    const { page, values } = asked
    const binding = page.mode === 'offset' ? null : bindingOf(asked, values, holderId)
    const cursor = page.mode === 'offset' || page.cursor === null ? null : seek(page.cursor, binding!, asked, problems)
    if (problems.length > 0) refuse(problems)
    const offset = page.mode === 'offset' ? (page.page - 1) * page.size : 0
    const list = {
      size: page.size,
      offset,
      cursor: cursor?.values ?? null,
      filter: values,
      binding,
      countMax: limits.offset,
      ...(asked.args === null ? {} : { args: asked.args }),
    }
    if (cursor !== null) return { root: rootOf(asked, cursor), list, page }
    asked.root ??= rootOf(asked, null)
    if (known === undefined && query.length < limits.queryStringKept) roots.meanings.set(key, asked, 0)
    return { root: asked.root, list, page }
  }

  function ask(query: string, problems: Detail[]): Asked {
    const parameters = readQuery(query, problems)
    requireKnown(parameters, (name) => known.has(name), problems)
    const narrowings = readFilters(parameters, filters, vocabulary, problems)
    const sortText = parameters.get('sort') || undefined
    const sort = sortText === undefined ? usualSort : readSort(sortText, resource, vocabulary, problems)
    const fieldsText = parameters.get('fields') || undefined
    const fields = fieldsText === undefined ? null : readFields(fieldsText, resource, vocabulary, problems)
    const args = asks === null ? null : readArguments(parameters, asks, vocabulary, problems)
    const values = narrowings.map((each) => encoded(each, dialect))
    return { narrowings, values, sort, fields, page: readPage(parameters, limits, problems), args, root: null }
  }

  function authorize({ narrowings, sort }: Asked, actor: Actor | null, problems: Detail[]): void {
    authorizeFilters(
      narrowings.map((each) => each.filter),
      resource,
      actor,
      vocabulary,
    )
    for (const { filter, name } of narrowings) requireReadable(filter.column.field, name, actor, problems)
    if (sort !== usualSort) for (const { column } of sort) requireReadable(column.field, 'sort', actor, problems)
  }

  function seek(text: string, binding: string, { sort }: Asked, problems: Detail[]): Cursor | null {
    const cursor = readCursor(text, binding, sort, dialect)
    if (typeof cursor !== 'string') return cursor
    problems.push({ field: 'cursor', message: cursor })
    return null
  }

  function requireReadable(field: string, parameter: string, actor: Actor | null, problems: Detail[]): void {
    if (isReadableEverywhere(field, resource, actor)) return
    const name = vocabulary.name(resource, field)
    problems.push({ field: parameter, message: `You may not read ${name} of every record in this list.` })
  }

  const bindingOf = ({ sort, narrowings, args }: Asked, values: readonly Value[], holderId: string | null): string =>
    cursorBinding(
      'rest',
      place,
      holderId,
      sort.map(nameOfKey),
      narrowings.map(({ filter, value }, index) => [filter.name, values[index] ?? value]),
      ...(args === null ? [] : [args]),
    )

  function rootOf({ page, sort, narrowings, fields, args }: Asked, cursor: Cursor | null): ListRequest['root'] {
    const nulls = cursor?.values.map((value) => value === null)
    const backward = cursor?.direction.startsWith('previous') ?? false
    const inclusive = cursor?.direction.endsWith('From') ?? false
    const used = narrowings.map(useOf)
    const asked = named === undefined ? undefined : { query: named, missing: missingOf(named, args!) }
    const key = [
      place,
      page.mode,
      fields === null ? '*' : fields.map((field) => field.name),
      sort.map(nameOfKey),
      used.map(({ filter, present }) => `${filter.name}${present ?? ''}`),
      nulls === undefined ? '' : `${backward}${inclusive}${nulls.map(Number).join('')}`,
      ...(asked === undefined ? [] : asked.missing),
    ].join('|')
    return roots.get(key, () => ({
      kind: 'list',
      list: {
        resource,
        filters: used,
        sort,
        seek: nulls === undefined ? null : { backward, nulls, inclusive },
        backward,
        offset: page.mode === 'offset',
        ...(asked === undefined ? {} : { query: asked }),
      },
      within,
      parts: { as: 'array', of: makeSelection(resource, vocabulary, fields ?? undefined) },
      total: page.mode === 'offset',
    }))
  }

  return { read }
}

const nameOfKey = ({ column, descending }: SortKey): string => `${descending ? '-' : ''}${column.field}`

const useOf = ({ filter, value }: Narrowing): FilterUse => ({
  filter,
  present: filter.test === 'isPresent' ? (value as boolean) : null,
})

/** Whether a field must be present is part of a list's shape, not a value of it. */
function encoded({ filter, value }: Narrowing, dialect: Dialect): Value {
  if (filter.test === 'isPresent') return null
  const type = filter.test === 'contains' ? kindOf(filter.value).column! : filter.column.type
  return dialect.encode(value, type)
}

function refuse(details: readonly Detail[]): never {
  throw new Failure('VALIDATION_ERROR', { details })
}
