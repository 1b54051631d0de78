// The lists in an input, read: ids of records to be linked, and children to be made. (contract 13.1)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { idLengthMax } from '../resource/field/relation.ts'
import type { AcceptedList, ActionModel } from '../resource/model/model.ts'
import { childCreate, isChildren } from '../resource/model/nested.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { ChildInput, LinkInput, ListInput, ValidInput } from './valid-input.ts'

export const noLists: ListInput = { links: [], children: [] }

/** How inputs are read, and how many records they may still ask for. */
export interface InputReading {
  readonly names: Vocabulary
  readonly limits: { readonly batch: number; readonly recordsPerWrite: number }
  readonly room: { left: number }
}
type Problem = (field: string, message: string) => void
type ReadChild = (action: ActionModel, input: unknown, problem: Problem) => ValidInput

/** What clients call the lists of an action. */
export const listNames = (action: ActionModel, names: Vocabulary): ReadonlyMap<string, AcceptedList> =>
  getOrInsert(
    getOrInsert(namesOf, names, () => new WeakMap<ActionModel, ReadonlyMap<string, AcceptedList>>()),
    action,
    () => new Map(action.lists.map((each) => [names.list(action.resource, each.relation), each])),
  )
const namesOf = new WeakMap<Vocabulary, WeakMap<ActionModel, ReadonlyMap<string, AcceptedList>>>()

/** Tells of every problem by its place. What is not sent is not among the answers. */
export function readLists(
  action: ActionModel,
  sent: Readonly<Record<string, unknown>>,
  reading: InputReading,
  problem: Problem,
  readChild: ReadChild,
): ListInput {
  if (action.lists.length === 0) return noLists
  const links: LinkInput[] = []
  const children: ChildInput[] = []
  for (const [name, list] of listNames(action, reading.names)) {
    const elements = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (elements === undefined) continue
    if (!Array.isArray(elements)) problem(name, 'Must be a list.')
    else if (elements.length > reading.limits.batch) problem(name, `At most ${reading.limits.batch} in the list.`)
    else if (!isChildren(list)) links.push({ list, path: name, ids: readIds(elements, name, problem) })
    else if (!takeRoom(elements.length, reading))
      problem(name, `At most ${reading.limits.recordsPerWrite} records in one request.`)
    else {
      const create = childCreate(action, list)
      for (const [index, input] of elements.entries()) {
        const path = `${name}[${index}]`
        const within: Problem = (field, message) => problem(field === '' ? path : `${path}.${field}`, message)
        children.push({ list, path, action: create, input: readChild(create, input, within) })
      }
    }
  }
  return { links, children }
}

function takeRoom(count: number, { room }: InputReading): boolean {
  if (count > room.left) return false
  room.left -= count
  return true
}

function readIds(elements: readonly unknown[], name: string, problem: Problem): readonly string[] {
  const first = new Map<unknown, number>()
  return elements.flatMap((id, index) => {
    const place = `${name}[${index}]`
    const before = first.get(id)
    if (typeof id !== 'string' || id.length > idLengthMax) problem(place, 'Must be an id.')
    else if (before !== undefined) problem(place, `Is ${name}[${before}] again.`)
    else {
      first.set(id, index)
      return [id]
    }
    return []
  })
}
