// Counts how often one selection set asks for one response key, before validation, whose cost grows with the square of it.

import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode, visit } from 'graphql'

/**
 * The first response key that some selection set, with its fragments, asks for more than `max` times; undefined where
 * there is none. Its own cost is the number of selections times that of fragments.
 */
export function findRepetition(document: DocumentNode, max: number): string | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each)
  let found: string | undefined
  visit(document, {
    SelectionSet(set) {
      if (found === undefined) found = findIn(set, fragments, max)
    },
  })
  return found
}

function findIn(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  max: number,
): string | undefined {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  const waiting = [set]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const selection of next.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) waiting.push(selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value
        const fragment = fragments.get(name)
        if (fragment === undefined || seen.has(name)) continue
        seen.add(name)
        waiting.push(fragment.selectionSet)
      } else {
        const key = (selection.alias ?? selection.name).value
        const count = (counts.get(key) ?? 0) + 1
        if (count > max) return key
        counts.set(key, count)
      }
    }
  }
  return undefined
}
