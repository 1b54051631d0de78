// Where in a document something stands, for errors.

import type { FieldNode } from 'graphql'
import type { ErrorEntry } from '../error.ts'
import type { TreeField } from './tree.ts'

type Locations = Required<Pick<ErrorEntry, 'locations'>>

export const locationsOf = (nodes: readonly FieldNode[]): Locations => ({
  locations: nodes.map(({ loc }) => ({ line: loc!.startToken.line, column: loc!.startToken.column })),
})

/** The document's nodes for this path below a field. */
export function locationsAt(field: TreeField, path: readonly (string | number)[]): Locations {
  let deepest = field
  for (const key of path) {
    if (typeof key === 'number') continue
    const below = deepest.below.flatMap((branch) => branch.fields).find((each) => each.key === key)
    if (below === undefined) break
    deepest = below
  }
  return locationsOf(deepest.nodes)
}
