// What the body of a write says: which records, and what shall become of each. (contract 4.5, 4.6)

import type { Target } from '../action/call.ts'
import { type Detail, Failure } from '../failure/failure.ts'
import type { Json } from '../http/message/exchange.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { snake } from '../resource/naming/casing.ts'

type Members = Readonly<Record<string, Json>>
const isObject = (body: Json): body is Members => typeof body === 'object' && body !== null && !Array.isArray(body)

/** The member that holds many new records: `posts`, `api_keys`. */
export const listName = ({ plural }: ResourceModel): string => snake(plural)

/** The members of a body that is an object; none of any other. */
export const membersOf = (body: Json | undefined): Members => (body !== undefined && isObject(body) ? body : {})

/** The members of a body; none where no body was sent. Fails with VALIDATION_ERROR where it is anything but an object. */
export function readMembers(body: Json | undefined): Members {
  if (body === undefined) return {}
  if (isObject(body)) return body
  throw new Failure('VALIDATION_ERROR', { message: 'The body must be a JSON object.' })
}

/** `{ "posts": [{ … }, { … }] }`: one target for each element, none where the list is not as it must be. */
export function readNewRecords(members: Members, name: string, max: number, problems: Detail[]): readonly Target[] {
  for (const other of Object.keys(members)) {
    if (other !== name) problems.push({ field: other, message: 'There is no such field.' })
  }
  return readList(members, name, max, problems).map((input) => ({ input }))
}

/** `{ "ids": ["…"], "title": "…" }`: each of these records is a target, with the same input. */
export function readChanges(members: Members, max: number, problems: Detail[]): readonly Target[] {
  const { ids: _, ...input } = members
  const ids = readList(members, 'ids', max, problems)
  const first = new Map<Json, number>()
  for (const [index, id] of ids.entries()) {
    if (typeof id !== 'string') problems.push({ field: `ids[${index}]`, message: 'Must be an id.' })
    else if (first.has(id)) problems.push({ field: `ids[${index}]`, message: `Is ids[${first.get(id)}] again.` })
    else first.set(id, index)
  }
  // Without a single target nobody would look at the input.
  return ids.length === 0 ? [{ id: '', input }] : ids.map((id) => ({ id: String(id), input }))
}

/** `{ "ids" | "where", "input" }`: what a move of many takes is apart from which records it is of. */
export function readMoveInput(members: Members, problems: Detail[]): Members {
  for (const name of Object.keys(members))
    if (!['ids', 'where', 'input'].includes(name)) problems.push({ field: name, message: 'There is no such field.' })
  const { input = {} } = members
  if (isObject(input)) return input
  problems.push({ field: 'input', message: 'Must be an object.' })
  return {}
}

function readList(members: Members, name: string, max: number, problems: Detail[]): readonly Json[] {
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
