// The parts of a write: the records of the call, and the children in each list, changed and new ones apart. Every stage runs
// over all parts before the next. (contract 13.1)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure, placeFailure } from '../../failure/failure.ts'
import { actorOf } from '../../resource/actor.ts'
import { requireFresh } from '../../resource/freshness.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import { type AcceptedChildren, isChildren } from '../../resource/model/nested.ts'
import type { Condition } from '../../resource/model/rule/condition.ts'
import type { Program } from '../../store/store.ts'
import { authorizeActor, authorizeField, requireReadScope } from '../authorize.ts'
import type { Write } from '../call.ts'
import { keyedFields, keyedList } from '../input/keyed-reference.ts'
import { childActionOf, listNames, sentAs } from '../input/list-input.ts'
import { mentioned } from '../input/validate.ts'
import { replaceError } from '../replace-error.ts'
import type { ReplacedList, ValidInput } from '../valid-input.ts'

export interface PartAccess {
  readonly condition: Condition
  /** Per target. */
  readonly fieldConditions: readonly Condition[]
  readonly children: ReadonlyMap<ActionModel, PartAccess>
}
export interface Part extends Omit<PartAccess, 'children'> {
  readonly action: ActionModel
  readonly inputs: readonly ValidInput[]
  readonly secrets: readonly TargetSecrets[]
}
export interface TargetSecrets {
  readonly hashes: ReadonlyMap<string, string>
  readonly tokens: Readonly<Record<string, string>>
}
export const noSecrets: TargetSecrets = { hashes: new Map(), tokens: Object.freeze({}) }
export interface ChildPart extends Part {
  readonly list: AcceptedChildren
  /** 0 holds the records of the call. */
  readonly parent: number
  readonly parents: readonly number[]
  readonly places: readonly Place[]
  readonly ids: readonly string[]
}
export interface Replacement extends ReplacedList {
  readonly parent: number
  readonly index: number
  readonly target: number
}
/** The place of a child in the call: the target, and `lines[2]`. */
export interface Place {
  readonly target: number
  readonly path: string
}

/** What needs no record, before input is validated. Fails as `authorizeActor`. */
export function authorizePart(
  action: ActionModel,
  inputs: readonly unknown[],
  call: Pick<Write, 'actor' | 'vocabulary'>,
  now: Date,
): PartAccess {
  const { actor, vocabulary } = call
  const condition = authorizeActor(action, actor)
  requireFresh(action.freshSeconds, actor, now)
  const fieldConditions = new Map<string, Condition>()
  const reading = actorOf(actor)?.scopes == null ? [] : readingNames(action, vocabulary)
  for (const input of inputs) {
    for (const { field } of mentioned(action, input, vocabulary)) {
      const own = authorizeField(action, field, actor, vocabulary)
      if (own !== null && own.is !== 'always') fieldConditions.set(field, own)
    }
    for (const move of action.mayFollow) {
      if (sentAs(input, vocabulary.part(move.name, { kind: 'boolean' })) !== true) continue
      authorizeActor(move, actor)
      requireFresh(move.freshSeconds, actor, now)
    }
    for (const { name, target } of reading) if (sentAs(input, name) != null) requireReadScope(target, actor)
  }
  const children = new Map<ActionModel, PartAccess>()
  for (const [name, list] of listNames(action, vocabulary)) {
    if (!isChildren(list)) continue
    const elements = inputs.map((input) => sentAs(input, name)).flatMap((sent) => (Array.isArray(sent) ? sent : []))
    const byAction = Map.groupBy(elements, (each) => childActionOf(action, list, each))
    for (const [child, own] of byAction) if (child !== null) children.set(child, authorizePart(child, own, call, now))
  }
  return { condition, fieldConditions: [...fieldConditions.values()], children }
}

/** Lists and references by key require `read` of their resource. (contract 5.3.11) */
const readingNames = (action: ActionModel, names: Write['vocabulary']) => [
  ...[...listNames(action, names)].map(([name, { relation }]) => ({ name, target: relation.target })),
  ...keyedFields(action, names).values(),
  ...action.lists.map((list) => keyedList(action, list, names)).filter((each) => each !== null),
]

type OpenPart = Omit<ChildPart, 'secrets'>
interface Children {
  readonly parts: readonly OpenPart[]
  readonly replacements: readonly Replacement[]
}

export function childParts(inputs: readonly ValidInput[], access: PartAccess): Children {
  if (!inputs.some(({ lists }) => lists.replaced.length + lists.children.length > 0)) return noChildren
  const parts: OpenPart[] = []
  const replacements: Replacement[] = []
  const add = (
    of: readonly ValidInput[],
    { children }: PartAccess,
    parent: number,
    placeOf: (index: number) => Place | null,
  ): void => {
    const byAction = new Map<ActionModel, ReturnType<typeof emptyPart>>()
    for (const [index, { lists }] of of.entries()) {
      const above = placeOf(index)
      const target = above?.target ?? index
      const pathOf = (path: string) => (above === null ? path : `${above.path}.${path}`)
      for (const { list, path, named } of lists.replaced) {
        const placedIds = named.map(({ id, path: own }) => ({ id, path: pathOf(own) }))
        replacements.push({ list, path: pathOf(path), named: placedIds, parent, index, target })
      }
      for (const { list, action, path, id, input } of lists.children) {
        const part = getOrInsert(byAction, action, () => emptyPart(action, list, children.get(action)!, parent))
        part.inputs.push(input)
        part.parents.push(index)
        part.places.push({ target, path: pathOf(path) })
        if (id !== null) part.ids.push(id)
      }
    }
    // A changed record may free a value for a new one.
    const ordered = [...byAction].sort(
      ([one], [other]) => Number(one.kind === 'create') - Number(other.kind === 'create'),
    )
    for (const [action, part] of ordered) {
      parts.push(part)
      add(part.inputs, children.get(action)!, parts.length, (index) => part.places[index]!)
    }
  }
  add(inputs, access, 0, () => null)
  return { parts, replacements }
}

const noChildren: Children = { parts: [], replacements: [] }

const emptyPart = (
  action: ActionModel,
  list: AcceptedChildren,
  { condition, fieldConditions }: PartAccess,
  parent: number,
) => ({
  list,
  action,
  condition,
  fieldConditions,
  parent,
  inputs: [] as ValidInput[],
  parents: [] as number[],
  places: [] as Place[],
  ids: [] as string[],
})

/** Maps failures to the places of the part's records. */
export const atPlaces = <T>(part: Part | ChildPart, stage: Program<T>): Program<T> =>
  'places' in part ? replaceError(stage, (error) => placed(error, part)) : stage

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
  return placeFailure(error, { details: own, target: own[0]!.target })
}
