// The lists of an input, as code of the definition is given them: the ids of links, and children with their ids. (contract 13.1.23)

import type { AcceptedList, ActionModel } from '../../resource/model/model.ts'
import { isChildren } from '../../resource/model/nested.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import type { RowValues } from '../row/load.ts'
import type { ListInput } from '../valid-input.ts'
import type { PartTargets, TargetState } from './target-state.ts'

const vocabulary = graphqlVocabulary()
/** `lines`, and for links `tagIds`. */
const nameOf = ({ resource }: ActionModel, { relation }: AcceptedList): string => vocabulary.list(resource, relation)

/** A create that is sent no list has an empty one. */
export function emptyLists({ resource, kind }: ActionModel): RowValues {
  const create = kind === 'create' ? resource.actions.get('create') : undefined
  if (create === undefined || create.lists.length === 0) return {}
  return Object.fromEntries(create.lists.map((list) => [nameOf(create, list), []]))
}

/** Adds to the input of each record the lists that were sent for it. New children have their ids by now. */
export function addLists(parts: readonly PartTargets[]): void {
  const all = parts.filter(({ part }) => part.action.kind === 'create' || part.action.kind === 'update')
  if (all.every(({ part }) => part.action.resource.actions.get(part.action.kind)!.lists.length === 0)) return
  const children = new Map<string, TargetState>()
  for (const { part, targets } of all)
    if ('places' in part)
      for (const [index, { target, path }] of part.places.entries()) children.set(`${target} ${path}`, targets[index]!)
  // Children come after their parents, which contain them.
  for (const { part, targets } of all.toReversed())
    for (const [index, target] of targets.entries()) {
      const place = 'places' in part ? part.places[index]! : null
      const childAt = (path: string) =>
        children.get(place === null ? `${index} ${path}` : `${place.target} ${place.path}.${path}`)
      const lists = { ...emptyLists(part.action), ...sentLists(part.action, part.inputs[index]!.lists, childAt) }
      const moment: { input: Readonly<RowValues> } = target.callbackArguments
      moment.input = { ...moment.input, ...lists }
    }
}

function sentLists(
  action: ActionModel,
  { links, children, replaced }: ListInput,
  childAt: (path: string) => TargetState | undefined,
): RowValues {
  const values: RowValues = {}
  for (const { list, ids } of links) values[nameOf(action, list)] = [...ids]
  for (const list of action.lists.filter(isChildren)) {
    const named = replaced.filter((each) => each.list === list).flatMap((each) => each.named)
    const isSent = children.some((each) => each.list === list) || replaced.some((each) => each.list === list)
    if (!isSent) continue
    const ids = new Map(named.map(({ path, id }) => [path, id]))
    const paths = new Set([...ids.keys(), ...children.filter((each) => each.list === list).map(({ path }) => path)])
    values[nameOf(action, list)] = [...paths]
      .sort((one, other) => placeIn(one) - placeIn(other))
      .map((path) => {
        const child = childAt(path)
        return child === undefined ? { id: ids.get(path) } : { ...child.callbackArguments.input, id: child.id }
      })
  }
  return values
}

const placeIn = (path: string): number => Number(path.slice(path.lastIndexOf('[') + 1, -1))
