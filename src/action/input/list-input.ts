// Reads lists in an input: ids to link, and children to create, change or keep. (contract 13.1)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { memoizePair } from '../../cache/memoize.ts'
import { idLengthMax } from '../../resource/field/relation.ts'
import { keyValues, ownColumns } from '../../resource/model/key.ts'
import type { AcceptedList, ActionModel } from '../../resource/model/model.ts'
import {
  type AcceptedChildren,
  childCreate,
  childUpdate,
  isChildren,
  replacesChildren,
} from '../../resource/model/nested.ts'
import { isOneByOne } from '../../resource/model/rule/guard.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import {
  type ChildInput,
  type KeyedReference,
  type LinkInput,
  type ListInput,
  type ReplacedList,
  unknownId,
  type ValidInput,
} from '../valid-input.ts'
import { type KeyReading, keyedList, readKey } from './keyed-reference.ts'

const noLists: ListInput = { links: [], children: [], replaced: [] }
export const noInput: ValidInput = { fields: {}, also: [], keyed: [], lists: noLists }

export interface InputReading extends KeyReading {
  readonly limits: { readonly batch: number; readonly recordsPerWrite: number }
  readonly room: RecordRoom
}
interface RecordRoom {
  left: number
  /** Children that are written one by one, per action. (contract 13.4.6) */
  readonly oneByOne: Map<string, number>
}
export const recordRoom = (left: number): RecordRoom => ({ left, oneByOne: new Map() })
type Problem = (field: string, message: string) => void
type ReadChild = (action: ActionModel, input: unknown, problem: Problem) => ValidInput

/** The client's names of an action's lists. */
export const listNames = memoizePair(
  ({ lists, resource }: ActionModel, names: Vocabulary): ReadonlyMap<string, AcceptedList> =>
    new Map(lists.map((each) => [names.list(resource, each.relation), each])),
)

/** The action for an element of a list; null for an existing child that stays unchanged. */
export function childActionOf(parent: ActionModel, list: AcceptedChildren, element: unknown): ActionModel | null {
  if (!isNamed(parent, element)) return childCreate(parent, list)
  return Object.keys(element).length === 1 ? null : childUpdate(parent, list)
}

const isNamed = (parent: ActionModel, element: unknown): element is { readonly id: unknown } =>
  replacesChildren(parent) && sentAs(element, 'id') !== undefined

/** Reports every problem by place. Lists that are not sent are omitted. */
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
  const replaced: ReplacedList[] = []
  for (const [own, list] of listNames(action, reading.names)) {
    const byKey = keyedList(action, list, reading.names)
    const name = byKey !== null && sentAs(sent, byKey.name) !== undefined ? byKey.name : own
    const elements = sentAs(sent, name)
    if (name !== own && sentAs(sent, own) !== undefined) problem(name, `Send either this or ${own}.`)
    if (elements === undefined) {
      // An update without a list keeps it.
      if (list.min > 0 && !replacesChildren(action)) problem(name, 'Is required.')
      continue
    }
    if (!Array.isArray(elements)) problem(name, 'Must be a list.')
    else if (elements.length > reading.limits.batch) problem(name, `At most ${reading.limits.batch} in the list.`)
    else if (elements.length < list.min) problem(name, `At least ${list.min} in the list.`)
    else if (!isChildren(list))
      links.push(
        name === own
          ? { list, path: name, ids: readIds(elements, name, problem), keyed: [] }
          : readKeys(list, byKey!, elements, reading, problem),
      )
    else if (!takeRoom(elements.length, reading))
      problem(name, `At most ${reading.limits.recordsPerWrite} records in one request.`)
    else {
      const own = readChildren(action, list, elements, name, problem, readChild)
      const { batch } = reading.limits
      if (countOneByOne(own.children, reading) > batch)
        problem(name, `At most ${batch} in one request, since each is checked after the one before.`)
      children.push(...own.children)
      if (replacesChildren(action)) replaced.push({ list, path: name, named: own.named })
    }
  }
  return { links, children, replaced }
}

function readChildren(
  parent: ActionModel,
  list: AcceptedChildren,
  elements: readonly unknown[],
  name: string,
  problem: Problem,
  readChild: ReadChild,
): { readonly children: readonly ChildInput[]; readonly named: ReplacedList['named'] } {
  const children: ChildInput[] = []
  const named = new Map<string, string>()
  for (const [index, element] of elements.entries()) {
    const path = `${name}[${index}]`
    const within: Problem = (field, message) => problem(field === '' ? path : `${path}.${field}`, message)
    const action = childActionOf(parent, list, element)
    if (!isNamed(parent, element)) {
      children.push({ list, path, action: action!, id: null, input: readChild(action!, element, within) })
      continue
    }
    const { id, ...input } = element
    const before = named.get(id as string)
    if (!isId(id)) within('id', 'Must be an id.')
    else if (before !== undefined) within('id', `Is ${before} again.`)
    else named.set(id, path)
    if (action !== null)
      children.push({ list, path, action, id: id as string, input: readChild(action, input, within) })
    // It has no update.
    else for (const field of Object.keys(input)) within(field, 'There is no such field.')
  }
  return { children, named: [...named].map(([id, path]) => ({ id, path })) }
}

/** Undefined also for what is no object. */
export const sentAs = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Readonly<Record<string, unknown>>)[name]
    : undefined

/** By keys, each of which names another record. */
function readKeys(
  list: AcceptedList,
  byKey: NonNullable<ReturnType<typeof keyedList>>,
  elements: readonly unknown[],
  reading: KeyReading,
  problem: Problem,
): LinkInput {
  const { name: path, target } = byKey
  const first = new Map<string, number>()
  const keyed = elements.flatMap((element, at): KeyedReference[] => {
    const place = `${path}[${at}]`
    const name = readKey(byKey, element, place, reading, problem)
    if (name === null) return []
    const own = ownColumns(name.key)
    const values = keyValues({ key: { ...name.key, columns: own }, sent: name.sent })
    const before = getOrInsert(first, JSON.stringify([own.map(({ field }) => field), values]), () => at)
    if (before !== at) problem(place, `Is ${path}[${before}] again.`)
    return [{ field: list.field, path: place, target, name, at }]
  })
  return { list, path, ids: elements.map(() => unknownId), keyed }
}

const isId = (id: unknown): id is string => typeof id === 'string' && id.length <= idLengthMax

function takeRoom(count: number, { room }: InputReading): boolean {
  if (count > room.left) return false
  room.left -= count
  return true
}

/** Returns the largest count of one action so far; 0 if children are written together. */
function countOneByOne(children: readonly ChildInput[], { room }: InputReading): number {
  const counts = [0]
  for (const [name, some] of Map.groupBy(children, ({ action }) => `${action.resource.name} ${action.name}`)) {
    if (!isOneByOne(some[0]!.action)) continue
    room.oneByOne.set(name, (room.oneByOne.get(name) ?? 0) + some.length)
    counts.push(room.oneByOne.get(name)!)
  }
  return Math.max(...counts)
}

function readIds(elements: readonly unknown[], name: string, problem: Problem): readonly string[] {
  const first = new Map<unknown, number>()
  return elements.flatMap((id, index) => {
    const place = `${name}[${index}]`
    const before = first.get(id)
    if (!isId(id)) problem(place, 'Must be an id.')
    else if (before !== undefined) problem(place, `Is ${name}[${before}] again.`)
    else {
      first.set(id, index)
      return [id]
    }
    return []
  })
}
