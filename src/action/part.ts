// The parts of a write: the records that the call names, and below them the children in each of their lists. Every stage runs over
// all parts before the next begins, as it does over the targets of one. (contract 13.1)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure } from '../failure/failure.ts'
import type { Condition } from '../resource/model/condition.ts'
import type { ActionModel } from '../resource/model/model.ts'
import { type AcceptedChildren, childCreate, isChildren } from '../resource/model/nested.ts'
import type { Program } from '../store/store.ts'
import { authorizeActor, authorizeField } from './authorize.ts'
import type { Write } from './call.ts'
import { listNames } from './list-input.ts'
import type { ValidInput } from './valid-input.ts'
import { mentioned } from './validate.ts'

/** What an actor still has to be asked about, of each record of a part. */
export interface PartAccess {
  /** What `allow` still asks of each record. */
  readonly condition: Condition
  /** What the rules of single fields still ask, for each target. */
  readonly fieldConditions: readonly Condition[]
  readonly lists: ReadonlyMap<string, PartAccess>
}
export interface Part extends Omit<PartAccess, 'lists'> {
  readonly action: ActionModel
  readonly inputs: readonly ValidInput[]
  readonly secrets: readonly TargetSecrets[]
}
export interface TargetSecrets {
  readonly hashes: ReadonlyMap<string, string>
  readonly tokens: Readonly<Record<string, string>>
}
export interface ChildPart extends Part {
  readonly list: AcceptedChildren
  /** Of which part they are children: 0 is that of the call's own records. */
  readonly parent: number
  /** Of each, the index of its parent in that part. */
  readonly parents: readonly number[]
  readonly places: readonly Place[]
}
/** Where a child stands in the call: in the input of which target, and in what it calls it, `lines[2]`. */
export interface Place {
  readonly target: number
  readonly path: string
}

/** The half that needs no record, before any form is looked at. Fails as `authorizeActor` does. */
export function authorizePart(
  action: ActionModel,
  inputs: readonly unknown[],
  call: Pick<Write, 'actor' | 'vocabulary'>,
): PartAccess {
  const { actor, vocabulary } = call
  const condition = authorizeActor(action, actor)
  const fieldConditions = new Map<string, Condition>()
  for (const input of inputs) {
    for (const { field } of mentioned(action, input, vocabulary)) {
      const own = authorizeField(action, field, actor, vocabulary)
      if (own !== null && own.is !== 'always') fieldConditions.set(field, own)
    }
    for (const move of action.mayFollow) if (isWanted(move, input, vocabulary)) authorizeActor(move, actor)
  }
  const lists = new Map<string, PartAccess>()
  for (const [name, list] of listNames(action, vocabulary)) {
    if (!isChildren(list)) continue
    const elements = inputs.flatMap((input) => elementsOf(input, name))
    if (elements.length > 0) lists.set(list.field, authorizePart(childCreate(action, list), elements, call))
  }
  return { condition, fieldConditions: [...fieldConditions.values()], lists }
}

const isWanted = (move: ActionModel, input: unknown, names: Write['vocabulary']): boolean =>
  typeof input === 'object' &&
  input !== null &&
  (input as Record<string, unknown>)[names.part(move.name, { kind: 'boolean' })] === true

function elementsOf(input: unknown, name: string): readonly unknown[] {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return []
  const elements = (input as Record<string, unknown>)[name]
  return Array.isArray(elements) ? elements : []
}

type OpenPart = Omit<ChildPart, 'secrets'>

/** The children in these inputs, and theirs, part by part. */
export function childParts(inputs: readonly ValidInput[], access: PartAccess): readonly OpenPart[] {
  const parts: OpenPart[] = []
  const add = (
    of: readonly ValidInput[],
    { lists }: PartAccess,
    parent: number,
    placeOf: (index: number) => Place | null,
  ): void => {
    const byList = new Map<string, { part: OpenPart; inputs: ValidInput[]; parents: number[]; places: Place[] }>()
    for (const [index, input] of of.entries()) {
      for (const child of input.lists.children) {
        const { list, action } = child
        const own = getOrInsert(byList, list.field, () => {
          const made = { inputs: [] as ValidInput[], parents: [] as number[], places: [] as Place[] }
          const { condition, fieldConditions } = lists.get(list.field)!
          return { ...made, part: { list, action, condition, fieldConditions, parent, ...made } }
        })
        const above = placeOf(index)
        own.inputs.push(child.input)
        own.parents.push(index)
        own.places.push({
          target: above?.target ?? index,
          path: above === null ? child.path : `${above.path}.${child.path}`,
        })
      }
    }
    for (const [field, { part }] of byList) {
      parts.push(part)
      add(part.inputs, lists.get(field)!, parts.length, (index) => part.places[index]!)
    }
  }
  add(inputs, access, 0, () => null)
  return parts
}

/** Runs a stage of a part whose failures are told by the places of its records. */
export const atPlaces = <T>(part: Part | ChildPart, stage: Program<T>): Program<T> =>
  'places' in part ? placing(part, stage) : stage

function* placing<T>(part: ChildPart, stage: Program<T>): Program<T> {
  try {
    return yield* stage
  } catch (error) {
    throw placed(error, part)
  }
}

/** What went wrong, in the places of whoever sent it. */
export function placed(error: unknown, part: Part | ChildPart): unknown {
  if (!('places' in part) || !(error instanceof Failure)) return error
  const { code, message, target, details = [] } = error
  if (details.length === 0 && target === undefined && code === 'FORBIDDEN') return error
  const all = details.length === 0 ? [{ field: '', message }] : details
  const own = all.map((detail) => {
    const place = part.places[detail.target ?? target ?? 0]!
    return {
      ...detail,
      target: place.target,
      field: detail.field === '' ? place.path : `${place.path}.${detail.field}`,
    }
  })
  return new Failure(code, { message, details: own, target: own[0]!.target })
}
