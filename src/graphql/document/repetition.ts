// Removes repetition before validation, which is quadratic in it.

import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { getOrInsert } from '../../cache/get-or-insert.ts'

/** Drops selections that repeat an earlier one of the same set literally. */
export function withoutRepetition(document: DocumentNode): DocumentNode {
  const numbers = new Map<string, number>()
  const definitions = document.definitions.map((each): DefinitionNode => {
    if (each.kind !== Kind.OPERATION_DEFINITION && each.kind !== Kind.FRAGMENT_DEFINITION) return each
    return { ...each, selectionSet: distinct(each.selectionSet, numbers).set }
  })
  return { ...document, definitions }
}

/** Numbers equal selections equally, so that a comparison does not descend. */
function distinct(set: SelectionSetNode, numbers: Map<string, number>): { set: SelectionSetNode; key: string } {
  const selections = new Map<number, SelectionNode>()
  for (const selection of set.selections) {
    const below = selection.kind === Kind.FRAGMENT_SPREAD ? undefined : selection.selectionSet
    const inner = below === undefined ? null : distinct(below, numbers)
    const number = getOrInsert(numbers, `${wordsOf(selection)}${inner?.key ?? ''}`, () => numbers.size)
    if (selections.has(number)) continue
    selections.set(number, inner === null ? selection : ({ ...selection, selectionSet: inner.set } as SelectionNode))
  }
  return { set: { ...set, selections: [...selections.values()] }, key: `{${[...selections.keys()].join(' ')}}` }
}

function wordsOf(selection: SelectionNode): string {
  const directives = wordsOfAll(selection.directives)
  switch (selection.kind) {
    case Kind.FIELD: {
      const { alias, name, arguments: args } = selection
      return `${alias?.value ?? ''}:${name.value}(${wordsOfAll(args)})${directives}`
    }
    case Kind.FRAGMENT_SPREAD:
      return `...${selection.name.value}${directives}`
    case Kind.INLINE_FRAGMENT:
      return `... on ${selection.typeCondition?.name.value ?? ''}${directives}`
  }
}

const wordsOfAll = (nodes: readonly (DirectiveNode | Parameters<typeof print>[0])[] | undefined): string =>
  nodes === undefined || nodes.length === 0 ? '' : nodes.map(print).join(' ')

/**
 * The first response key that a selection set, fragments included, contains more than `max` times. Takes selections × fragments.
 */
export function findRepetition(document: DocumentNode, max: number): string | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each)
  let repetition: string | undefined
  visit(document, {
    SelectionSet(set) {
      if (repetition === undefined) repetition = findIn(set, fragments, max)
    },
  })
  return repetition
}

function findIn(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  max: number,
): string | undefined {
  const counts = new Map<string, number>()
  const visitedNames = new Set<string>()
  const waiting = [set]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const selection of next.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) waiting.push(selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value
        const fragment = fragments.get(name)
        if (fragment === undefined || visitedNames.has(name)) continue
        visitedNames.add(name)
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
