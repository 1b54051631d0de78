// Binds the list of a query: the arguments of its tests, or the ids that it found.

import { Failure, invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { ListArguments } from '../../read-plan/run.ts'
import type { Caller } from '../../resource/actor.ts'
import { argumentsOf, givenValue } from '../../resource/language/placeholder.ts'
import { placeColumn } from '../../resource/model/compile/compile-query.ts'
import { isId } from '../../resource/model/id.ts'
import type { QueryModel } from '../../resource/model/model.ts'
import type { ListShape } from '../../store/sql/condition/list-shape.ts'
import { encodeValue } from '../../store/sql/text/column-value.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { callbackActor } from '../callback-actor.ts'

interface QueryDependencies {
  readonly limits: Pick<Limits, 'queryIds' | 'queryTimeoutMs'>
  readonly dialect: Dialect
}

/** Fails as `ids` does, and with UPSTREAM_TIMEOUT. */
export async function bindQuery(
  shape: ListShape,
  list: ListArguments,
  { actor, requestTime: now }: { readonly actor: Caller; readonly requestTime: Date },
  { limits, dialect }: QueryDependencies,
): Promise<ListArguments> {
  const [{ query, missing }, args] = [shape.query!, list.args!]
  if (query.ids !== null) {
    const foundIds = await findIds(query, { args, actor: callbackActor(actor, query), now }, limits)
    const isOrdered = shape.sort[0]!.column === placeColumn
    return { ...list, foundIds, cursor: isOrdered ? movedTo(list.cursor, foundIds) : list.cursor }
  }
  const scope = query.tests.map(({ column, test, value }) => {
    if (argumentsOf(value).some((each) => missing.includes(each))) return null
    const operand = givenValue(value, args, now, column.type)
    return test === 'contains' ? dialect.encode(operand, 'text') : encodeValue(column, operand, dialect)
  })
  return { ...list, scope }
}

/** A cursor follows its record to its current position. */
function movedTo(cursor: ListArguments['cursor'], ids: readonly string[]): ListArguments['cursor'] {
  if (cursor === null) return null
  const place = ids.indexOf(cursor[1] as string)
  return place === -1 ? cursor : [place, cursor[1]!]
}

async function findIds(
  { ids, name, resource }: QueryModel,
  question: object,
  { queryIds, queryTimeoutMs }: QueryDependencies['limits'],
): Promise<readonly string[]> {
  const ending = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const failure = new Failure('UPSTREAM_TIMEOUT')
    ending.abort(failure)
    late.reject(failure)
  }, queryTimeoutMs)
  try {
    const answer = await Promise.race([ids!({ ...question, signal: ending.signal }), late.promise])
    invariant(
      Array.isArray(answer) && answer.every((each) => typeof each === 'string'),
      `${resource.name}.queries.${name} answers a list of ids`,
    )
    // A malformed id names no record, and might not be valid text for the database.
    return [...new Set(answer)].slice(0, queryIds).filter((each) => isId(resource.prefix, each))
  } finally {
    clearTimeout(timer)
  }
}
