// The targets of a write. (contract 4.5, 4.6)

import type { Target } from '../../action/call.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { isObject, type Json, type JsonObject } from '../../json/json.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { snake } from '../../resource/naming/casing.ts'

/** Such as `posts`, `api_keys`. */
export const listName = ({ plural }: ResourceModel): string => snake(plural)

/** Empty unless the body is an object. */
export const membersOf = (body: Json | undefined): JsonObject => (isObject(body) ? body : {})

/** Empty without a body. Fails with VALIDATION_ERROR unless it is an object. */
export function readMembers(body: Json | undefined): JsonObject {
  if (body === undefined) return {}
  if (isObject(body)) return body
  throw new Failure('VALIDATION_ERROR', { message: 'The body must be a JSON object.' })
}

/** `{ "posts": [{ … }, { … }] }`: a target per element; empty if the list is invalid. */
export function readNewRecords(members: JsonObject, name: string, max: number, problems: Detail[]): readonly Target[] {
  for (const other of Object.keys(members)) {
    if (other !== name) problems.push({ field: other, message: 'There is no such field.' })
  }
  return readList(members, name, max, problems).map((input) => ({ input }))
}

/** `{ "ids": ["…"], "title": "…" }`: a target per id, with shared input. */
export function readChanges(members: JsonObject, max: number, problems: Detail[]): readonly Target[] {
  const { ids: _, ...input } = members
  const ids = readList(members, 'ids', max, problems)
  const first = new Map<Json, number>()
  for (const [index, id] of ids.entries()) {
    if (typeof id !== 'string') problems.push({ field: `ids[${index}]`, message: 'Must be an id.' })
    else if (first.has(id)) problems.push({ field: `ids[${index}]`, message: `Is ids[${first.get(id)}] again.` })
    else first.set(id, index)
  }
  // Without a target, the input would not be validated.
  return ids.length === 0 ? [{ input }] : ids.map((id) => ({ id: String(id), input }))
}

/** `{ "ids" | "where", "input" }` */
export function readMoveInput(members: JsonObject, problems: Detail[]): JsonObject {
  for (const name of Object.keys(members))
    if (!['ids', 'where', 'input'].includes(name)) problems.push({ field: name, message: 'There is no such field.' })
  const { input = {} } = members
  if (isObject(input)) return input
  problems.push({ field: 'input', message: 'Must be an object.' })
  return {}
}

function readList(members: JsonObject, name: string, max: number, problems: Detail[]): readonly Json[] {
  const list = Object.hasOwn(members, name) ? members[name] : undefined
  const problem = (message: string): readonly Json[] => {
    problems.push({ field: name, message })
    return []
  }
  if (list === undefined) return problem('Is required.')
  if (!Array.isArray(list)) return problem('Must be a list.')
  if (list.length === 0) return problem('At least 1 in the list.')
  return list.length > max ? problem(`At most ${max} in the list.`) : list
}
